/**
 * One core of a relay among its peers: what a delivered player-tick costs, with real sockets. Eight
 * players per match, inputs of twelve bytes; players run in another process and send alike to all.
 *
 * Every server has the load that takes about a third of a core: what an operator gets out of a machine
 * is told by a machine that works, and cost per tick falls with load for everybody.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Figure, Suite } from '../types.ts'

const folder = join(process.cwd(), 'bench', 'load')

/** Seconds in which a server's code is compiled before it is measured: it runs for days afterwards. */
const warmSeconds = 7

/** Matches that take about a third of a core. */
const matchesOf = {
  ws: 60,
  samestep: 50,
  'samestep-udp': 25,
  'samestep-webrtc': 10,
  colyseus: 15,
  'colyseus-tick': 30,
  socketio: 6,
  'socketio-tick': 12,
} as const

type Kind = keyof typeof matchesOf

interface Run {
  /** Processor time of the server per delivered player-tick. */
  readonly cpuUs: number
  /** The server's share of one core. */
  readonly load: number
  readonly jitterP50Ms: number
  readonly jitterP99Ms: number
  /** That of a timer beside it, in a process that does nothing else. */
  readonly timerP99Ms: number
}

interface RunOptions {
  readonly matches?: number
  readonly tickRate?: number
  /** Lets one more match, in a process of its own, feel how even the ticks are. */
  readonly withProbe?: boolean
}

