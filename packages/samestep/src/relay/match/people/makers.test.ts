import { expect, test } from 'vitest'
import { Makers } from './makers.ts'

test('an address has as many matches as it made and as are not over', () => {
  const makers = new Makers<string>()
  makers.note('a', '10.0.0.1', 0)
  makers.note('b', '10.0.0.1', 0)
  makers.note('c', '10.0.0.2', 0)
  expect([makers.countOf('10.0.0.1'), makers.countOf('10.0.0.2')]).toEqual([2, 1])
  makers.forget('a')
  makers.forget('a')
  expect(makers.countOf('10.0.0.1')).toBe(1)
  makers.forget('b')
  makers.forget('c')
  expect([makers.countOf('10.0.0.1'), makers.size]).toEqual([0, 0])
})

test('who has no address is not counted', () => {
  const makers = new Makers<string>()
  makers.note('a', undefined, 0)
  expect([makers.countOf(undefined), makers.size]).toEqual([0, 0])
  makers.forget('a')
})

test('[T-57] an address makes so many matches in a minute, whether they are over or not', () => {
  const makers = new Makers<string>(3)
  const make = (name: string, nowMs: number) => {
    if (makers.isHasty('10.0.0.1', nowMs)) return false
    makers.note(name, '10.0.0.1', nowMs)
    makers.forget(name)
    return true
  }
  expect(['a', 'b', 'c', 'd'].map((name) => make(name, 0))).toEqual([true, true, true, false])
  expect([makers.isHasty('10.0.0.2', 0), makers.isHasty(undefined, 0)]).toEqual([false, false])
  expect([make('e', 19_999), make('f', 20_000), make('g', 20_000)]).toEqual([false, true, false])
})

test('addresses are forgotten once they could make as many again', () => {
  const makers = new Makers<string>(3)
  for (let count = 0; count < 100; count++) makers.note(`a${count}`, `10.0.0.${count}`, count)
  expect(makers.budgetCount).toBe(100)
  makers.note('last', '10.0.1.1', 60_100)
  expect(makers.budgetCount).toBe(1)
})
