/** Debug levels, as a developer meets them: in a match, by what it tells and keeps. */
import { describe, expect, test } from 'vitest'
import type { DebugFile } from '../../client/debug/debug-level.ts'
import { overviewOf } from '../../record/index.ts'
import { loadSnapshot, readSnapshotMatch } from '../../sim/game/copies/snapshots.ts'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { derived } from '../../sim/game/derived/derived.ts'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import { runHeadless } from '../headless/run-headless.ts'
import { playLocal } from '../local/play-local.ts'
import type { MatchFault } from '../match/fault-log.ts'
import { single, table, u32 } from '../testing/kit.ts'
import { playTogether } from '../together/play-together.ts'

const tickRate = 20

interface Ways {
  readonly step?: (sum: { sum: number }, tick: number) => void
  readonly validate?: (state: { all: { sum: number } }) => void
}

/** A game that adds up, and what a mistake makes of it. */
function makeGame({ step, validate }: Ways = {}) {
  return defineGame({
    id: 'levels',
    version: 1,
    tickRate,
    seats: { min: 1, max: 4 },
    state: { all: single({ sum: u32, hits: u32 }), units: table(8, { x: u32 }) },
    orders: { hit: {} },
    setup({ state }) {
      state.units.add({ x: 1 })
    },
    validate({ state }) {
      validate?.(state as never)
      return true
    },
    apply({ state }) {
      state.all.hits += 1
    },
    systems: [
      {
        name: 'count',
        run({ state, tick }) {
          state.units.x[0]! += tick
          step?.(state.all, tick)
        },
      },
    ],
  })
}

/** Plays two players for three seconds; the first debugs. */
async function play(game: ReturnType<typeof makeGame>, debugLevel: 0 | 1 | 2 | 3 | 4, debug = {}) {
  const options = { debugLevel, debug, guard: false, development: false }
  const world = await playTogether(game, { players: 2, ...options })
  const faults: MatchFault[] = []
  const match = world.matches[0]!
  match.on('fault', (fault) => faults.push(fault))
  match.order('hit', {})
  await world.advance(3_000)
  return { world, match, faults }
}

test.each([0, 1, 2, 3, 4] as const)(
  'level %i finds nothing where nothing is wrong',
  async (level) => {
    const { world, match, faults } = await play(makeGame(), level)
    expect(faults).toEqual([])
    expect(match.debug.level).toBe(level)
    expect(match.simulation.tick).toBeGreaterThan(50)
    world.expectInSync()
    world.close()
  },
)

describe('what a level finds is told with tick, level, place and line', () => {
  test('level 2: a tick that gives two results', async () => {
    let calls = 0
    const step = (all: { sum: number }, tick: number) => {
      calls += 1
      if (tick === 10) all.sum += calls
    }
    const { world, faults } = await play(makeGame({ step }), 2)
    expect(faults).toMatchObject([
      {
        tick: 10,
        where: 'debug',
        name: 'all.sum',
        finding: { check: 'two-results', level: 2, writer: "step 'count'" },
      },
    ])
    expect(faults[0]?.finding?.site).toMatchObject({ file: expect.stringMatching(/levels\.test/) })
    expect(String(faults[0]?.error)).toMatch(/all\.sum.*step 'count' at .*levels\.test\.ts:\d+/)
    world.close()
  })

  test('level 2: a write from outside of ticks', async () => {
    const { world, match, faults } = await play(makeGame(), 2)
    const { tick } = match.simulation
    match.simulation.state.all.sum = 77
    await world.advance(500)
    expect(faults).toMatchObject([
      {
        tick,
        name: 'all.sum',
        finding: { check: 'outside-write', differences: [{ mine: 77, theirs: 0 }] },
      },
    ])
    world.close()
  })

  test('level 2: a validate that writes', async () => {
    const validate = ({ all }: { all: { sum: number } }) => {
      all.sum += 1
    }
    const { world, faults } = await play(makeGame({ validate }), 2)
    expect(faults).toMatchObject([
      { name: 'all.sum', finding: { check: 'impure', writer: "validate 'hit'" } },
    ])
    expect(faults[0]?.finding?.site?.file).toMatch(/levels\.test/)
    world.close()
  })

  test('level 2: derived data that is not what it should be', async () => {
    const game = defineGame({
      id: 'kept',
      version: 1,
      tickRate,
      seats: { min: 1, max: 2 },
      state: { all: single({ sum: u32 }) },
      derived: {
        copy: derived((state: { all: { sum: number } }) => ({ sum: state.all.sum }), {
          refresh: 'load',
        }),
      },
      orders: { hit: {} },
      step({ state, derived: { copy }, tick }) {
        state.all.sum += 1
        // Kept up to date, but for one tick.
        if (tick !== 12) copy.sum = state.all.sum
      },
    })
    const { world, faults } = await play(game as never, 2)
    expect(faults).toMatchObject([
      {
        tick: 12,
        name: 'derived.copy.sum',
        finding: { check: 'derived', differences: [{ mine: '11', theirs: '12' }] },
      },
    ])
    world.close()
  })

  test('level 4: state that no snapshot has', async () => {
    // One number per simulation, which all of them keep alike while nobody joins.
    const hidden = new WeakMap<object, number>()
    const step = (all: { sum: number }) => {
      const next = (hidden.get(all) ?? 0) + 1
      hidden.set(all, next)
      all.sum = next
    }
    const below = await play(makeGame({ step }), 3)
    expect(below.faults).toEqual([])
    below.world.close()
    const { world, faults } = await play(makeGame({ step }), 4)
    expect(faults[0]).toMatchObject({
      name: 'all.sum',
      finding: { check: 'shadow-differs', level: 4, writer: "step 'count'" },
    })
    expect(faults[0]?.finding?.site?.file).toMatch(/levels\.test/)
    world.close()
  })
})

