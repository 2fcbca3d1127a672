import { expect, test } from 'vitest'
import { u8 } from '../../schema/index.ts'
import { State } from '../../state/state.ts'
import { table } from '../../state/table.ts'
import { batch, isDue, isTurnOf, runBatch } from './schedule.ts'

function makeBatch(rows: number) {
  const { live } = new State({ units: table(200, { hp: u8 }), round: batch() })
  for (let row = 0; row < rows; row++) live.units.add()
  return live
}

test('a batch visits every living row once per round, an even share in each tick', () => {
  const { units, round } = makeBatch(100)
  units.remove(50)
  const visits: number[] = []
  const perTick: number[] = []
  for (let tick = 0; tick < 15; tick++) {
    const before = visits.length
    runBatch(round, units, 15, (row) => visits.push(row))
    perTick.push(visits.length - before)
  }
  expect(visits).toEqual([...units])
  expect(Math.max(...perTick) - Math.min(...perTick)).toBeLessThanOrEqual(1)
})

test('a table that grows in the middle of a round is still finished at its end', () => {
  const { units, round } = makeBatch(10)
  const visits = new Set<number>()
  for (let tick = 0; tick < 5; tick++) {
    runBatch(round, units, 5, (row) => visits.add(row))
    if (tick === 2) for (let row = 0; row < 50; row++) units.add()
  }
  expect(visits.size).toBe(60)
})

test('the cursor is state: a copy in the middle of a round goes on where the original does', () => {
  const original = makeBatch(30)
  runBatch(original.round, original.units, 4, () => {})
  const copy = makeBatch(30)
  copy.round.cursor = original.round.cursor
  copy.round.ticksLeft = original.round.ticksLeft
  const a: number[] = []
  const b: number[] = []
  runBatch(original.round, original.units, 4, (row) => a.push(row))
  runBatch(copy.round, copy.units, 4, (row) => b.push(row))
  expect(b).toEqual(a)
})

test('isDue is true once per period, from its offset on', () => {
  const due = Array.from({ length: 12 }, (_, tick) => isDue(tick, 4, 1))
  expect(due.flatMap((is, tick) => (is ? [tick] : []))).toEqual([1, 5, 9])
  expect(() => isDue(1, 0)).toThrowError(/whole number from 1/)
})

test('isTurnOf spreads ids evenly over the ticks of a period', () => {
  for (let tick = 0; tick < 8; tick++) {
    const turns = Array.from({ length: 80 }, (_, id) => isTurnOf(id, tick, 8)).filter(Boolean)
    expect(turns.length).toBe(10)
  }
})
