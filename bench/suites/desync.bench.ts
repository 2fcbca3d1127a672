/**
 * What it costs to be able to explain a desync: per tick at every debug level, in bytes when a fault is
 * looked for, and in time until it is found on one machine with a relay and three players.
 */
import { injectDesync } from '../../packages/samestep/src/desync/inject.ts'
import { RecentTicks } from '../../packages/samestep/src/desync/recent/recent-ticks.ts'
import { playLocal } from '../../packages/samestep/src/driver/local/play-local.ts'
import { joinMatch } from '../../packages/samestep/src/driver/online/join-match.ts'
import { playTogether } from '../../packages/samestep/src/driver/together/play-together.ts'
import { startRelay } from '../../packages/samestep/src/server/start-relay.ts'
import { saveSnapshot } from '../../packages/samestep/src/sim/game/copies/snapshots.ts'
import type {
  GameState,
  StepContext,
} from '../../packages/samestep/src/sim/game/definition/context.ts'
import { defineGame } from '../../packages/samestep/src/sim/game/definition/define-game.ts'
import { createSimulation } from '../../packages/samestep/src/sim/game/run/simulation.ts'
import { SyncTree } from '../../packages/samestep/src/sim/hash/tree.ts'
import { i32, u16 } from '../../packages/samestep/src/sim/schema/index.ts'
import { table } from '../../packages/samestep/src/sim/state/table.ts'
import type { Contender, Figure, Suite } from '../types.ts'

const units = 10_000
const tickRate = 20

const state = { units: table(units, { x: i32, y: i32, vx: i32, vy: i32, hp: u16, cell: u16 }) }

type Tick = StepContext<{ state: typeof state }>

/** Each unit looks at the next sixteen in its line, as a small game does at its neighbours. */
function move({ state: { units: all }, tick }: Tick): void {
  const { x, y, vx, vy } = all
  for (let row = 0; row < units; row++) {
    let pull = 0
    for (let next = 1; next <= 16; next++) {
      const other = (row + next) % units
      const dx = x[other]! - x[row]!
      const dy = y[other]! - y[row]!
      if (Math.abs(dx) + Math.abs(dy) < 4_096) pull += dx > 0 ? 1 : -1
    }
    vx[row] = Math.max(-64, Math.min(64, vx[row]! + pull))
    vy[row] = Math.max(-64, Math.min(64, vy[row]! - pull))
  }
  for (let row = 0; row < units; row++) {
    x[row]! += vx[row]!
    y[row]! += vy[row]!
    if ((row + tick) % 16 === 0) all.hp[row] = (all.hp[row]! + 1) & 0x3ff
    all.cell[row] = (x[row]! >> 8) & 0xffff
  }
}

const crowd = defineGame({
  id: 'crowd',
  version: 1,
  tickRate,
  seats: { min: 1, max: 4 },
  state,
  setup({ state: { units: all } }: { readonly state: GameState<{ state: typeof state }> }) {
    for (let row = 0; row < units; row++) all.add({ x: row * 37, y: (row * 91) % 4_096 })
  },
  systems: [{ name: 'move', run: move }],
})

/** The step of the game, without hashing it. */
function stepAlone(): Contender {
  const { parts } = createSimulation(crowd, { seed: 1, development: false })
  const context = { state: parts.live, tick: 0 } as unknown as {
    -readonly [K in keyof Tick]: Tick[K]
  }
  return () => {
    context.tick += 1
    move(context)
    parts.normalise()
  }
}

/** What level 0 adds to a step: the hash, and what is kept of it for 20 s. */
function levelZeroAlone(): Contender {
  const simulation = createSimulation(crowd, { seed: 1, development: false })
  const tree = new SyncTree()
  let tick = 0
  const recent = new RecentTicks(
    {
      get tick() {
        return tick
      },
      chain: new Uint32Array(2),
      speedPercent: 100,
      tree,
      words: new Uint32Array(2),
      save: (into) => saveSnapshot(simulation, { encoding: 'raw', into }),
    },
    tickRate,
    8 * 1_024 * 1_024,
  )
  const bundle = new Uint8Array(8)
  return () => {
    tick += 1
    tree.update(simulation.parts, simulation.parts.memory)
    recent.noteRan(bundle)
  }
}

