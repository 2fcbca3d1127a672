/**
 * What it costs to come into a match that runs: for the newcomer by how long the match has run and by
 * how large its state is, and for the donor in the picture in which the state is copied. Beside it, what
 * running the whole match from its beginning costs, as systems do that keep every packet.
 */
import { digestNow } from '../../packages/samestep/src/client/state/digests.ts'
import {
  copyMatchState,
  saveMatchState,
} from '../../packages/samestep/src/client/state/match-state.ts'
import { playTogether } from '../../packages/samestep/src/driver/together/index.ts'
import { defineGame } from '../../packages/samestep/src/sim/game/definition/define-game.ts'
import { Simulation } from '../../packages/samestep/src/sim/game/run/simulation.ts'
import { sha256JsInto } from '../../packages/samestep/src/sim/hash/sha256.ts'
import { i32 } from '../../packages/samestep/src/sim/schema/index.ts'
import { single } from '../../packages/samestep/src/sim/state/single.ts'
import { table } from '../../packages/samestep/src/sim/state/table.ts'
import { chunkBytes } from '../../packages/samestep/src/wire/messages/state-transfer.ts'
import type { Figure, Suite } from '../types.ts'

const tickRate = 30

/** Sixteen cells per unit, as in `state-sample.ts`. */
const unitBytes = 64

/** Units that a tick moves: the cost of a tick does not follow the size of the state, joins do. */
const moved = 500

/** A game whose state has about so many bytes. */
function makeGame(bytes: number) {
  const columns = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`c${index}`, i32]))
  const units = Math.ceil(bytes / unitBytes)
  return defineGame({
    id: `units-${units}`,
    version: 1,
    tickRate,
    seats: { min: 1, max: 4 },
    state: { units: table(units, columns), at: single({ next: i32 }) },
    orders: {},
    setup({ state, random }) {
      for (let unit = 0; unit < units; unit++) {
        state.units.add({ c0: random.below(1_000_000), c1: random.below(1_000_000) })
      }
    },
    step({ state, tick }) {
      const { c0, c1 } = state.units as unknown as Record<'c0' | 'c1', Int32Array>
      for (let count = 0; count < moved; count++) {
        const unit = (tick * moved + count) % units
        c0[unit] = ((c0[unit] as number) + (c1[unit] as number)) | 0
      }
      state.at.next = tick
    },
  })
}

function simulationOf(bytes: number) {
  const simulation = new Simulation(makeGame(bytes), { seed: 'bench', matchId: 'bench', seats: 2 })
  const inputs = [{}, {}] as never
  const step = () =>
    simulation.step({ tick: simulation.matchTick + 1, events: [], inputs, orders: [] })
  step()
  return { simulation, step }
}

const words = new Uint32Array(2)

function median(runs: number, work: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const startMs = performance.now()
    work()
    return performance.now() - startMs
  })
  return times.sort((a, b) => a - b)[runs >> 1] as number
}

/** What one picture of a donor takes: the copies alone, and with all else in the same tick. */
function donorFigures(megabytes: number): Figure[] {
  const { simulation } = simulationOf(megabytes * 1_000_000)
  const spare = new Uint8Array(copyMatchState(simulation, words).byteLength)
  const runs = megabytes > 1 ? 9 : 31
  const out = new Uint8Array(32)
  const hash = (bytes: Uint8Array) => sha256JsInto(bytes, out, 0)
  const all = () => {
    const bytes = saveMatchState(simulation, words)
    hash(copyMatchState(simulation, words, spare))
    for (let at = 0; at < bytes.length; at += chunkBytes) hash(bytes.subarray(at, at + chunkBytes))
  }
  const copies = () => {
    saveMatchState(simulation, words)
    copyMatchState(simulation, words, spare)
  }
  const report = () => copyMatchState(simulation, words, spare)
  const of = `of ${megabytes} MB`
  return [
    { name: `in the tick, as it was: copy and hash ${of}`, value: median(runs, all), unit: 'ms' },
    { name: `in the tick: copies for a newcomer ${of}`, value: median(runs, copies), unit: 'ms' },
    { name: `in the tick: copy for the hash ${of}`, value: median(runs, report), unit: 'ms' },
  ]
}