interface Answers {
  readonly address: { readonly port: number; readonly urls: object }
  readonly joined: object
  readonly start: object
  readonly cpu: { readonly cpuUs: number }
  readonly stop: { delivered: number; jitterP50Ms: number; jitterP99Ms: number }
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

/** Lets players play on a server for some seconds. */
async function play(kind: Kind, seconds: number, options: RunOptions = {}): Promise<Run> {
  const { matches = matchesOf[kind], tickRate = 30, withProbe = false } = options
  const env = { ...process.env, LOAD_TICK_RATE: String(tickRate) }
  const settings = { stdio: 'inherit' as const, env }
  const server = fork(join(folder, `server-${kind}.mjs`), settings)
  const address = JSON.stringify(await hear(server, 'address'))
  const start = async (count: number, prefix: string) => {
    const args = [kind, address, String(count), prefix]
    const child = fork(join(folder, 'players.mjs'), args, settings)
    await hear(child, 'joined')
    return child
  }
  const players = await start(matches, 'm')
  const probe = withProbe ? await start(1, 'probe') : players
  const timer = withProbe ? await startTimer(server, settings) : players
  await wait(warmSeconds)
  for (const child of new Set([players, probe, timer])) await ask(child, 'start')
  const before = await ask(server, 'cpu')
  await wait(seconds)
  const after = await ask(server, 'cpu')
  const counted = await ask(players, 'stop')
  const felt = withProbe ? await ask(probe, 'stop') : counted
  const still = withProbe ? await ask(timer, 'stop') : counted
  server.send('exit')
  const cpuUs = after.cpuUs - before.cpuUs
  const delivered = counted.delivered + (withProbe ? felt.delivered : 0)
  return {
    cpuUs: cpuUs / Math.max(delivered, 1),
    load: cpuUs / (seconds * 1_000_000),
    jitterP50Ms: felt.jitterP50Ms,
    jitterP99Ms: felt.jitterP99Ms,
    timerP99Ms: still.jitterP99Ms,
  }
}

/**
 * Players are other machines in life, and take no time from the server: it goes first here, as probe
 * and timer do.
 */
async function startTimer(server: ChildProcess, settings: object): Promise<ChildProcess> {
  try {
    setPriority(server.pid ?? 0, constants.priority.PRIORITY_HIGHEST)
  } catch {
    process.stderr.write('The server waits for players: its jitter is an upper bound.\n')
  }
  const timer = fork(join(folder, 'timer.mjs'), settings)
  await hear(timer, 'joined')
  return timer
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}

/** Of whom something is promised: they run often. */
const promised: readonly Kind[] = ['ws', 'samestep', 'colyseus', 'socketio']

/** The median of several runs that take turns, so that a busy machine is busy for all of them. */
async function compare(kinds: readonly Kind[], seconds: number, rounds: number) {
  const runs = new Map<Kind, Run[]>(kinds.map((kind) => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    const turn = round % 2 === 0 ? kinds : [...kinds].reverse()
    for (const kind of turn) {
      if (round === 0 || promised.includes(kind)) runs.get(kind)?.push(await play(kind, seconds))
    }
  }
  return (kind: Kind): Run => {
    const sorted = (runs.get(kind) ?? []).sort((a, b) => a.cpuUs - b.cpuUs)
    return sorted[sorted.length >> 1] as Run
  }
}

const perTick = 'µs of CPU per delivered player-tick'

const names: Readonly<Record<Kind, string>> = {
  ws: 'bare ws loop, one message per tick',
  samestep: 'samestep relay, WebSocket',
  'samestep-udp': 'samestep relay, encrypted UDP',
  'samestep-webrtc': 'samestep relay, WebRTC',
  colyseus: 'Colyseus, each input passed on',
  'colyseus-tick': 'Colyseus, one message per tick',
  socketio: 'socket.io, each input passed on',
  'socketio-tick': 'socket.io, one message per tick',
}

async function comparePeers(seconds: number, rounds: number): Promise<Figure[]> {
  const kinds = Object.keys(matchesOf) as Kind[]
  const result = await compare(kinds, seconds, rounds)
  const rows = kinds.map((kind): Figure => {
    const { cpuUs, load } = result(kind)
    const share = `${(load * 100).toFixed(0)} % of a core`
    return {
      name: `${names[kind]}, ${matchesOf[kind]} matches, ${share}`,
      value: cpuUs,
      unit: perTick,
    }
  })
  const ours = result('samestep').cpuUs
  const against = (kind: Kind) => result(kind).cpuUs / ours
  return [
    ...rows,
    { name: 'relay against bare ws', value: 1 / against('ws'), unit: '×', atMost: 1.25 },
    { name: 'Colyseus against relay', value: against('colyseus'), unit: '×', atLeast: 4 },
    { name: 'socket.io against relay', value: against('socketio'), unit: '×', atLeast: 10 },
  ]
}

/**
 * More matches, as many ticks in all: the tick rate goes down as matches go up, since a thousand at 30
 * per second are the work of six cores.
 */
async function compareSizes(seconds: number): Promise<Figure[]> {
  const sizes = [
    { matches: 1, tickRate: 30 },
    { matches: 10, tickRate: 30 },
    { matches: 50, tickRate: 30 },
    { matches: 1_000, tickRate: 2 },
  ]
  const costs: number[] = []
  for (const size of sizes) costs.push((await play('samestep', seconds, size)).cpuUs)
  const rows = sizes.map(({ matches, tickRate }, index): Figure => {
    const name = `relay, ${matches} matches, ${tickRate} ticks/s`
    return { name, value: costs[index] as number, unit: perTick }
  })
  const ratio = (costs[3] as number) / (costs[2] as number)
  return [...rows, { name: '1000 matches against 50', value: ratio, unit: '×', atMost: 1.5 }]
}

async function measureJitter(ours: number, seconds: number): Promise<Figure[]> {
  const matches = Math.round(700_000 / (ours * 8 * 30))
  const busy = await play('samestep', seconds, { matches, withProbe: true })
  const share = `${(busy.load * 100).toFixed(0)} % of a core`
  return [
    {
      name: `tick jitter with ${matches} matches, ${share}, p50`,
      value: busy.jitterP50Ms,
      unit: 'ms',
    },
    { name: 'the same, p99', value: busy.jitterP99Ms, unit: 'ms', atMost: 5 },
    { name: 'a timer of the machine beside it, p99', value: busy.timerP99Ms, unit: 'ms' },
  ]
}

async function makeFigures(isQuick: boolean): Promise<Figure[]> {
  const [seconds, rounds] = isQuick ? [4, 3] : [6, 7]
  const peers = await comparePeers(seconds, rounds)
  const ours = peers.find(({ name }) => name.startsWith(names.samestep))?.value ?? 30
  return [...peers, ...(await compareSizes(seconds)), ...(await measureJitter(ours, seconds))]
}

/** The relay among its peers. The contender only fills the table: what counts are the figures. */
export const suites: readonly Suite[] = [
  {
    name: 'load',
    work: 'nothing; the figures below come from real sockets and other processes',
    baseline: 'nothing',
    prepare: async () => ({
      figures: await makeFigures(process.argv.includes('quick')),
      contenders: { nothing: () => 0 },
    }),
  },
]
