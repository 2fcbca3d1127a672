import { expect, test } from 'vitest'
import { u8, u16 } from '../schema/index.ts'
import { queue } from './queue.ts'
import { State } from './state.ts'

function makeQueue() {
  return new State({ jobs: queue(5, { id: u16, cost: u8.default(1) }) }).live.jobs
}

test('items come out in the sequence they went in', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 4; id++) jobs.push({ id })
  const done: number[] = []
  jobs.run(100, ({ id }) => done.push(id) * 0 + 1)
  expect(done).toEqual([1, 2, 3, 4])
  expect(jobs.count).toBe(0)
})

test('a budget is counted in operations; the last item may overdraw it', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 5; id++) jobs.push({ id, cost: 3 })
  expect(jobs.run(4, ({ cost }) => cost)).toBe(6)
  expect(jobs.count).toBe(3)
})

test('work that claims to cost nothing still counts as one operation', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 5; id++) jobs.push({ id })
  expect(jobs.run(2, () => 0)).toBe(2)
  expect(jobs.count).toBe(3)
})

test('a full queue takes no item and says so', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 5; id++) expect(jobs.push({ id })).toBe(true)
  expect(jobs.push({ id: 6 })).toBe(false)
  expect(jobs.count).toBe(5)
})

test('work may push: the item waits behind the others, even when the queue was full', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 5; id++) jobs.push({ id })
  const done: number[] = []
  jobs.run(7, ({ id }) => {
    done.push(id)
    if (id <= 2) expect(jobs.push({ id: id + 10 })).toBe(true)
    return 1
  })
  expect(done).toEqual([1, 2, 3, 4, 5, 11, 12])
})

test('work that throws loses the item it was given and nothing else', () => {
  const jobs = makeQueue()
  for (let id = 1; id <= 3; id++) jobs.push({ id })
  expect(() =>
    jobs.run(10, () => {
      throw new Error('no path')
    }),
  ).toThrowError('no path')
  expect(jobs.count).toBe(2)
})

test('a budget in fractions is refused: it smells of milliseconds', () => {
  expect(() => makeQueue().run(1.5, () => 1)).toThrowError(/whole number of operations/)
})
