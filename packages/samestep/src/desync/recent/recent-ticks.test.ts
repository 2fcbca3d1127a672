import { describe, expect, test } from 'vitest'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { u32 } from '../../sim/schema/index.ts'
import { table } from '../../sim/state/table.ts'
import { BundleHistory } from './bundle-history.ts'
import { LeafHistory } from './leaf-history.ts'
import { RecentTicks } from './recent-ticks.ts'
import { SnapshotRing } from './snapshot-ring.ts'

const tickRate = 10

const game = defineGame({
  id: 'recent',
  version: 1,
  tickRate,
  seats: { min: 1, max: 1 },
  state: { units: table(40_000, { x: u32, y: u32 }) },
  orders: {},
  step({ state, tick }) {
    const row = state.units.add({ x: tick, y: 2 * tick })
    if (tick > 3) state.units.remove(row)
  },
})

/** A match that runs, and all that it keeps. */
function play(bytesMax = 1_000_000) {
  const simulation = createSimulation(game, { seed: 'recent' })
  const chain = new Uint32Array(2)
  const recent = new RecentTicks(
    {
      get tick() {
        return simulation.matchTick
      },
      chain,
      get speedPercent() {
        return simulation.speedPercent
      },
      get tree() {
        return simulation.lastTree
      },
      words: Uint32Array.of(7),
      save: (into) => saveSnapshot(simulation, { encoding: 'raw', into }),
    },
    tickRate,
    bytesMax,
  )
  recent.start()
  const hashes = [simulation.syncHash()]
  const run = (ticks: number, events: SystemEvent[] = []) => {
    for (let count = 0; count < ticks; count++) {
      const tick = simulation.matchTick + 1
      simulation.step({ tick, events: count === 0 ? events : [], inputs: [{}], orders: [] })
      chain[0] = tick
      hashes.push(simulation.syncHash())
      recent.noteRan(Uint8Array.of(tick % 256))
    }
  }
  return { simulation, recent, run, hashes }
}

describe('the last seconds of a match', () => {
  /** Chains, leaves and bundles of these ticks are kept, and of none before or after. */
  const expectKept = ({ recent }: ReturnType<typeof play>, first: number, last: number) => {
    const words = new Uint32Array(2)
    for (let tick = first; tick <= last; tick++) {
      expect(recent.chains.wordsAt(tick, words)).toBe(true)
      expect(words[0]).toBe(tick)
      expect(recent.bundles.at(tick)).toEqual(Uint8Array.of(tick % 256))
      expect(recent.leaves.labelsAt(tick)?.length).toBeGreaterThan(2)
    }
    for (const tick of [first - 1, last + 1]) {
      expect(recent.chains.wordsAt(tick, words)).toBe(false)
      expect(recent.bundles.at(tick)).toBeUndefined()
      expect(recent.leaves.wordsAt(tick)).toBeUndefined()
    }
  }

  test('are kept for a minute at the usual speed: chains, leaves and bundles of every tick', () => {
    const match = play(8_000_000)
    match.run(900)
    expectKept(match, 301, 900)
  })

  test('are kept for 20 s at ten times the speed, with those from before it was so fast', () => {
    const match = play(8_000_000)
    match.run(700)
    const then = Uint32Array.from(match.recent.leaves.wordsAt(150)!)
    match.run(20, [{ type: 'speed', percent: 500 }])
    expectKept(match, 101, 720)
    match.run(580, [{ type: 'speed', percent: 1_000 }])
    expectKept(match, 101, 1_300)
    expect(match.recent.leaves.wordsAt(150)).toEqual(then)
    match.run(1_500)
    expectKept(match, 801, 2_800)
    match.run(100, [{ type: 'speed', percent: 100 }])
    expectKept(match, 901, 2_900)
  })

  test('are kept for 20 s at the speed of a state that was loaded', () => {
    const match = play(8_000_000)
    match.run(1, [{ type: 'speed', percent: 1_000 }])
    match.recent.start()
    match.run(2_500)
    expectKept(match, 502, 2_501)
  })

  test('leaves are those of their tick, although the state has moved on', () => {
    const { simulation, recent, run } = play()
    run(5)
    const then = Uint32Array.from(recent.leaves.wordsAt(5)!)
    const now = new Uint32Array(then.length)
    simulation.syncTree().copyLeaves(now, 0)
    expect(now).toEqual(then)
    run(5)
    expect(recent.leaves.wordsAt(5)).toEqual(then)
    expect(recent.leaves.wordsAt(10)).not.toEqual(then)
  })

  test('a state is kept every second, at the same ticks on every machine', () => {
    const { recent, run } = play()
    run(34)
    expect(recent.states.ticks).toEqual([0, 10, 20, 30])
    expect(recent.states.newestUpTo(29)).toMatchObject({ tick: 20, words: Uint32Array.of(7) })
    expect(recent.states.oldestFrom(21)?.tick).toBe(30)
    expect(recent.states.newestUpTo(-1)).toBeUndefined()
    expect(recent.states.oldestFrom(31)).toBeUndefined()
  })

  test('nothing is kept where nothing may be', () => {
    const { recent, run } = play(0)
    run(50)
    expect([recent.bytes, recent.states.ticks]).toEqual([0, []])
    expect(recent.leaves.labelsAt(50)).toBeUndefined()
  })

  test('of a state that came from elsewhere the first is kept, and nothing from before', () => {
    const { recent, run } = play()
    run(13)
    recent.start()
    expect(recent.states.ticks).toEqual([13])
    expect(recent.bundles.at(13)).toBeUndefined()
    run(1)
    expect(recent.bundles.at(14)).toEqual(Uint8Array.of(14))
  })

  test('memory is bounded, whatever the game does', () => {
    const { recent, run } = play(300_000)
    run(400)
    expect(recent.bytes).toBeLessThanOrEqual(300_000)
    expect(recent.states.ticks.length).toBeGreaterThan(0)
  })
})

