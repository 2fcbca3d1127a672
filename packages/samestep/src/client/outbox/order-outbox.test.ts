import { expect, test } from 'vitest'
import { outboxBytesMax, outboxOrdersMax } from '../../wire/limits.ts'
import type { OrderEnd } from './order-outbox.ts'
import { OrderOutbox } from './order-outbox.ts'

function make(count: number) {
  const outbox = new OrderOutbox()
  const ends: (OrderEnd | undefined)[] = []
  const issue = (bytes = Uint8Array.of(ends.length)) => {
    const index = ends.push(undefined) - 1
    return outbox.issue(bytes, 0, (end) => {
      if (ends[index] !== undefined) throw new Error(`Order ${index} settled twice`)
      ends[index] = end
    })
  }
  for (let left = count; left > 0; left--) issue()
  const take = (isRepeating: boolean) => {
    const out: Uint8Array[] = []
    const first = outbox.take(isRepeating, out)
    return out.map((_, index) => first + index)
  }
  return { outbox, ends, issue, take }
}

test('orders are numbered from 0 on, in the sequence of issue', () => {
  const { issue } = make(0)
  expect([issue().number, issue().number]).toEqual([0, 1])
})

test('on a stream an order is taken once, on datagrams until it is answered', () => {
  const { outbox, issue, take } = make(2)
  expect(take(false)).toEqual([0, 1])
  expect(take(false)).toEqual([])
  expect(take(true)).toEqual([0, 1])
  issue()
  expect(outbox.hasUnsent).toBe(true)
  expect(take(false)).toEqual([2])
  outbox.answer(2)
  expect(take(true)).toEqual([2])
  outbox.answer(3)
  expect([take(true), outbox.hasUnanswered]).toEqual([[], false])
})

test('an answer that is old, or ahead of what was issued, changes nothing more', () => {
  const { outbox, take } = make(3)
  outbox.answer(2)
  outbox.answer(1)
  expect(outbox.answeredCount).toBe(2)
  outbox.answer(50)
  expect([outbox.answeredCount, take(true)]).toEqual([3, []])
})

test('a new link is told what the old one may have lost, and not what was answered', () => {
  const { outbox, take } = make(4)
  take(false)
  outbox.answer(1)
  outbox.restart(2)
  expect(take(false)).toEqual([2, 3])
})

test('an outbox of a session that is older than itself goes on with the numbers of before', () => {
  const { outbox, issue, take } = make(0)
  outbox.restart(300)
  expect([outbox.hasUnanswered, take(true)]).toEqual([false, []])
  expect(issue().number).toBe(300)
  expect(outbox.find(300 % 256, Uint8Array.of(0), false)?.number).toBe(300)
  // The same link is told of again: nothing is numbered anew while something is on its way.
  outbox.restart(300)
  expect([take(true), issue().number]).toEqual([[300], 301])
})

test('an answered order waits for its tick', () => {
  const { outbox, ends } = make(1)
  outbox.answer(1)
  expect([outbox.pendingCount, ends]).toEqual([1, [undefined]])
  outbox.finish(outbox.find(0, Uint8Array.of(0), false)!, { result: 'executed', tick: 5 }, false)
  expect([outbox.pendingCount, ends]).toEqual([0, [{ result: 'executed', tick: 5 }]])
})

test('an order in a bundle was answered, whether or not the answer came through', () => {
  const { outbox, take } = make(3)
  outbox.finish(outbox.find(1, Uint8Array.of(1), false)!, { result: 'executed', tick: 5 }, false)
  expect(take(true)).toEqual([2])
})

test('a refusal that is heard twice settles once', () => {
  const { outbox, ends } = make(1)
  outbox.refuse(0, 'rate')
  outbox.refuse(0, 'rate')
  expect(ends).toEqual([{ result: 'refused', reason: 'rate', tick: undefined }])
})

test('what is lost is lost once, and none of it is sent again', () => {
  const { outbox, ends, take } = make(2)
  outbox.loseAll()
  outbox.loseAll()
  expect(ends).toEqual([{ result: 'lost' }, { result: 'lost' }])
  expect([take(true), outbox.pendingCount]).toEqual([[], 0])
})

test('the limit is in orders and in bytes, and what is answered gives bytes free', () => {
  const { issue } = make(outboxOrdersMax)
  expect(() => issue()).toThrowError(/Cannot issue an order: 64 are pending; the limit is/)
  const large = make(0)
  const order = new Uint8Array(1_024)
  for (let bytes = 0; bytes < outboxBytesMax; bytes += 1_024) large.issue(order)
  expect(() => large.issue(order)).toThrowError(/limit/)
  large.outbox.answer(1)
  large.issue(order)
  expect(large.outbox.pendingCount).toBe(17)
})

test('ORD-10 what runs in a pause goes past what waits for its end, by any number', () => {
  const { outbox, ends, issue } = make(0)
  const end = { result: 'executed', tick: 5 } as const
  const [waits, runs] = [Uint8Array.of(1), Uint8Array.of(2)]
  issue(waits)
  for (let number = 1; number <= 300; number++) {
    issue(runs)
    const found = outbox.find(number % 256, runs, true)
    // Number 256 has the low bits of the one that waits, and is not it.
    expect(found?.number).toBe(number)
    outbox.finish(found!, end, true)
  }
  expect(ends.filter((each) => each === undefined)).toHaveLength(1)
  outbox.finish(outbox.find(0, waits, false)!, end, false)
  expect([ends[0], outbox.pendingCount]).toEqual([end, 0])
})

test('one before the last that was sealed was refused, in a pause as well', () => {
  for (const isPaused of [false, true]) {
    const { outbox, ends, issue } = make(0)
    const bytes = Uint8Array.of(7)
    for (let number = 0; number <= 256; number++) {
      const { number: issued } = issue(bytes)
      if (issued === 0) continue
      if (issued === 256) break
      const end = { result: 'executed', tick: issued } as const
      outbox.finish(outbox.find(issued % 256, bytes, isPaused)!, end, isPaused)
    }
    // The refusal of number 0 is on its way: number 256 is sealed.
    expect(outbox.find(0, bytes, isPaused)?.number).toBe(256)
    outbox.refuse(0, 'rate')
    expect(ends[0]).toMatchObject({ result: 'refused' })
  }
})
