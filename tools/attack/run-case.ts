/** Runs one case of an attack: a relay, an honest match, attackers in processes of their own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { JoinError } from '../../packages/samestep/src/driver/online/join-error.ts'
import { joinMatch } from '../../packages/samestep/src/driver/online/join-match.ts'
import { countGame, TestPlayer } from '../../packages/samestep/src/server/testing/player.ts'
import { until } from '../../packages/samestep/src/transport/testing/recorder.ts'
import { wait } from '../loopback/sockets.ts'
import { type Standing, WatchedRelay } from '../loopback/watched-relay.ts'
import type { Attack, AttackResult, Force, Outcome, Target } from './attack.ts'
import { measure, Prober } from './measure.ts'
import { descriptorsSlack } from './promises.ts'

/** How long the calm before and after an attack is measured. */
const calmMs = 5_000
const afterMs = 3_000

/** How long a player may take to come in. */
const joinMsMax = 10_000

/** A seat is kept for a minute for somebody whose link was lost; then everything must be free. */
const restMsMax = 75_000

/** What an attacker prints when everything is prepared. */
export const beginLine = 'begin\n'

/** The program of this tool, which is the attacker's too. */
const program = join(import.meta.dirname, '..', 'attack.ts')

/** Runs it, and says how it went. */
export async function runCase(attack: Attack, index: number, force: Force): Promise<Outcome> {
  const { flags, hasPages = false } = attack.cases[index]!
  const relay = await WatchedRelay.start({ flags, hasPages })
  const player = new TestPlayer(relay.urls.websocket, { match: 'honest' })
  try {
    await until(() => player.ticks > 30, 'a running match')
    // The first load of anything opens what stays open.
    await relay.loadPages()
    const before = await measure(relay, player, wait(calmMs))
    const idle = await relay.standing()
    if (idle === undefined) throw new Error('The relay does not answer before the attack')
    const target = { ...force, port: relay.port, udp: relay.urls.udp }
    const prober = new Prober(relay)
    const attackers = Array.from(
      { length: force.processes },
      () => new Attacker(attack, index, target),
    )
    await Promise.all(attackers.map(({ begun }) => begun))
    const ended = Promise.all(attackers.map(({ ended }) => ended))
    const joining = wait((force.seconds * 1_000) / 2).then(() => timeJoin(relay.urls.websocket))
    const meanwhile = await measure(relay, player, ended)
    const joinMs = await joining
    const probed = await prober.stop()
    const cuts = player.ends.map(({ code, reason }) => `${code} ${reason}`)
    const after = await measure(relay, player, wait(afterMs))
    const restFromMs = performance.now()
    const rest = await comeToRest(relay, idle)
    const restSeconds = (performance.now() - restFromMs + afterMs) / 1_000
    const loads = relay.isAlive ? await relay.loadPages() : []
    const health = await relay.health()
    const isAlive = relay.isAlive
    player.stop()
    return {
      did: sumUp(await ended),
      before,
      meanwhile,
      after,
      isAlive,
      faults: health?.faults,
      cuts,
      joinMs,
      ...probed,
      matchesMost: prober.matchesMost,
      linksMost: prober.linksMost,
      idle,
      rest,
      restSeconds,
      loads,
      exitCode: await relay.stop(),
    }
  } finally {
    player.stop()
    await relay.stop()
  }
}

/** Waits until the relay holds what it held before; gives what it holds in the end. */
async function comeToRest(relay: WatchedRelay, idle: Standing): Promise<Standing | undefined> {
  const untilMs = performance.now() + restMsMax
  let rest: Standing | undefined
  while (relay.isAlive && performance.now() < untilMs) {
    rest = await relay.standing()
    const isFree =
      rest !== undefined &&
      rest.links <= idle.links &&
      rest.matches <= idle.matches &&
      rest.descriptors <= idle.descriptors + descriptorsSlack
    if (isFree) break
    await wait(500)
  }
  return rest
}

/** A player of another match comes in, sees its first tick, and leaves. */
async function timeJoin(url: string): Promise<number | undefined> {
  const fromMs = performance.now()
  const isLate = () => performance.now() - fromMs > joinMsMax
  try {
    const options = { url, match: 'late', seats: 1, guard: false, timeoutMs: joinMsMax }
    const match = await joinMatch(countGame, options)
    while (match.cursors.sealedTick === 0 && !isLate()) await wait(5)
    match.close()
    return isLate() ? undefined : performance.now() - fromMs
  } catch (error) {
    if (error instanceof JoinError) return undefined
    throw error
  }
}

/** An attacker in a process of its own. */
class Attacker {
  /** Resolves when everything is prepared, or will never be. */
  readonly begun: Promise<void>
  /** Resolves with what it did. */
  readonly ended: Promise<AttackResult>

  constructor({ name }: Attack, index: number, target: Omit<Target, 'begin'>) {
    const args = [program, name, '--case', String(index + 1), '--target', JSON.stringify(target)]
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const answers: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => answers.push(text))
    this.begun = Promise.race([once(child.stdout, 'data'), once(child, 'close')]).then(() => {})
    // An attack that hangs is over too; filling a lobby comes before the time that it is given.
    const patience = setTimeout(() => child.kill('SIGKILL'), (target.seconds + 90) * 1_000)
    this.ended = once(child, 'close').then(([code]) => {
      clearTimeout(patience)
      if (code !== 0) throw new Error(`The attacker of ${name} ended with ${code}`)
      return JSON.parse(answers.join('').replace(beginLine, '')) as AttackResult
    })
  }
}

/** Of times and of what was at once the longest and the most, of everything else the sum. */
function sumUp(results: readonly AttackResult[]): AttackResult {
  const total: Record<string, number> = {}
  for (const [name, value] of results.flatMap((each) => Object.entries(each))) {
    const known = total[name] ?? 0
    const isLargest = name.includes('longest') || name === 'addresses'
    total[name] = isLargest ? Math.max(known, value) : known + value
  }
  return total
}
