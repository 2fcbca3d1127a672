/**
 * One core of a relay against its peers: what a delivered player-tick costs, with real sockets. Eight
 * players per match, 30 ticks per second, inputs of twelve bytes; players run in another process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Figure, Suite } from '../types.ts'

const folder = join(process.cwd(), 'bench', 'load')

interface Run {
  /** Processor time of the server per delivered player-tick. */
  readonly cpuUs: number
  /** The server's share of one core. */
  readonly load: number
  readonly jitterP50Ms: number
  readonly jitterP99Ms: number
}

async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message')
  child.send(question)
  return (await answer)[0] as T
}

/** Lets players play on a server for some seconds. */
async function play(kind: string, matches: number, seconds: number): Promise<Run> {
  const server = fork(join(folder, `server-${kind}.mjs`), { stdio: 'inherit' })
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  const args = [kind, String(port), String(matches)]
  const players = fork(join(folder, 'players.mjs'), args, { stdio: 'inherit' })
  await once(players, 'message')
  await wait(1)
  await ask(players, 'start')
  const before = await ask<{ cpuUs: number }>(server, 'cpu')
  await wait(seconds)
  const after = await ask<{ cpuUs: number }>(server, 'cpu')
  const counted = await ask<{ delivered: number; jitterP50Ms: number; jitterP99Ms: number }>(
    players,
    'stop',
  )
  server.send('exit')
  const cpuUs = after.cpuUs - before.cpuUs
  return {
    cpuUs: cpuUs / Math.max(counted.delivered, 1),
    load: cpuUs / (seconds * 1_000_000),
    jitterP50Ms: counted.jitterP50Ms,
    jitterP99Ms: counted.jitterP99Ms,
  }
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}

/** The median of several runs that take turns, so that a busy machine is busy for all of them. */
async function compare(kinds: readonly string[], matches: number, seconds: number, rounds: number) {
  const runs = new Map<string, Run[]>(kinds.map((kind) => [kind, []]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) runs.get(kind)?.push(await play(kind, matches, seconds))
  }
  return new Map(
    [...runs].map(([kind, list]) => {
      const sorted = list.sort((a, b) => a.cpuUs - b.cpuUs)
      return [kind, sorted[sorted.length >> 1] as Run]
    }),
  )
}

const perTick = 'µs of CPU per delivered player-tick'

async function makeFigures(isQuick: boolean): Promise<Figure[]> {
  const [seconds, rounds] = isQuick ? [2, 1] : [5, 3]
  const kinds = ['ws', 'samestep', 'colyseus', 'socketio']
  const results = await compare(kinds, 20, seconds, rounds)
  const cost = (kind: string) => results.get(kind)?.cpuUs ?? 0
  const ours = cost('samestep')
  const busy = await play('samestep', 80, seconds)
  return [
    { name: 'bare ws loop, 20 matches', value: cost('ws'), unit: perTick },
    { name: 'samestep relay, 20 matches', value: ours, unit: perTick },
    { name: 'Colyseus, 20 matches', value: cost('colyseus'), unit: perTick },
    { name: 'socket.io, 20 matches', value: cost('socketio'), unit: perTick },
    { name: 'relay against bare ws', value: ours / cost('ws'), unit: '×', atMost: 1.25 },
    { name: 'Colyseus against relay', value: cost('colyseus') / ours, unit: '×', atLeast: 4 },
    { name: 'socket.io against relay', value: cost('socketio') / ours, unit: '×', atLeast: 10 },
    { name: 'relay, 80 matches', value: busy.cpuUs, unit: perTick },
    { name: '80 matches against 20', value: busy.cpuUs / ours, unit: '×', atMost: 1.5 },
    { name: 'share of a core at 80 matches', value: busy.load * 100, unit: '%' },
    { name: 'tick jitter at 80 matches, p99', value: busy.jitterP99Ms, unit: 'ms' },
  ]
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