describe('what a level keeps', () => {
  test('level 1: an order log, which is a record of every tick with its hash', async () => {
    const { world, match } = await play(makeGame(), 1)
    const [log] = await match.debug.files()
    expect(log?.name).toBe(`${match.simulation.matchId}_0000000000.ssrc`)
    const { matches, torn } = overviewOf([log!.bytes])
    expect(torn).toBeUndefined()
    const { matchTick } = match.simulation
    expect(matches).toMatchObject([
      { name: 'together', firstTick: 1, lastTick: matchTick, gaps: [] },
    ])
    expect(matches[0]?.entries).toMatchObject({ bundle: matchTick, hash: matchTick })
    expect(match.timings?.scopes.map(({ name }) => name)).toContain('count')
    world.close()
  })

  test('a log that begins later begins with the state of then', async () => {
    const { world, match } = await play(makeGame(), 0)
    expect(await match.debug.files()).toEqual([])
    expect(match.timings).toBeUndefined()
    const { matchTick } = match.simulation
    match.debug.setLevel(1)
    await world.advance(1_000)
    const [log] = await match.debug.files()
    const [seen] = overviewOf([log!.bytes]).matches
    expect(seen?.firstTick).toBe(matchTick + 1)
    expect(seen?.gaps).toMatchObject([{ firstTick: 1, lastTick: matchTick, why: 'trimmed' }])
    expect(seen?.entries.snapshot).toBe(1)
    match.debug.setLevel(0)
    expect(match.timings).toBeUndefined()
    world.close()
  })

  test('level 2: the writes of the last ticks', async () => {
    const { world, match } = await play(makeGame(), 2)
    const writes = await match.debug.writes()
    expect(writes.at(-1)).toMatchObject({
      tick: match.simulation.tick,
      where: 'step',
      name: 'count',
      part: 'units',
      row: 0,
      field: 'x',
    })
    world.close()
  })

  test('level 3: snapshots that load, as many as fit', async () => {
    const game = makeGame()
    const { world, match } = await play(game, 3, { snapshotEveryTicks: 10, snapshotsMax: 3 })
    const files = (await match.debug.files()).filter(({ name }) => name.endsWith('.snap'))
    expect(files).toHaveLength(3)
    const [first] = files
    const tick = Number(first?.name.match(/_(\d{10})\.snap$/)?.[1])
    expect(tick % 10).toBe(0)
    const terms = readSnapshotMatch(game, first!.bytes)
    const simulation = createSimulation(game, { seed: 1, ...terms })
    loadSnapshot(simulation, first!.bytes)
    expect(simulation.matchTick).toBe(tick)
    world.close()
  })

  test('is handed on as it is made where somebody saves it', async () => {
    const saved = new Map<string, number>()
    const save = ({ name, bytes }: DebugFile) =>
      saved.set(name, (saved.get(name) ?? 0) + bytes.byteLength)
    const { world, match } = await play(makeGame(), 3, { snapshotEveryTicks: 30, save })
    expect(await match.debug.files()).toEqual([])
    const { matchId } = match.simulation
    expect([...saved.keys()].sort()).toEqual([
      `${matchId}_0000000000.ssrc`,
      `${matchId}_0000000030.snap`,
    ])
    world.close()
  })

  test('a log in memory is bounded: it begins anew', async () => {
    const { world, match } = await play(makeGame(), 1, { logBytesMax: 700 })
    const [log, ...others] = await match.debug.files()
    expect(others).toEqual([])
    expect(log!.bytes.byteLength).toBeLessThan(1_400)
    expect(overviewOf([log!.bytes])).toMatchObject({ torn: undefined })
    world.close()
  })
})

describe('a relay that asks for a level', () => {
  test.each([
    ['nothing', {}, 0],
    ['what was allowed', { relayDebugLevelMax: 2 }, 2],
    ['what it asks for', { relayDebugLevelMax: 4 }, 3],
    ['no less than the game has', { relayDebugLevelMax: 1, debugLevel: 4 }, 4],
  ] as const)('gets %s', async (_what, options, level) => {
    const world = await playTogether(makeGame(), { relayDebugLevel: 3, guard: false, ...options })
    await world.advance(500)
    const [first] = world.matches
    expect(first?.debug.level).toBe(level)
    const names = (await first!.debug.files()).map(({ name }) => name.slice(-5))
    expect(names).toEqual(level > 0 ? ['.ssrc'] : [])
    world.expectInSync()
    world.close()
  })
})

test('a level alone, without a relay: loaded when it is asked for', async () => {
  const match = playLocal(makeGame(), { debugLevel: 4, guard: false })
  const faults: MatchFault[] = []
  match.on('fault', (fault) => faults.push(fault))
  await import('../../client/debug/level-watch.ts')
  await runHeadless(match, { mode: 'as-fast-as-possible', untilTick: 100 })
  expect(faults).toEqual([])
  expect((await match.debug.files()).map(({ name }) => name.slice(-5))).toEqual(['.ssrc'])
  match.close()
})

test('what is no level is refused', () => {
  expect(() => playLocal(makeGame(), { debugLevel: 5 as never })).toThrow(/from 0 \(off\) to 4/)
  const match = playLocal(makeGame())
  expect(() => match.debug.setLevel(1.5 as never)).toThrow(/level 1\.5/)
  match.close()
})
