import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { injectDesync } from '../../src/desync/inject.ts'
import type { DesyncReport } from '../../src/desync/report.ts'
import { playTogether } from '../../src/driver/together/play-together.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { i32, list, struct, u8, u32 } from '../../src/sim/schema/index.ts'
import { plain } from '../../src/sim/state/plain.ts'
import { single } from '../../src/sim/state/single.ts'
import { table } from '../../src/sim/state/table.ts'

/** What a machine does otherwise than the others, from a tick on. */
interface Quirk {
  readonly fromTick: number
  readonly kind: 'value' | 'draw' | 'path' | 'chance' | 'order' | 'plain' | 'spread'
}

let chance = 0

/** When the score shows in another part as well, on every machine. */
const spreadTick = 61

/** A game of some systems, as the code of one machine has it. */
function makeGame(quirk?: Quirk) {
  const is = (kind: Quirk['kind'], tick: number) =>
    quirk !== undefined && quirk.kind === kind && tick >= quirk.fromTick
  return defineGame({
    id: 'quirks',
    version: 1,
    tickRate: 20,
    seats: { min: 2, max: 8 },
    state: {
      units: table(3_000, { x: i32, y: i32, hp: u8 }),
      score: single({ sum: i32, drawn: u32 }),
      board: plain(struct({ hands: list(list(u8, 8), 8), turn: u32 })),
    },
    orders: { push: { by: i32 } },
    setup({ state }) {
      for (let row = 0; row < 2_000; row++) state.units.add({ x: row, y: -row, hp: 10 })
      state.board.hands.push([1, 2, 3], [4, 5])
    },
    apply({ state, order }) {
      state.score.sum += order.data.by
    },
    systems: [
      {
        name: 'move',
        run: ({ state, tick }) => moveUnits(state.units, tick, is('value', tick)),
      },
      {
        name: 'play',
        run({ state, tick, random }) {
          if (tick % 3 === 0) state.score.drawn = random.below(1_000)
          if (is('draw', tick)) random.below(2)
          if (is('spread', tick)) state.score.sum += 7
          if (tick === spreadTick) state.units.hp[99] = state.score.sum & 0xff
          if (is('path', tick)) state.score.sum += 0
          if (is('path', tick)) state.units.hp[7] = 3
          if (is('chance', tick)) state.units.hp[11] = ++chance % 200
          if (is('plain', tick)) (state.board.hands[1] as number[])[0] = 9
          state.board.turn = tick
        },
      },
    ],
  })
}

function moveUnits(
  units: { readonly x: { [row: number]: number } },
  tick: number,
  isOff: boolean,
): void {
  for (let row = 0; row < 2_000; row++) {
    units.x[row] = (units.x[row] as number) + (isOff && row === 1_234 ? 2 : 1) + (tick % 2)
  }
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
})

let world: { close(): void } | undefined

afterEach(() => {
  world?.close()
  vi.restoreAllMocks()
})

