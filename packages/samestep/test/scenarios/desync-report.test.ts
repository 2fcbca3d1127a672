import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reproduce } from '../../src/cli/desync/reproduce.ts'
import { textOf } from '../../src/cli/desync/show-desync.ts'
import { injectDesync } from '../../src/desync/inject.ts'
import type { DesyncFile } from '../../src/desync/report-file.ts'
import { decodeDesyncFile } from '../../src/desync/report-file.ts'
import type { SavableReport } from '../../src/driver/match/savable-report.ts'
import { playTogether } from '../../src/driver/together/play-together.ts'
import type { TestWorld } from '../../src/driver/together/test-world.ts'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i32, text, u8 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'

/** Counts across runs: what a module keeps beside the state. */
let kept = 0

/** A game, whose code is a little different from some tick on, or differs from run to run. */
function makeGame(quirk: 'none' | 'value' | 'other' | 'chance' = 'none', fromTick = 0) {
  return defineGame({
    id: 'reported',
    version: 1,
    tickRate: 20,
    seats: { min: 2, max: 5 },
    state: { units: table(200, { x: i32, hp: u8 }), score: single({ sum: i32 }) },
    orders: { push: { by: i32 }, note: { text: text(400) } },
    input: { speed: u8 },
    setup({ state }) {
      for (let row = 0; row < 100; row++) state.units.add({ x: row, hp: 10 })
    },
    apply({ state, order }) {
      if (order.type === 'push') state.score.sum += order.data.by
    },
    step({ state, tick, inputs }) {
      const isOdd = quirk !== 'none' && tick >= fromTick
      const step = quirk === 'value' ? 2 : quirk === 'chance' ? ++kept % 50 : 3
      for (let row = 0; row < 100; row++) {
        state.units.x[row] = (state.units.x[row] as number) + (isOdd && row === 60 ? step : 1)
      }
      state.score.sum += inputs.reduce((sum, { speed }) => sum + speed, 0)
    },
  })
}

let world: { close(): void } | undefined

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
})

afterEach(() => {
  world?.close()
  vi.restoreAllMocks()
})

interface Play {
  readonly ticksBefore: number
  readonly quirk?: 'value' | 'chance'
  /** Whether so much is ordered that the record is longer than a state. */
  readonly isTalkative?: true
  readonly handleDesync?: (report: SavableReport) => void
  readonly options?: { readonly desyncMemoryBytes?: number }
}

/** Three players, the last of whom goes his own way; and the report of it. */
async function report({ ticksBefore, quirk, isTalkative, handleDesync, options = {} }: Play) {
  const fromTick = ticksBefore + 1
  const made = await playTogether(makeGame(), {
    players: 0,
    seats: 3,
    development: false,
    conditions: { latencyMs: 20 },
    ...options,
  })
  world = made
  for (const player of [0, 1, 2]) {
    const isOdd = player === 2 && quirk !== undefined
    const match = await made.join(isOdd ? { game: makeGame(quirk, fromTick) } : {})
    match.input({ speed: player })
    if (handleDesync !== undefined) match.on('desync', handleDesync)
  }
  while (made.matches[0]!.simulation.matchTick < ticksBefore - 10) {
    // A record of this fills up sooner than one of silence.
    if (isTalkative) made.matches[0]!.order('note', { text: 'x'.repeat(400) })
    await made.advance(100)
  }
  made.matches[1]!.order('push', { by: 7 })
  if (quirk === undefined) {
    await made.advanceUntil(() => made.matches[0]!.simulation.matchTick >= ticksBefore)
    injectDesync(made.matches[2]!.simulation, 'units.hp[5]')
  }
  await made.advanceUntil(() => made.desyncs.length > 0, 30_000)
  return decodeDesyncFile(made.desyncs[0]!)
}

const plain = (game: ReturnType<typeof makeGame>) => game as unknown as Game

