import { describe, expect, test } from 'vitest'
import { Trace } from './trace.ts'

type Event = Parameters<Trace['hash']>

function digestOf(events: readonly Event[]): string {
  const trace = new Trace()
  for (const event of events) trace.hash(...event)
  return trace.digest()
}

describe('Trace', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7)
  const event: Event = [1, 123_456_789, 3, 7, bytes]

  test('is pinned: the hash of an event never changes', () => {
    expect(digestOf([])).toBe('243f6a8813198a2e')
    expect(digestOf([event, [4, 2 ** 40, 0, -1]])).toBe('5378c7f9ff3ec829')
  })

  test('another time, kind, node, link, byte or length gives another hash', () => {
    const digests = new Set([digestOf([event])])
    const others: Event[] = [
      [2, 123_456_789, 3, 7, bytes],
      [1, 123_456_790, 3, 7, bytes],
      [1, 123_456_789 + 2 ** 32, 3, 7, bytes],
      [1, 123_456_789, 4, 7, bytes],
      [1, 123_456_789, 3, 8, bytes],
      [1, 123_456_789, 3, 7],
      [1, 123_456_789, 3, 7, new Uint8Array(0)],
    ]
    for (let index = 0; index < bytes.length; index++) {
      others.push([1, 123_456_789, 3, 7, bytes.with(index, bytes[index]! ^ 0x80)])
      others.push([1, 123_456_789, 3, 7, bytes.slice(0, index + 1).fill(0)])
    }
    for (const other of others) digests.add(digestOf([other]))
    expect(digests.size).toBe(1 + others.length)
  })

  test('the sequence counts', () => {
    const other: Event = [1, 123_456_789, 4, 7, bytes]
    expect(digestOf([event, other])).not.toBe(digestOf([other, event]))
  })

  test('keeps the last lines in readable form, and none unless asked', () => {
    const silent = new Trace()
    silent.note('unheard', 1)
    expect([silent.isKeepingLines, silent.lines()]).toEqual([false, []])
    const trace = new Trace(3)
    trace.note('too old', 1)
    trace.keep(4, 1_500, 'relay', -1)
    trace.note('fault begins', 2_000_000)
    trace.keep(1, 2_000_001, 'c1', 9, new Uint8Array(20).fill(0xab))
    expect(trace.lines()).toEqual([
      '       1.500  relay    time',
      '    2000.000  * fault begins',
      '    2000.001  c1       packet link 9 20 B abababababababababababab…',
    ])
  })
})