/** A whole match of one player at a level, tick by tick. */
async function playing(level: 0 | 1 | 2 | 3 | 4): Promise<Contender> {
  const match = playLocal(crowd, { development: false, guard: false })
  let nowMs = 0
  const next = () => {
    const before = match.simulation.matchTick
    while (match.simulation.matchTick === before) {
      nowMs += 1_000 / tickRate
      match.advance(nowMs)
    }
  }
  next()
  match.debug.setLevel(level)
  // The module of the levels comes by itself; it is in this bundle already.
  while (level > 0 && (await match.debug.files()).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    next()
  }
  return next
}

/**
 * Bytes of one client beside its usual ones while a fault is located and traced, and the seconds that it
 * takes: in virtual time, on a clear line, where computing takes none.
 */
async function searchInVirtualTime(): Promise<{ bytes: number; seconds: number }> {
  const options = { players: 3, development: false, guard: false }
  const world = await playTogether(crowd, options)
  await world.advance(3_000)
  const match = world.matches[0]!
  const bytes = () => match.statistics.bytesSent + match.statistics.bytesReceived
  const start = bytes()
  await world.advance(3_000)
  const usual = bytes() - start
  let tracedMs = Number.NaN
  match.on('desync', ({ stage }) => {
    if (stage === 'traced') tracedMs = world.nowMs
  })
  const badMs = world.nowMs
  injectDesync(world.matches[1]!.simulation as never, 'units.hp[4321]')
  const bad = bytes()
  await world.advance(3_000)
  if (Number.isNaN(tracedMs)) throw new Error('The fault was not traced within 3 s')
  // A closed match has no line any more, and no bytes.
  const extra = bytes() - bad - usual
  world.close()
  return { bytes: extra, seconds: (tracedMs - badMs) / 1_000 }
}

/** Seconds from the bad tick to the finished report: a relay and three players over loopback. */
async function secondsToReport(): Promise<number> {
  await using relay = await startRelay({ port: 0, udp: false, webrtc: false, log: false })
  const url = relay.urls.websocket as string
  const players = await Promise.all(
    [0, 1, 2].map((index) =>
      joinMatch(crowd, { url, match: 'bench', name: `p${index}`, seats: 3, development: false }),
    ),
  )
  const isRunning = () => players.every(({ cursors }) => cursors.simulatedTick > 3 * tickRate)
  while (!isRunning()) await new Promise((resolve) => setTimeout(resolve, 20))
  const traced = new Promise<number>((resolve) => {
    players[0]!.on('desync', ({ stage }) => {
      if (stage === 'traced') resolve(performance.now())
    })
  })
  const startMs = performance.now()
  injectDesync(players[1]!.simulation as never, 'units.hp[4321]')
  const seconds = ((await traced) - startMs) / 1_000
  for (const player of players) player.close()
  return seconds
}

async function figures(): Promise<Figure[]> {
  const simulation = createSimulation(crowd, { seed: 1, development: false })
  const dump = saveSnapshot(simulation, { encoding: 'raw' }).byteLength
  const { bytes, seconds } = await searchInVirtualTime()
  return [
    { name: 'bytes of one client to trace a fault', value: bytes, unit: 'B', atMost: 65_536 },
    { name: 'a full dump of one client', value: dump, unit: 'B' },
    { name: 'bad tick to report, computing aside', value: seconds, unit: 's', atMost: 2 },
    { name: 'bad tick to report', value: await secondsToReport(), unit: 's', atMost: 2 },
  ]
}

/** The suites of this file. */
export const suites: readonly Suite[] = [
  {
    name: 'desync',
    work: `one tick of ${units} units, ${units} × 5 writes`,
    baseline: 'step alone',
    targets: [{ of: 'what level 0 adds', against: 'step alone', atMost: 0.03 }],
    prepare: async () => ({
      contenders: {
        'step alone': stepAlone(),
        'what level 0 adds': levelZeroAlone(),
        'match at level 0': await playing(0),
        'match at level 1': await playing(1),
        'match at level 2': await playing(2),
        'match at level 3': await playing(3),
        'match at level 4': await playing(4),
      },
      figures: await figures(),
    }),
  },
]
