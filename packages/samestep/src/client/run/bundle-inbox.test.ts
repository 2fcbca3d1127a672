import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { windowTicksMax } from '../../wire/limits.ts'
import { BundleInbox } from './bundle-inbox.ts'

function bundle(tick: number): Uint8Array {
  return Uint8Array.of(tick % 256, tick >> 8, 7)
}

function whole(firstTick: number, count = 1) {
  const bundles = Array.from({ length: count }, (_, index) => bundle(firstTick + index))
  return { firstTick, isExact: false, control: undefined, bundles, part: undefined }
}

function part(tick: number, totalBytes: number, start: number, bytes: Uint8Array) {
  const where = { totalBytes, start }
  return { firstTick: tick, isExact: true, control: undefined, bundles: [bytes], part: where }
}

function takeAll(inbox: BundleInbox): Uint8Array[] {
  const taken: Uint8Array[] = []
  for (let next = inbox.take(); next; next = inbox.take()) taken.push(next)
  return taken
}

test('ticks come out in sequence, without a gap, each once', () => {
  const inbox = new BundleInbox(0)
  expect(inbox.add(whole(3))).toBe(0)
  expect(inbox.add(whole(3))).toBe(0)
  expect([inbox.take(), inbox.bytes]).toEqual([undefined, 3])
  expect(inbox.add(whole(1, 2))).toBe(3)
  expect(inbox.add(whole(1, 3))).toBe(0)
  expect([inbox.receivedTick, inbox.readyCount]).toEqual([3, 3])
  expect(takeAll(inbox)).toEqual([bundle(1), bundle(2), bundle(3)])
  expect([inbox.readyCount, inbox.bytes]).toEqual([0, 0])
})

test('what is behind, or further ahead than a relay may send, is passed over', () => {
  const inbox = new BundleInbox(10)
  inbox.add(whole(10))
  inbox.add(whole(11 + windowTicksMax))
  expect(inbox.bytes).toBe(0)
  inbox.add(whole(10 + windowTicksMax))
  expect(inbox.bytes).toBe(3)
})

test('however ticks are lost, doubled and mixed up, they come out as a perfect line gives them', () => {
  const message = fc.record({
    ahead: fc.integer({ min: -5, max: 12 }),
    count: fc.integer({ min: 1, max: 6 }),
  })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 80 }), (all) => {
      const inbox = new BundleInbox(0)
      const had = new Set<number>()
      const taken: Uint8Array[] = []
      for (const { ahead, count } of all) {
        const first = Math.max(inbox.receivedTick + ahead, 1)
        for (let tick = first; tick < first + count; tick++) had.add(tick)
        inbox.add(whole(first, count))
        let gapless = 0
        while (had.has(gapless + 1)) gapless += 1
        expect(inbox.receivedTick).toBe(gapless)
        if (ahead % 2 === 0) taken.push(...takeAll(inbox))
      }
      taken.push(...takeAll(inbox))
      expect(taken).toEqual(Array.from({ length: inbox.receivedTick }, (_, at) => bundle(at + 1)))
    }),
  )
})

describe('a bundle in parts', () => {
  const bytes = Uint8Array.from({ length: 2_500 }, (_, index) => index)
  const parts = [0, 1_000, 2_000].map((start) =>
    part(1, bytes.length, start, bytes.subarray(start, start + 1_000)),
  )

  test('is whole when every part is there, in whatever sequence and however often', () => {
    const inbox = new BundleInbox(0)
    const [a, b, c] = parts as [(typeof parts)[0], (typeof parts)[0], (typeof parts)[0]]
    for (const next of [c, c, a, a]) expect(inbox.add(next)).toBe(0)
    expect(inbox.add(b)).toBe(1)
    expect(inbox.add(b)).toBe(0)
    expect(takeAll(inbox)).toEqual([bytes])
  })

  test('holds up the ticks behind it', () => {
    const inbox = new BundleInbox(0)
    inbox.add(whole(2))
    for (const next of parts) inbox.add(next)
    expect(takeAll(inbox)).toEqual([bytes, bundle(2)])
  })

  test('that comes whole meanwhile needs no parts', () => {
    const inbox = new BundleInbox(0)
    inbox.add(parts[0]!)
    inbox.add(whole(1))
    inbox.add(parts[1]!)
    expect(takeAll(inbox)).toEqual([bundle(1)])
  })
})

test('more ticks may wait than there was room for at first, and those after a tick can be dropped', () => {
  const inbox = new BundleInbox(5)
  for (let tick = 6; tick <= 200; tick += 2) inbox.add(whole(tick))
  for (let tick = 7; tick <= 200; tick += 2) inbox.add(whole(tick))
  expect([inbox.receivedTick, inbox.bytes]).toEqual([200, 3 * 195])
  expect([inbox.take(), inbox.at(6), inbox.at(7)]).toEqual([bundle(6), undefined, bundle(7)])
  inbox.truncate(100)
  expect([inbox.receivedTick, inbox.bytes, inbox.at(101)]).toEqual([100, 3 * 94, undefined])
  expect(takeAll(inbox)).toHaveLength(94)
  inbox.add(whole(101))
  expect(inbox.take()).toEqual(bundle(101))
})

test('who waits for a state may have run further than the tick behind which all is dropped', () => {
  const inbox = new BundleInbox(0)
  inbox.add(whole(1, 20))
  expect(takeAll(inbox)).toHaveLength(20)
  inbox.truncate(10)
  expect([inbox.receivedTick, inbox.readyCount, inbox.bytes]).toEqual([10, 0, 0])
  inbox.add(whole(11))
  expect([inbox.receivedTick, inbox.take()]).toEqual([11, bundle(11)])
})
