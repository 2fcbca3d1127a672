import { expect, test } from 'vitest'
import { HashComparer, seatsOf } from './hash-comparer.ts'

const tickRate = 30
const keptTicks = 20 * tickRate

/** The seats that said the same about a tick, by first word. */
function partition(comparer: HashComparer, tick: number): [number, number[]][] {
  return comparer.groupsAt(tick).map((group) => [group.lo, seatsOf(group)])
}

test('reports of a tick are kept as groups of seats, whoever comes first', () => {
  const comparer = new HashComparer(tickRate)
  expect(comparer.report(63, 5, 1, 2)).toBe('noted')
  expect(comparer.report(0, 5, 9, 2)).toBe('differs')
  expect(comparer.report(31, 5, 9, 2)).toBe('differs')
  expect(comparer.report(32, 5, 1, 2)).toBe('differs')
  expect(comparer.report(7, 5, 1, 3)).toBe('differs')
  expect(partition(comparer, 5)).toEqual([
    [1, [32, 63]],
    [9, [0, 31]],
    [1, [7]],
  ])
  expect([comparer.isSplit(5), comparer.mismatches, comparer.comparedTick]).toEqual([true, 1, 0])
})

test('the newest tick on which several agreed is known, tick 0 too', () => {
  const comparer = new HashComparer(tickRate)
  expect(comparer.groupsAt(0)).toEqual([])
  comparer.report(0, 0, 0, 0)
  comparer.report(1, 0, 0, 0)
  expect(partition(comparer, 0)).toEqual([[0, [0, 1]]])
  comparer.report(0, 1, 0xffff_ffff, 0x8000_0000)
  expect(comparer.comparedTick).toBe(0)
  comparer.report(1, 1, 0xffff_ffff, 0x8000_0000)
  expect([comparer.comparedTick, comparer.mismatches]).toEqual([1, 0])
})

test('T-50 a seat that says two things about one tick is found out, and its first word stays', () => {
  const comparer = new HashComparer(tickRate)
  comparer.report(0, 5, 1, 1)
  expect(comparer.report(0, 5, 1, 1)).toBe('noted')
  expect(comparer.report(0, 5, 2, 1)).toBe('contradicts')
  comparer.report(1, 5, 2, 1)
  expect(comparer.report(1, 5, 1, 1)).toBe('contradicts')
  expect(partition(comparer, 5)).toEqual([
    [1, [0]],
    [2, [1]],
  ])
})

test('what is older than twenty seconds is forgotten', () => {
  const comparer = new HashComparer(tickRate)
  comparer.report(0, 3, 1, 1)
  comparer.report(1, 3, 2, 1)
  comparer.report(0, 3 + keptTicks, 2, 2)
  expect([comparer.groupsAt(3), comparer.splitCount]).toEqual([[], 0])
  expect(comparer.report(1, 3, 9, 9)).toBe('old')
  expect(comparer.report(1, 3 + keptTicks, 9, 9)).toBe('differs')
  expect(comparer.oldestTick).toBe(4)
})

test('ticks on which seats differ for ever take a bounded memory', () => {
  const comparer = new HashComparer(tickRate)
  for (let tick = 0; tick < 5_000; tick++) {
    for (let seat = 0; seat < 64; seat++) comparer.report(seat, tick, seat, tick)
  }
  expect(comparer.splitCount).toBe(64)
  expect(comparer.mismatches).toBe(5_000)
  expect(partition(comparer, 4_999)).toHaveLength(64)
})

test('who sits down after somebody else is not held to what he said', () => {
  const comparer = new HashComparer(tickRate)
  for (const seat of [0, 40]) comparer.report(seat, 5, seat, 1)
  comparer.report(0, 6, 1, 1)
  comparer.forgetSeat(40)
  expect(comparer.isSplit(5)).toBe(false)
  expect(comparer.report(40, 5, 0, 1)).toBe('noted')
  comparer.forgetSeat(0)
  expect([comparer.groupsAt(6), partition(comparer, 5)]).toEqual([[], [[0, [40]]]])
  expect(comparer.report(0, 6, 7, 7)).toBe('noted')
  expect(comparer.report(40, 6, 7, 7)).toBe('noted')
})
