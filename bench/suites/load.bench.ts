/**
 * One core of a relay among its peers: what a delivered player-tick costs, with real sockets. Eight
 * players per match, inputs of twelve bytes; players run in another process and send alike to all.
 *
 * Every server has the load that takes about a third of a core: what an operator gets out of a machine
 * is told by a machine that works, and cost per tick falls with load for everybody. They take turns of a
 * second or two, and ratios are those of one round: see `contestants.ts`.
 */
import type { GapWindow, Turn } from '../contestants.ts'
import { Contestant, compete } from '../contestants.ts'
import { median, pairedRatios, quantile } from '../stats.ts'
import type { Figure, Suite } from '../types.ts'

/** Matches that take about a third of a core. */
const matchesOf = {
  ws: 60,
  samestep: 57,
  'samestep-plain': 45,
  'samestep-udp': 30,
  'samestep-webrtc': 10,
  colyseus: 13,
  'colyseus-tick': 42,
  socketio: 6,
  'socketio-tick': 12,
} as const

type Kind = keyof typeof matchesOf

const names: Readonly<Record<Kind, string>> = {
  ws: 'bare ws loop, one message per tick',
  samestep: 'samestep relay, WebSocket',
  'samestep-plain': 'startRelay without turbo, WebSocket',
  'samestep-udp': 'samestep relay, encrypted UDP',
  'samestep-webrtc': 'samestep relay, WebRTC',
  colyseus: 'Colyseus, each input passed on',
  'colyseus-tick': 'Colyseus, one message per tick',
  socketio: 'socket.io, each input passed on',
  'socketio-tick': 'socket.io, one message per tick',
}

/** Of whom something is promised, or compared, take turns. The others do not, since WebRTC bears no long halts. */
const promised: readonly Kind[] = ['ws', 'samestep', 'samestep-plain', 'colyseus', 'socketio']

const perTick = 'µs of CPU per delivered player-tick'

const costsOf = (turns: readonly Turn[]) => turns.map(({ cpuUs }) => cpuUs)
const costOf = (turns: readonly Turn[]) => median(costsOf(turns))

/** The median of how many times the first cost the second, each in its own round. */
function ratioOf(turns: readonly Turn[], against: readonly Turn[]): number {
  return median(pairedRatios(costsOf(turns), costsOf(against)))
}

async function comparePeers(rounds: number): Promise<Figure[]> {
  const kinds = Object.keys(matchesOf) as Kind[]
  const entryOf = (kind: Kind) => ({ kind, matches: matchesOf[kind] })
  const turns = new Map<Kind, Turn[]>()
  const inTurns = await compete(promised.map(entryOf), rounds, 1.5)
  for (const [index, kind] of promised.entries()) turns.set(kind, inTurns[index] as Turn[])
  for (const kind of kinds) {
    if (!turns.has(kind)) turns.set(kind, (await compete([entryOf(kind)], 3, 1.5))[0] as Turn[])
  }
  const turnsOf = (kind: Kind) => turns.get(kind) as Turn[]
  const rows = kinds.map((kind): Figure => {
    const share = Math.round(median(turnsOf(kind).map(({ load }) => load)) * 100)
    const name = `${names[kind]}, ${matchesOf[kind]} matches, ${share} % of a core`
    return { name, value: costOf(turnsOf(kind)), unit: perTick }
  })
  const ours = turnsOf('samestep')
  const bare = ratioOf(ours, turnsOf('ws'))
  const plain = ratioOf(turnsOf('samestep-plain'), turnsOf('ws'))
  const colyseus = ratioOf(turnsOf('colyseus'), ours)
  const socketio = ratioOf(turnsOf('socketio'), ours)
  return [
    ...rows,
    { name: 'relay against bare ws', value: bare, unit: '×', atMost: 1.05 },
    { name: 'without turbo against bare ws, aim 1.3', value: plain, unit: '×' },
    { name: 'Colyseus against relay', value: colyseus, unit: '×', atLeast: 4 },
    { name: 'socket.io against relay', value: socketio, unit: '×', atLeast: 10 },
  ]
}

/**
 * More matches, as many ticks in all: the tick rate goes down as matches go up, since a thousand at 30
 * per second are the work of six cores.
 */
async function compareSizes(rounds: number): Promise<Figure[]> {
  const sizes = [
    { matches: 1, tickRate: 30 },
    { matches: 10, tickRate: 30 },
    { matches: 50, tickRate: 30 },
    { matches: 1_000, tickRate: 2 },
  ]
  const entries = sizes.map((size) => ({ kind: 'samestep', ...size }))
  const turns = await compete(entries, rounds, 2)
  const rows = sizes.map(({ matches, tickRate }, index): Figure => {
    const name = `relay, ${matches} matches, ${tickRate} ticks/s`
    return { name, value: costOf(turns[index] as Turn[]), unit: perTick }
  })
  const ratio = ratioOf(turns[3] as Turn[], turns[2] as Turn[])
  return [...rows, { name: '1000 matches against 50', value: ratio, unit: '×', atMost: 1.5 }]
}

/**
 * How even ticks are at 70 % of a core. A machine that stands still for a while makes every tick late:
 * so what is promised is looked at in the seconds in which the machine was the most even, by the timer.
 */
async function measureJitter(ours: number, seconds: number): Promise<Figure[]> {
  const matches = Math.round(700_000 / (ours * 8 * 30))
  const busy = await Contestant.enter({ kind: 'samestep', matches })
  const { load, windows } = await busy.feel(seconds).finally(() => busy.leave())
  const share = `${(load * 100).toFixed(0)} % of a core`
  const even = evenest(windows)
  const ticks = (some: readonly GapWindow[], rank: number) =>
    quantile(
      some.flatMap((window) => window.ticks),
      rank,
    )
  const timers = (some: readonly GapWindow[]) =>
    quantile(
      some.flatMap((window) => window.timers),
      0.99,
    )
  const ms = (name: string, value: number): Figure => ({ name, value, unit: 'ms' })
  return [
    ms(`tick jitter with ${matches} matches, ${share}, p50`, ticks(windows, 0.5)),
    ms('the same, p99', ticks(windows, 0.99)),
    ms('a timer of the machine beside it, p99', timers(windows)),
    { ...ms('tick jitter in the evener half of the seconds, p99', ticks(even, 0.99)), atMost: 5 },
    ms('the timer in those seconds, p99', timers(even)),
  ]
}

/** The half of the seconds in which the timer was off the least. */
function evenest(windows: readonly GapWindow[]): readonly GapWindow[] {
  const worst = ({ timers }: GapWindow) => Math.max(0, ...timers)
  return [...windows].sort((a, b) => worst(a) - worst(b)).slice(0, Math.ceil(windows.length / 2))
}

async function makeFigures(isQuick: boolean): Promise<Figure[]> {
  const [rounds, seconds] = isQuick ? [12, 20] : [40, 60]
  const peers = await comparePeers(rounds)
  const ours = peers.find(({ name }) => name.startsWith(names.samestep))?.value ?? 30
  const sizes = await compareSizes(isQuick ? 4 : 12)
  return [...peers, ...sizes, ...(await measureJitter(ours, seconds))]
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
