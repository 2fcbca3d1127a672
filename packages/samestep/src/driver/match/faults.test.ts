/** A game whose code throws, in every way to play: nobody has to guess why nothing happens. */
import { describe, expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { playLocal } from '../local/play-local.ts'
import { catchConsole } from '../testing/console-lines.ts'
import { ledger } from '../testing/driver-world.ts'
import { table, u8 } from '../testing/kit.ts'
import type { MatchStage } from '../testing/match-stages.ts'
import { matchStages } from '../testing/match-stages.ts'
import type { MatchFault } from './fault-log.ts'
import { describeFault, FaultLog } from './fault-log.ts'

const { definition } = ledger
const { step: _, ...rest } = definition as typeof definition & { step: unknown }

/** The ledger with a mistake in `step`, and one in `apply` for an order with an odd number. */
const faulty = defineGame({
  ...(rest as typeof definition),
  step() {
    const nobody = undefined as unknown as { hp: number }
    nobody.hp -= 1
  },
  apply({ order }) {
    if (order.type === 'mark' && order.data.number === 7) throw new RangeError('seven')
  },
  validate({ order }) {
    if (order.type === 'mark' && order.data.number === 9) throw new RangeError('nine')
    return true
  },
} as typeof definition) as typeof ledger

const unready = defineGame({
  ...definition,
  setup() {
    throw new TypeError('no map')
  },
}) as typeof ledger

async function play(makeStage: () => MatchStage, development: boolean) {
  const lines = catchConsole()
  const stage = makeStage()
  stage.world.game = faulty
  const match = await stage.join({ development })
  const faults: MatchFault[] = []
  match.on('fault', (fault) => faults.push(fault))
  return { lines, stage, match, faults }
}

describe.each(Object.entries(matchStages))('%s', (_name, makeStage) => {
  test('a step that throws is on the console once, and counted in an event per tick', async () => {
    const { lines, stage, faults } = await play(makeStage, true)
    await stage.pass(2_500)
    expect(faults.length).toBeGreaterThan(20)
    const [first, second] = faults
    expect(first).toMatchObject({ where: 'step', seat: undefined })
    expect(String(first?.error)).toMatch(/^TypeError: .*undefined/)
    expect((first?.error as Error | undefined)?.stack).toMatch(/faults\.test\.ts/)
    expect((second?.count ?? 0) - (first?.count ?? 0)).toBe(1)
    // The first, the tenth, and nothing in between.
    expect(lines.errors.length).toBe(2)
    expect(lines.errors[0]).toMatch(
      /^\[samestep\] step( '.*')? threw at tick 1; the match continues/,
    )
    expect(lines.errors[1]).toMatch(/for the 10th time/)
  })

  test('in production the console is left alone, and the event comes all the same', async () => {
    const { lines, stage, faults } = await play(makeStage, false)
    await stage.pass(500)
    expect(lines.errors).toEqual([])
    expect(faults.length).toBeGreaterThan(3)
  })

  test('an order whose apply or validate throws is refused with the error, and whose it was', async () => {
    const { lines, stage, match, faults } = await play(makeStage, true)
    await stage.pass(200)
    const applied = match.order('mark', { number: 7 })
    const validated = match.order('mark', { number: 9 })
    await stage.pass(600)
    expect(applied.end).toMatchObject({ result: 'refused', reason: 'apply threw' })
    expect(String((applied.end as { error: unknown }).error)).toBe('RangeError: seven')
    expect(validated.end).toMatchObject({ result: 'refused', reason: 'validate threw' })
    expect(String((validated.end as { error: unknown }).error)).toBe('RangeError: nine')
    const orders = faults.filter(({ name }) => name === 'mark')
    expect(orders).toMatchObject([
      { where: 'apply', seat: 0, count: 1 },
      { where: 'validate', seat: 0, count: 1 },
    ])
    expect(lines.errors.join('\n')).toMatch(
      /apply 'mark' threw at tick \d+, for an order of seat 0/,
    )
  })

  test('a setup that throws ends the attempt to play with that error', async () => {
    const lines = catchConsole()
    const stage = makeStage()
    stage.world.game = unready
    const failure = await stage.join({ development: true }).catch((error: unknown) => error)
    const error = (failure as Error).cause ?? failure
    expect(String(error)).toBe('TypeError: no map')
    if (error !== failure) {
      expect(failure).toMatchObject({ name: 'JoinError', reason: 'setup-failed' })
      expect((failure as Error).message).toBe(
        "Cannot set up a match of 'ledger': TypeError: no map",
      )
    }
    expect(lines.errors[0]).toMatch(
      /^\[samestep\] setup threw at tick 0; the match cannot be played/,
    )
  })

  test('behind a lobby, a setup that throws closes the match with that error', async () => {
    catchConsole()
    const stage = makeStage()
    stage.world.game = unready
    const match = await stage.join({ lobby: { start: 'by-owner', countdownMs: 0 }, seats: 1 })
    const told: unknown[] = []
    match.on('fault', ({ where, error }) => told.push([where, String(error)]))
    match.on('closed', ({ reason, error }) => told.push([reason, String(error)]))
    match.act({ type: 'start' })
    await stage.pass(1_000)
    expect(told).toEqual([
      ['setup', 'TypeError: no map'],
      ['setup-failed', 'TypeError: no map'],
    ])
    expect(match.status).toBe('closed')
  })
})

test('a value that does not fit its cell is one line in the console, and an event', () => {
  const lines = catchConsole()
  const cells = defineGame({
    id: 'cells',
    version: 1,
    tickRate: 20,
    seats: { min: 1, max: 2 },
    state: { units: table(4, { hp: u8 }) },
    setup: ({ state }) => void state.units.add(),
    step({ state }) {
      state.units.hp[0] = 300
    },
  })
  const match = playLocal(cells, { development: true, seed: 1 })
  const faults: MatchFault[] = []
  match.on('fault', (fault) => faults.push(fault))
  for (let nowMs = 0; nowMs < 500; nowMs += 50) match.advance(nowMs)
  expect(faults.length).toBeGreaterThan(3)
  expect(faults[0]).toMatchObject({
    where: 'cell',
    name: 'units.hp',
    count: 1,
    cell: { part: 'units', row: 0, field: 'hp', value: 300, kept: 44, writer: 'step' },
  })
  expect(lines.errors[0]).toMatch(
    /^\[samestep\] Cannot keep 300 in units\.hp\[0\] \(u8, .*\), written by step: it became 44; .* \(tick 1\)/,
  )
  expect(lines.errors.length).toBeLessThan(3)
})

test('each kind of fault is shown by itself, and again at powers of ten', () => {
  const shown: string[] = []
  const log = new FaultLog((text) => shown.push(text))
  const fault = { tick: 5, where: 'step', name: 'move', seat: undefined, error: 'no' } as const
  for (let count = 1; count <= 100; count++) expect(log.note(fault).count).toBe(count)
  log.note({ ...fault, name: 'fire' })
  expect(shown.map((text) => /'(.*)'/.exec(text)?.[1])).toEqual(['move', 'move', 'move', 'fire'])
  expect(describeFault({ ...fault, seat: -1 })).toBe(
    "[samestep] step 'move' threw at tick 5; the match continues without it. no",
  )
})