describe('the ring of states', () => {
  const words = Uint32Array.of(1)
  const saver = (bytes: number) => ({
    words,
    save: (
      into: Parameters<SnapshotRing['keep']>[1] extends { save(into: infer B): unknown }
        ? B
        : never,
    ) => {
      into.begin()
      into.reserve(bytes)
      into.length = bytes
      into.end()
      return into.bytes.subarray(0, bytes)
    },
  })

  test('of two states, the confirmed one stays until the other is confirmed too', () => {
    const ring = new SnapshotRing(300_000)
    const keep = (tick: number) => ring.keep(tick, saver(100_000), 0)
    expect([keep(0), keep(10), keep(20)]).toEqual([true, true, false])
    ring.noteCompared(9)
    expect([keep(20), ring.ticks]).toEqual([false, [0, 10]])
    ring.noteCompared(12)
    expect([keep(20), ring.ticks]).toEqual([true, [10, 20]])
    expect(keep(30)).toBe(false)
  })

  test('what bundles do not reach back to is given up, confirmed or not', () => {
    const ring = new SnapshotRing(300_000)
    for (const tick of [0, 10]) ring.keep(tick, saver(100_000), 0)
    expect(ring.keep(20, saver(100_000), 5)).toBe(true)
    expect(ring.ticks).toEqual([10, 20])
  })

  test('a state that grows beyond the memory is not kept', () => {
    const ring = new SnapshotRing(300_000)
    ring.keep(0, saver(100_000), 0)
    expect(ring.keep(10, saver(400_000), 0)).toBe(false)
    expect(ring.bytes).toBeLessThanOrEqual(300_000)
  })

  test('a state that cannot be saved is left out', () => {
    const ring = new SnapshotRing(300_000)
    const broken = {
      words,
      save: () => {
        throw new Error('not today')
      },
    }
    expect([ring.keep(0, broken, 0), ring.ticks]).toEqual([false, []])
    expect(ring.keep(10, saver(100), 0)).toBe(true)
  })
})

test('bundles are bounded in bytes, and the oldest go first', () => {
  const bundles = new BundleHistory(100, 1_000)
  for (let tick = 1; tick <= 30; tick++) bundles.note(tick, new Uint8Array(100))
  expect([bundles.bytes, bundles.oldestTick]).toEqual([1_000, 21])
  bundles.note(99, new Uint8Array(1))
  expect([bundles.bytes, bundles.oldestTick, bundles.at(30)]).toEqual([1, 99, undefined])
})

test('leaves of more blocks than before start the history anew, within its bytes', () => {
  const simulation = createSimulation(game, { seed: 'recent' })
  const leaves = new LeafHistory(100, 4_000)
  leaves.note(1, simulation.syncTree())
  for (let row = 0; row < 20_000; row++) simulation.state.units.add({ x: row })
  leaves.note(2, simulation.syncTree())
  expect(leaves.labelsAt(1)).toBeUndefined()
  expect(leaves.labelsAt(2)?.some(({ text }) => text === 'units/x/1')).toBe(true)
  expect(leaves.bytes).toBeLessThanOrEqual(4_000)
})