describe('the report of a short match', () => {
  test('holds all of its bundles, and anybody can run the tick again', async () => {
    const file = await report({ ticksBefore: 60, quirk: 'value' })
    expect(file).toMatchObject({ tick: 61, culprits: [2], record: { firstTick: 1 } })
    expect(file.sides.map(({ stateOutcome }) => stateOutcome)).toEqual(['not-needed', 'not-needed'])
    const sound = reproduce(file, plain(makeGame()))
    expect(sound).toMatchObject({ tick: 61, fromTick: 0, isStable: true, happens: false })
    expect(sound.compared.map(({ differsAt }) => differsAt)).toEqual([undefined, 61])
    expect(sound.compared[1]?.write).toMatchObject({
      isOrBefore: false,
      here: { part: 'units', row: 60, field: 'x', before: '120', after: '121' },
      there: { part: 'units', row: 60, field: 'x', before: '120', after: '122' },
    })
    const shown = textOf(file, plain(makeGame()))
    expect(shown).toMatch(/tick \d+ {2}seat 1: push {"by":7}/)
    expect(shown).toContain('reruns tick 61 from the setup of the match')
  })
})

describe('the report of a match that runs for long', () => {
  let file: DesyncFile

  test('holds a state from before the tick, and the bundles from there', async () => {
    file = await report({ ticksBefore: 210, quirk: 'value', isTalkative: true })
    const [first, second] = file.sides
    expect(file.tick).toBe(211)
    expect(first).toMatchObject({ seats: [0, 1], stateOutcome: 'kept', state: { tick: 200 } })
    expect(second).toMatchObject({ seats: [2], stateOutcome: 'not-needed', state: undefined })
    expect(file.record!.firstTick).toBeLessThanOrEqual(201)
    expect(textOf(file)).toContain('from the state of seats 0, 1 after tick 200')
  })

  test('on a machine that is sound it does not happen', () => {
    const sound = reproduce(file, plain(makeGame()))
    expect(sound).toMatchObject({ fromTick: 200, happens: false })
    expect(sound.compared.map(({ differsAt }) => differsAt)).toEqual([undefined, 211])
  })

  test('on one like the culprit it happens, and the write is named', () => {
    const same = reproduce(file, plain(makeGame('value', 211)))
    expect(same).toMatchObject({ happens: true, isStable: true })
    expect(same.compared.map(({ differsAt }) => differsAt)).toEqual([211, undefined])
    expect(same.compared[0]?.write).toMatchObject({ here: { row: 60 }, there: { row: 60 } })
  })

  test('on one like nobody it happens too', () => {
    const other = reproduce(file, plain(makeGame('other', 211)))
    expect(other).toMatchObject({ happens: true })
    expect(other.compared.map(({ differsAt }) => differsAt)).toEqual([211, 211])
  })

  test('on one that differs before, the tick from which on is told', () => {
    const early = reproduce(file, plain(makeGame('other', 205)))
    expect(early.compared.map(({ differsAt }) => differsAt)).toEqual([205, 205])
    expect(early.happens).toBe(true)
  })

  test('on one that gives something else each time, that is said, with the write', () => {
    const unstable = reproduce(file, plain(makeGame('chance', 211)))
    expect(unstable).toMatchObject({ isStable: false, happens: true, unstable: { row: 60 } })
  })

  test('with another game it is refused', () => {
    const stranger = defineGame({
      id: 'stranger',
      version: 1,
      tickRate: 20,
      seats: { min: 1, max: 4 },
      state: {},
      orders: {},
      step() {},
    })
    expect(() => reproduce(file, stranger as unknown as Game)).toThrow("of the game 'reported'")
  })

  test('cut short in any part, it is refused and never throws anything else', () => {
    const { record, sides } = file
    const [first] = sides
    const state = first!.state!
    const wrong: Partial<DesyncFile>[] = [
      { record: undefined },
      { record: { ...record!, bundles: record!.bundles.slice(0, 40) } },
      { record: { ...record!, bundles: new Uint8Array(3).fill(255) } },
      { record: { ...record!, firstTick: 208 } },
      { sides: [{ ...first!, state: { ...state, bytes: state.bytes + 1 } }] },
      { sides: [{ ...first!, state: { ...state, pieces: [] } }] },
      {
        sides: [
          {
            ...first!,
            state: {
              ...state,
              pieces: [{ isDeflated: false, content: new Uint8Array(state.bytes) }],
            },
          },
        ],
      },
      { sides: [] },
    ]
    for (const change of wrong) {
      expect(() => reproduce({ ...file, ...change }, plain(makeGame()))).toThrow(
        'Cannot rerun the report',
      )
    }
  })
})