/** The line of this file that has a text on it. */
function lineOf(text: string): number {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

/** Some players, of whom those with a quirk have code of their own; and what each of them is told. */
async function play(quirks: readonly (Quirk | undefined)[], options = {}) {
  const made = await playTogether(makeGame(), {
    players: 0,
    seats: quirks.length,
    development: false,
    conditions: { latencyMs: 20, jitterMs: 4 },
    ...options,
  })
  world = made
  const told: DesyncReport[][] = []
  for (const quirk of quirks) {
    const match = await made.join(quirk === undefined ? {} : { game: makeGame(quirk) })
    const heard: DesyncReport[] = []
    match.on('desync', (report) => heard.push(report))
    told.push(heard)
  }
  return { world: made, told }
}

describe('three players, one of whom writes from outside', () => {
  test('every stage names tick, culprit, field and cause', async () => {
    const { world: made, told } = await play([undefined, undefined, undefined])
    await made.advanceUntil(() => (made.matches[1]?.simulation.matchTick ?? 0) >= 70)
    const { simulation } = made.matches[1]!
    const tick = injectDesync(simulation, 'units.hp[321]')
    await made.advance(8_000)
    for (const reports of told) {
      expect(reports.map(({ stage }) => stage)).toEqual(['detected', 'located', 'traced'])
      for (const report of reports) {
        expect(report).toMatchObject({ tick, groups: [[0, 2], [1]] })
        expect(report.verdict).toEqual({ kind: 'culprit', seats: [1] })
      }
      const [, located, traced] = reports
      expect(located?.place).toMatchObject({ part: 'units', row: 321, field: 'hp', leafCount: 1 })
      expect(located?.place?.values).toEqual([
        { seats: [0, 2], value: '10' },
        { seats: [1], value: '9' },
      ])
      expect(traced?.cause).toMatchObject({ id: 'outside-write' })
      expect(traced?.cause?.text).toContain('seat 1')
    }
  })
})

/** Plays until everything is told, and gives what the first player was told in the end. */
async function explain(quirks: readonly (Quirk | undefined)[], options = {}) {
  const { world: made, told } = await play(quirks, options)
  await made.advance(14_000)
  const reports = told[0] as DesyncReport[]
  return { made, told, reports, report: reports.at(-1) as DesyncReport }
}

describe('code that does not do the same everywhere', () => {
  const fromTick = 61

  test('a value that is computed otherwise: row, field, both values, line of both sides', async () => {
    const { report, reports } = await explain([undefined, undefined, { kind: 'value', fromTick }])
    expect(reports.map(({ stage }) => stage)).toEqual(['detected', 'located', 'traced'])
    expect(report).toMatchObject({ tick: fromTick, agreedTick: fromTick - 1 })
    expect(report.verdict).toEqual({ kind: 'culprit', seats: [2] })
    expect(report.place).toMatchObject({ part: 'units', row: 1_234, field: 'x', tick: fromTick })
    const [mine, theirs] = report.place!.values.map(({ value }) => Number(value))
    expect(theirs).toBe(mine! + 1)
    expect(report.cause?.id).toBe('values-differ')
    const line = lineOf('units.x[row] = (units.x[row]')
    expect(report.writes).toMatchObject([
      { seats: [0, 1], system: 'move', part: 'units', row: 1_234, field: 'x', site: { line } },
      { seats: [2], system: 'move', part: 'units', row: 1_234, field: 'x', site: { line } },
    ])
    for (const { site } of report.writes) {
      expect(site?.file).toMatch(/scenarios\/desync\.test\.ts$/)
      expect(site?.functionName).toBe('moveUnits')
    }
  })

  test('is explained at ten times the speed too', async () => {
    const late = { kind: 'value', fromTick: 401 } as const
    const far = { conditions: { latencyMs: 150 } }
    const { world: made, told } = await play([undefined, undefined, late], far)
    made.matches[0]!.act({ type: 'set-speed', percent: 1_000 })
    await made.advance(8_000)
    expect(made.matches[0]!.simulation.matchTick).toBeGreaterThan(1_200)
    const reports = told[0] as DesyncReport[]
    expect(reports.map(({ stage }) => stage)).toEqual(['detected', 'located', 'traced'])
    expect(reports.at(-1)).toMatchObject({ tick: 401, cause: { id: 'values-differ' } })
  })

  test('of many fields that differ, the one that was written first, and how many', async () => {
    const quirk = { kind: 'spread', fromTick: spreadTick } as const
    const { report, reports } = await explain([undefined, undefined, quirk])
    // Until the writes are compared, the first of the tree; it follows from the other.
    const located = reports.find(({ stage }) => stage === 'located')
    expect(located?.place).toMatchObject({ part: 'units', row: 99, field: 'hp', leafCount: 2 })
    expect(report.place).toMatchObject({ part: 'score', field: 'sum', leafCount: 2 })
    expect(report.place?.values.map(({ value }) => value)).toEqual(['0', '7'])
    expect(report.writes).toMatchObject([{ system: 'play' }, { system: 'play' }])
  })

  test('a draw too many is named with its line', async () => {
    const { report } = await explain([undefined, { kind: 'draw', fromTick }, undefined])
    expect(report).toMatchObject({ tick: fromTick, cause: { id: 'draws-differ' } })
    expect(report.place).toMatchObject({ part: '#random', field: 'main (draws)' })
    const drawn = report.writes.find(({ seats }) => seats.includes(1))
    expect(drawn).toMatchObject({ kind: 'draw', system: 'play' })
    expect(drawn?.site?.line).toBe(lineOf("if (is('draw', tick)) random"))
  })

  test('a write that only one side makes is named with its line', async () => {
    const { report } = await explain([undefined, { kind: 'path', fromTick }, undefined])
    expect(report).toMatchObject({
      tick: fromTick,
      place: { part: 'units', row: 7, field: 'hp' },
      cause: { id: 'paths-differ' },
    })
    const written = report.writes.find(({ seats }) => seats.includes(1))
    expect(written?.site?.line).toBe(lineOf("if (is('path', tick)) state.score"))
  })

  test('a value inside a plain part is named by its path', async () => {
    const { report } = await explain([undefined, undefined, { kind: 'plain', fromTick }])
    expect(report.place).toMatchObject({ part: 'board', row: undefined, field: 'hands[1][0]' })
    expect(report.place?.values).toEqual([
      { seats: [0, 1], value: '4' },
      { seats: [2], value: '9' },
    ])
    const written = report.writes.find(({ seats }) => seats.includes(2))
    expect(written?.site?.line).toBe(lineOf("if (is('plain', tick)) (state"))
  })

  test('what is not the same twice on one machine is called so, with its line', async () => {
    const { report } = await explain([undefined, undefined, { kind: 'chance', fromTick }])
    expect(report).toMatchObject({ tick: fromTick, cause: { id: 'unstable' } })
    expect(report.place).toMatchObject({ part: 'units', row: 11, field: 'hp' })
    const written = report.writes.find(({ seats }) => seats.includes(2))
    expect(written).toMatchObject({ part: 'units', row: 11, field: 'hp' })
    expect(written?.site?.line).toBe(lineOf('++chance'))
  })

  test('T-46 between two players nobody is blamed, and both lines are named', async () => {
    const { report } = await explain([undefined, { kind: 'value', fromTick }])
    expect(report.verdict).toEqual({ kind: 'undecided' })
    expect(report).toMatchObject({ stage: 'traced', place: { row: 1_234, field: 'x' } })
    expect(report.writes.map(({ seats }) => seats)).toEqual([[0], [1]])
  })

  test('a tick that went wrong at once, in the very first, is explained', async () => {
    const { report } = await explain([undefined, undefined, { kind: 'value', fromTick: 1 }])
    expect(report).toMatchObject({ stage: 'traced', tick: 1, place: { row: 1_234, field: 'x' } })
  })

  test('three states are explained one after the other', async () => {
    const { reports } = await explain([
      undefined,
      undefined,
      undefined,
      { kind: 'value', fromTick },
      { kind: 'plain', fromTick },
    ])
    expect(reports[0]).toMatchObject({ groups: [[0, 1, 2], [3], [4]] })
    const places = reports.filter(({ stage }) => stage === 'traced').map(({ place }) => place?.part)
    expect(places).toEqual(['units', 'board'])
  })
})

describe('players who cannot help', () => {
  test('leave the tick, the groups and the verdict, and the match goes on', async () => {
    const quirk: Quirk = { kind: 'value', fromTick: 61 }
    const { made, reports } = await explain([undefined, undefined, quirk], {
      desyncMemoryBytes: 0,
    })
    expect(reports.map(({ stage }) => stage)).toEqual(['detected'])
    expect(reports[0]).toMatchObject({ tick: 61, verdict: { kind: 'culprit', seats: [2] } })
    expect(made.matches.map(({ status }) => status)).toEqual(['active', 'active', 'active'])
  })

  test('are told the same whether they play or watch', async () => {
    const { world: made } = await play([undefined, undefined, { kind: 'value', fromTick: 161 }])
    const heard: DesyncReport[] = []
    const watcher = await made.join({ role: 'spectator' })
    watcher.on('desync', (report) => heard.push(report))
    await made.advance(14_000)
    expect(heard.map(({ stage }) => stage)).toEqual(['detected', 'located', 'traced'])
    expect(heard.at(-1)).toMatchObject({ isSpectator: false, place: { row: 1_234 } })
  })

  test('a guard of development is no hindrance: it only watches the match itself', async () => {
    const { world: made, told } = await play([undefined, undefined, undefined], {
      development: true,
    })
    await made.advance(3_000)
    const tick = injectDesync(made.matches[2]!.simulation, 'score.sum')
    await made.advance(8_000)
    expect(told[0]?.at(-1)).toMatchObject({
      stage: 'traced',
      tick,
      verdict: { kind: 'culprit', seats: [2] },
      place: { part: 'score', field: 'sum' },
      cause: { id: 'outside-write' },
    })
  })
})
