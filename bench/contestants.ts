/**
 * Servers that are measured in turns, with players in processes of their own. All of them are up all the
 * time; whoever has no turn is halted by the system, and costs nothing. So a turn can be as short as a
 * second, and a machine whose speed changes from minute to minute is as fast or slow for everybody.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

const folder = join(process.cwd(), 'bench', 'load')

/** Seconds in which a server's code is compiled before it is measured: it runs for days afterwards. */
const warmSeconds = 7

/** Seconds after which a server that was halted runs as if it had not been. */
const settleSeconds = 0.5

/** Who competes. */
export interface Entry {
  /** Names `server-KIND.mjs` and `player-KIND.mjs`. */
  readonly kind: string
  readonly matches: number
  /** 30 when left out. */
  readonly tickRate?: number
}

/** What a turn showed. */
export interface Turn {
  /** Processor time of the server per delivered player-tick. */
  readonly cpuUs: number
  /** The server's share of one core. */
  readonly load: number
}

interface Answers {
  readonly address: { readonly port: number; readonly urls: object }
  readonly joined: object
  readonly cpu: { readonly cpuUs: number }
  readonly count: { readonly delivered: number }
  readonly gaps: { readonly gaps: readonly number[] }
}

/** Waits for an answer: some servers say other things too. */
function hear<N extends keyof Answers>(child: ChildProcess, name: N): Promise<Answers[N]> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null) => reject(new Error(`${name} never came: exit ${code}`))
    const listen = (message: unknown) => {
      if ((message as { answer?: unknown } | null)?.answer !== name) return
      child.off('message', listen)
      child.off('exit', end)
      resolve(message as Answers[N])
    }
    child.on('message', listen)
    child.on('exit', end)
  })
}

function ask<N extends keyof Answers>(child: ChildProcess, name: N): Promise<Answers[N]> {
  const answer = hear(child, name)
  child.send(name)
  return answer
}

/** Waits. */
export function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}

/** A server and its players. */
export class Contestant {
  readonly #entry: Entry
  readonly #server: ChildProcess
  readonly #address: string
  readonly #players: ChildProcess[] = []

  private constructor(entry: Entry, server: ChildProcess, address: object) {
    this.#entry = entry
    this.#server = server
    this.#address = JSON.stringify(address)
  }

  /** Starts it, lets everybody play until its code is compiled, and halts it. */
  static async enter(entry: Entry): Promise<Contestant> {
    const server = fork(join(folder, `server-${entry.kind}.mjs`), forkOptions(entry))
    const contestant = new Contestant(entry, server, await hear(server, 'address'))
    await contestant.#addPlayers(entry.matches, 'm')
    await wait(warmSeconds)
    contestant.#signal('SIGSTOP')
    return contestant
  }

  /** Has its turn, for some seconds. */
  async play(seconds: number): Promise<Turn> {
    this.#signal('SIGCONT')
    await wait(settleSeconds)
    const before = await this.#count()
    await wait(seconds)
    const after = await this.#count()
    this.#signal('SIGSTOP')
    const cpuUs = after.cpuUs - before.cpuUs
    const delivered = after.delivered - before.delivered
    if (delivered === 0) throw new Error(`No tick of ${this.#entry.kind} reached its players`)
    return {
      cpuUs: cpuUs / delivered,
      load: cpuUs / (seconds * 1_000_000),
    }
  }

  /**
   * Lets one more match, in a process of its own, feel how even the ticks are, second by second, beside
   * a timer in a process that does nothing else.
   */
  async feel(seconds: number): Promise<{ load: number; windows: GapWindow[] }> {
    this.#signal('SIGCONT')
    const probe = await this.#addPlayers(1, 'probe')
    const timer = fork(join(folder, 'timer.mjs'), forkOptions(this.#entry))
    await hear(timer, 'joined')
    goFirst(this.#server)
    await wait(warmSeconds)
    const windows: GapWindow[] = []
    const before = await this.#count()
    for (const asked of [probe, timer]) await ask(asked, 'gaps')
    for (let second = 0; second < seconds; second++) {
      await wait(1)
      const [{ gaps: ticks }, { gaps: timers }] = [
        await ask(probe, 'gaps'),
        await ask(timer, 'gaps'),
      ]
      windows.push({ ticks, timers })
    }
    const { cpuUs } = await this.#count()
    timer.kill()
    return { load: (cpuUs - before.cpuUs) / (seconds * 1_000_000), windows }
  }

  /** Ends all its processes. */
  leave(): void {
    for (const child of [this.#server, ...this.#players]) child.kill('SIGKILL')
  }

  async #addPlayers(matches: number, prefix: string): Promise<ChildProcess> {
    const args = [this.#entry.kind, this.#address, String(matches), prefix]
    const players = fork(join(folder, 'players.mjs'), args, forkOptions(this.#entry))
    await hear(players, 'joined')
    this.#players.push(players)
    return players
  }

  async #count(): Promise<{ delivered: number; cpuUs: number }> {
    const { cpuUs } = await ask(this.#server, 'cpu')
    const { delivered } = await ask(this.#players[0] as ChildProcess, 'count')
    return { delivered, cpuUs }
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const child of [this.#server, ...this.#players]) child.kill(signal)
  }
}

/** By how much the ticks of a player, and a timer, were off within one second, in ms. */
export interface GapWindow {
  readonly ticks: readonly number[]
  readonly timers: readonly number[]
}

/**
 * Lets some compete in turns. Gives the turns of each; those of one round stand at the same place, and
 * were played within seconds.
 */
export async function compete(
  entries: readonly Entry[],
  rounds: number,
  seconds: number,
): Promise<Turn[][]> {
  const contestants: Contestant[] = []
  try {
    for (const entry of entries) contestants.push(await Contestant.enter(entry))
    const turns: Turn[][] = entries.map(() => [])
    for (let round = 0; round < rounds; round++) {
      const sequence = [...contestants.entries()]
      for (const [index, contestant] of round % 2 === 0 ? sequence : sequence.reverse()) {
        turns[index]?.push(await contestant.play(seconds))
      }
    }
    return turns
  } finally {
    for (const contestant of contestants) contestant.leave()
  }
}

/**
 * Players are other machines in life, and take no time from the server: it goes first, as probe and
 * timer do.
 */
function goFirst(server: ChildProcess): void {
  try {
    setPriority(server.pid ?? 0, constants.priority.PRIORITY_HIGHEST)
  } catch {
    process.stderr.write('The server waits for players: its jitter is an upper bound.\n')
  }
}

function forkOptions({ tickRate = 30 }: Entry) {
  return { stdio: 'inherit' as const, env: { ...process.env, LOAD_TICK_RATE: String(tickRate) } }
}