interface Joined {
  /** By the clock of the match. */
  readonly waitMs: number
  /** Of the process: the relay, two players and the newcomer. */
  readonly cpuMs: number
}

/** A third player comes to a match of two that has run for so long. Lines of 20 ms and 50 Mbit. */
async function joinAfter(game: ReturnType<typeof makeGame>, minutes: number): Promise<Joined> {
  const world = await playTogether(game, {
    players: 2,
    seats: 3,
    lobby: { start: 'by-owner', countdownMs: 0 },
    conditions: { latencyMs: 10, bytesPerSecond: 6_250_000, queueBytes: 1_000_000 },
    development: false,
  })
  world.matches[0]?.act({ type: 'start' })
  await world.advance(minutes * 60_000)
  const startMs = world.nowMs
  const cpu = process.cpuUsage()
  const late = await world.join()
  await world.advanceUntil(() => late.playState().name === 'active', 120_000)
  const { user, system } = process.cpuUsage(cpu)
  const waitMs = world.nowMs - startMs
  world.expectInSync()
  world.close()
  return { waitMs, cpuMs: (user + system) / 1_000 }
}

/** All ticks of a match, as fast as this machine runs them: what a newcomer without a state does. */
function replay(bytes: number, minutes: number): number {
  const { step } = simulationOf(bytes)
  const startMs = performance.now()
  for (let tick = 0; tick < minutes * 60 * tickRate; tick++) step()
  return performance.now() - startMs
}

const smallBytes = 100_000

async function lengthFigures(): Promise<Figure[]> {
  const game = makeGame(smallBytes)
  const figures: Figure[] = []
  for (const [minutes, label] of [
    [1, '1 min'],
    [10, '10 min'],
    [120, '2 h'],
  ] as const) {
    const { waitMs, cpuMs } = await joinAfter(game, minutes)
    figures.push(
      // Flat: the same promise for every length.
      { name: `join after ${label}, until active`, value: waitMs, unit: 'ms', atMost: 2_000 },
      { name: `join after ${label}, CPU of everybody`, value: cpuMs, unit: 'ms' },
      { name: `all ticks of ${label} instead`, value: replay(smallBytes, minutes), unit: 'ms' },
    )
  }
  return figures
}

async function sizeFigures(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const megabytes of [0.1, 1, 16]) {
    const { waitMs, cpuMs } = await joinAfter(makeGame(megabytes * 1_000_000), 0.25)
    figures.push(
      { name: `join with a state of ${megabytes} MB, until active`, value: waitMs, unit: 'ms' },
      { name: `join with a state of ${megabytes} MB, CPU`, value: cpuMs, unit: 'ms' },
    )
  }
  return figures
}

/** Ticks per second of a machine that does nothing else. */
function catchUpFigure(): Figure {
  const minutes = 2
  const value = (minutes * 60 * tickRate * 1_000) / replay(smallBytes, minutes)
  return { name: 'catch-up, a state of 0.1 MB', value, unit: 'ticks/s' }
}

/** See the head of this file. */
export const suites: readonly Suite[] = [
  {
    name: 'join: donor',
    work: 'what a state of 0.64 MB costs its donor',
    baseline: 'copy for the hash',
    prepare: () => {
      const { simulation } = simulationOf(640_000)
      const spare = new Uint8Array(copyMatchState(simulation, words).byteLength)
      return {
        contenders: {
          'copy for the hash': () => copyMatchState(simulation, words, spare),
          'copy for a newcomer': () => saveMatchState(simulation, words),
          "hash of it, the platform's": () => digestNow({ bytes: spare, pieceBytes: spare.length }),
          'hash of it, our own': () => sha256JsInto(spare, new Uint8Array(32), 0),
        },
        figures: [0.1, 0.6, 6, 16].flatMap(donorFigures),
      }
    },
  },
  {
    name: 'join: newcomer',
    work: 'one tick of a match with a state of 0.1 MB',
    baseline: 'one tick',
    prepare: async () => {
      const { step } = simulationOf(smallBytes)
      const figures = [catchUpFigure(), ...(await lengthFigures()), ...(await sizeFigures())]
      return { contenders: { 'one tick': step }, figures }
    },
  },
]