test('a write from outside does not happen again anywhere', async () => {
  const file = await report({ ticksBefore: 60 })
  expect(file.pairs[0]?.finding.reruns[1]).toMatchObject({ isSame: false })
  const found = reproduce(file, plain(makeGame()))
  expect(found).toMatchObject({ happens: false })
  expect(found.compared.map(({ differsAt }) => differsAt)).toEqual([undefined, file.tick])
})

test('a player saves what it was told and has itself, also when that was a while ago', async () => {
  const told: SavableReport[] = []
  const file = await report({
    ticksBefore: 70,
    quirk: 'value',
    handleDesync: (heard) => told.push(heard),
  })
  expect(told.filter(({ stage }) => stage === 'traced')).toHaveLength(3)
  for (const seat of [0, 2]) {
    const heard = told.filter((_, index) => index % 3 === seat).at(-1)!
    await (world as TestWorld<never, never>).advance(30_000)
    const saved = decodeDesyncFile(await heard.toBytes())
    expect(saved).toMatchObject({
      tick: file.tick,
      culprits: [2],
      pairs: [],
      matchId: file.matchId,
    })
    expect(saved.sides).toMatchObject([{ stateOutcome: 'kept', state: { tick: 60 } }])
    const own = saved.savedBy as number
    const like = reproduce(saved, plain(own === 2 ? makeGame('value', 71) : makeGame()))
    expect(like).toMatchObject({ happens: own === 2, compared: [{ seats: [own] }] })
    const unlike = reproduce(saved, plain(own === 2 ? makeGame() : makeGame('value', 71)))
    expect(unlike).toMatchObject({ happens: true, compared: [{ differsAt: 71 }] })
    expect(textOf(saved)).toContain(`written by   the client of seat ${own}`)
    expect(textOf(saved)).toContain('values-differ')
  }
})

test('two desyncs within a moment are both explained, and each is saved as its own', async () => {
  const made = await playTogether(makeGame(), {
    players: 5,
    development: false,
    conditions: { latencyMs: 40 },
  })
  world = made
  const told: SavableReport[] = []
  made.matches[0]!.on('desync', (heard) => told.push(heard))
  await made.advanceUntil(() => made.matches[0]!.simulation.matchTick >= 80)
  const first = injectDesync(made.matches[2]!.simulation, 'units.hp[5]')
  await made.advanceUntil(() => told.length > 0)
  const second = injectDesync(made.matches[3]!.simulation, 'units.x[9]')
  await made.advanceUntil(() => made.desyncs.length > 1, 30_000)

  expect(told[1]).toMatchObject({ stage: 'detected', tick: second, toldTick: second })
  for (const [tick, field, seats] of [
    [first, 'hp', [2]],
    [second, 'x', [2, 3]],
  ] as const) {
    const reports = told.filter(({ toldTick }) => toldTick === tick)
    expect(reports.map(({ stage }) => stage).slice(0, 2)).toEqual(['detected', 'located'])
    const last = reports.at(-1)!
    expect(last).toMatchObject({ stage: 'traced', tick, verdict: { kind: 'culprit', seats } })
    expect(reports.some(({ place }) => place?.field === field)).toBe(true)
    const saved = decodeDesyncFile(await last.toBytes())
    expect(saved).toMatchObject({ tick, told: { place: last.place } })
  }
  const files = made.desyncs.map(decodeDesyncFile)
  expect(files).toMatchObject([
    { tick: first, culprits: [2] },
    { tick: second, culprits: [2, 3] },
  ])
})

test('machines that keep nothing leave a report that says what is missing', async () => {
  const options = { desyncMemoryBytes: 0 }
  const file = await report({ ticksBefore: 210, quirk: 'value', isTalkative: true, options })
  expect(file.sides.map(({ stateOutcome }) => stateOutcome)).toContain('forgotten')
  expect(textOf(file)).toContain('cannot be rerun: it has no state from before the tick')
  expect(() => reproduce(file, plain(makeGame()))).toThrow('no machine still had one')
})
