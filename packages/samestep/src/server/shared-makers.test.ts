import { expect, test } from 'vitest'
import type { Match } from '../relay/match/match.ts'
import { MakerHub, noteElsewhere, SharedMakers } from './shared-makers.ts'

const matchOf = (name: string) => ({ name }) as Match

/** Some workers whose words arrive at once. */
function open(count: number, perMinute = 100) {
  const hub = new MakerHub(count, (worker, elsewhere) => {
    noteElsewhere(workers[worker]!, elsewhere, 0)
  })
  const make = (index: number) =>
    new SharedMakers(perMinute, (change) => hub.handleChange(index, change))
  const workers = Array.from({ length: count }, (_, index) => make(index))
  const restart = (index: number) => {
    hub.handleGone(index)
    workers[index] = make(index)
    hub.handleReady(index)
  }
  const counts = (address: string) => workers.map((makers) => makers.countOf(address))
  return { hub, workers, restart, counts }
}

test('every worker counts what an address made at any of them', () => {
  const { workers, counts } = open(3)
  const [a, b] = [matchOf('a'), matchOf('b')]
  workers[0]!.note(a, 'x', 0)
  workers[1]!.note(b, 'x', 0)
  workers[2]!.note(matchOf('c'), 'y', 0)
  workers[2]!.note(matchOf('d'), undefined, 0)
  expect([counts('x'), counts('y')]).toEqual([
    [2, 2, 2],
    [1, 1, 1],
  ])
  workers[0]!.forget(a)
  workers[0]!.forget(a)
  workers[1]!.forget(b)
  expect(counts('x')).toEqual([0, 0, 0])
  expect(workers.map(({ size }) => size)).toEqual([1, 1, 1])
})

test('a worker that dies takes its matches with it, and hears of all others when it is back', () => {
  const { hub, workers, restart, counts } = open(2)
  workers[0]!.note(matchOf('a'), 'x', 0)
  workers[0]!.note(matchOf('b'), 'x', 0)
  workers[1]!.note(matchOf('c'), 'x', 0)
  restart(0)
  expect(counts('x')).toEqual([1, 1])
  expect(hub.sizeOf(0)).toBe(0)
  restart(1)
  expect(counts('x')).toEqual([0, 0])
})

test('a minute is one for all workers, and what one hears when it starts is no haste', () => {
  const { workers, restart } = open(2, 3)
  const isHasty = () => workers.map((makers) => makers.isHasty('x', 0))
  workers[0]!.note(matchOf('a'), 'x', 0)
  workers[0]!.note(matchOf('b'), 'x', 0)
  expect(isHasty()).toEqual([false, false])
  workers[1]!.note(matchOf('c'), 'x', 0)
  expect(isHasty()).toEqual([true, true])
  restart(1)
  expect(isHasty()).toEqual([true, false])
  expect(workers[1]!.countOf('x')).toBe(2)
})
