import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../base/crc32.ts'
import { WireError } from '../base/errors.ts'
import type { RecordItem } from './reader.ts'
import { RecordReader } from './reader.ts'
import { scanRecord } from './scan.ts'
import { makeSampleRecord, sampleGroups, sampleId, sampleMatch } from './testing/sample.ts'
import { RecordWriter } from './writer.ts'

const sample = makeSampleRecord()
const entries = sampleGroups().flat()

function scan(...pieces: Uint8Array[]) {
  const items: RecordItem[] = []
  const end = scanRecord(pieces, (item) => items.push(item))
  return { ...end, items }
}

const whole = scan(sample)

/** Where each entry ends, the head first. */
const ends = [...whole.items.slice(1).map(({ offset }) => offset), sample.length]

test('a reader gives what was written, entry by entry', () => {
  expect(whole.items.map(({ entry }) => entry)).toEqual(entries)
  expect(whole).toMatchObject({ wholeBytes: sample.length, lostBytes: 0, error: undefined })
})

test('ticks are counted from the bundles, and go on behind a gap', () => {
  const bundles = whole.items.filter(({ entry }) => entry.name === 'bundle')
  expect(bundles.map(({ tick }) => tick)).toEqual([1, 2, 3, 4, 10])
})

test('only the last entry of a group says that the group is complete', () => {
  const sizes = sampleGroups().map((group) => group.length)
  const lasts = whole.items.flatMap(({ isLast }, index) => (isLast ? [index] : []))
  let at = -1
  expect(lasts).toEqual(sizes.map((size) => (at += size)))
})

test('a reader gives the same however the bytes are cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sizes) => {
      const reader = new RecordReader()
      const items: RecordItem[] = []
      for (let at = 0, turn = 0; at < sample.length; turn++) {
        const size = sizes[turn % sizes.length] as number
        reader.push(sample.subarray(at, at + size))
        at += size
        for (let item = reader.next(); item; item = reader.next()) items.push(item)
      }
      expect(items).toEqual(whole.items)
    }),
    { numRuns: 50 },
  )
})

describe('[F-16] a torn file', () => {
  test('cut at any byte gives every entry before the cut, and says how many bytes are lost', () => {
    for (let cut = 0; cut <= sample.length; cut++) {
      const { items, wholeBytes, lostBytes, error } = scan(sample.subarray(0, cut))
      const complete = ends.filter((end) => end <= cut)
      expect(items.length).toBe(complete.length)
      expect(wholeBytes).toBe(complete.at(-1) ?? (cut < 20 ? 0 : 20))
      expect(lostBytes).toBe(cut - wholeBytes)
      expect(error?.code).toBe(lostBytes === 0 ? undefined : 'SS_WIRE_TRUNCATED')
    }
  })
})

describe('[T-75] a changed file', () => {
  test('any single bit that is turned over is found at the entry that it is in', () => {
    for (let bit = 0; bit < 8 * sample.length; bit++) {
      const bytes = sample.slice()
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      const { items, error } = scan(bytes)
      const before = ends.filter((end) => end <= bit >>> 3).length
      const isInHead = bit >>> 3 < 20
      expect(error, `bit ${bit}`).toBeInstanceOf(WireError)
      expect(items.length, `bit ${bit}`).toBe(isInHead ? 0 : before)
    }
  })

  test('an entry that is left out, doubled or moved is found', () => {
    const parts = [20, ...ends].map((start, index, all) =>
      sample.subarray(start, all[index + 1] ?? sample.length),
    )
    const head = sample.subarray(0, 20)
    // Not the last: without it the file only ends earlier.
    for (let index = 0; index < parts.length - 2; index++) {
      const left = [...parts.slice(0, index), ...parts.slice(index + 1)]
      expect(scan(head, ...left).items.length).toBe(index)
      const doubled = [...parts.slice(0, index + 1), ...parts.slice(index)]
      expect(scan(head, ...doubled).items.length).toBe(index + 1)
      const moved = [...parts.slice(0, index), parts[index + 1]!, parts[index]!]
      expect(scan(head, ...moved).items.length).toBe(index)
    }
  })

  test('entries of another file do not fit, even behind the same entries', () => {
    const other = new RecordWriter(sampleId.map((byte) => byte ^ 1))
    for (const group of sampleGroups()) other.appendGroup(0, group)
    const theirs = other.take().slice()
    const cut = ends[3] as number
    const { items, error } = scan(sample.subarray(0, cut), theirs.subarray(cut))
    expect(items.length).toBe(4)
    expect(error?.code).toBe('SS_WIRE_BAD_CHECKSUM')
  })
})

describe('[T-79] a hostile file', () => {
  test('whatever the bytes are, reading throws nothing and gives at most what was written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasHead) => {
        const { items, wholeBytes, lostBytes } = hasHead
          ? scan(sample.subarray(0, 20), bytes)
          : scan(bytes)
        expect(wholeBytes + lostBytes).toBe(bytes.length + (hasHead ? 20 : 0))
        expect(items).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('a length beyond the largest entry of its kind is refused before its bytes come', () => {
    const reader = new RecordReader()
    reader.push(sample.subarray(0, 20))
    reader.push(Uint8Array.of(2, 0xff, 0xff, 0xff, 0x7f))
    expect(() => reader.next()).toThrow(expect.objectContaining({ code: 'SS_WIRE_TOO_LARGE' }))
    expect(() => reader.next()).toThrow(WireError)
  })

  test.each([
    ['an entry before its match', [2, 0], 'SS_WIRE_UNKNOWN'],
    ['a kind that nobody has', [63, 0], 'SS_WIRE_UNKNOWN'],
    ['a length that is written too long', [2, 0x80, 0x00], 'SS_WIRE_NOT_CANONICAL'],
    ['a match that is named although it is the same', [0x82, 0x00, 0x00], 'SS_WIRE_NOT_CANONICAL'],
  ])('%s is refused', (_, bytes, code) => {
    const head = sample.subarray(0, 20)
    expect(scan(head, withCheck(head, bytes)).error?.code).toBe(code)
  })

  test('a file of another kind, and of a version to come, are told apart', () => {
    const later = sample.slice(0, 20)
    later[4] = 2
    expect(scan(Uint8Array.from({ length: 40 }, () => 1)).error?.code).toBe('SS_WIRE_BAD_MAGIC')
    expect(scan(withHeadCheck(later)).error?.code).toBe('SS_WIRE_BAD_VERSION')
  })
})

test('reading goes on from any place between two entries', () => {
  const reader = new RecordReader()
  reader.push(sample)
  for (let count = 0; ; count++) {
    if (reader.next() === undefined) break
    const place = reader.place!
    const later = new RecordReader(place)
    later.push(sample.subarray(place.offset))
    const items: RecordItem[] = []
    for (let item = later.next(); item; item = later.next()) items.push(item)
    expect(items).toEqual(whole.items.slice(count + 1))
  }
})

test('a record can be about several matches, and each has ticks of its own', () => {
  const writer = new RecordWriter(sampleId)
  writer.append(0, { name: 'match', body: sampleMatch })
  writer.append(1, { name: 'match', body: { ...sampleMatch, id: 'other' } })
  for (const match of [1, 1, 0, 1]) writer.appendBundle(match, Uint8Array.of(0))
  const { items, error } = scan(writer.take())
  expect(error).toBeUndefined()
  expect(items.slice(2).map(({ match, tick }) => [match, tick])).toEqual([
    [1, 1],
    [1, 2],
    [0, 1],
    [1, 3],
  ])
})

function withHeadCheck(head: Uint8Array): Uint8Array {
  return Uint8Array.from([...head.subarray(0, 16), ...checkOf(head.subarray(0, 16), 0)])
}

function withCheck(head: Uint8Array, bytes: readonly number[]): Uint8Array {
  const entry = Uint8Array.from(bytes)
  return Uint8Array.from([...entry, ...checkOf(entry, readU32(head, 16))])
}

function checkOf(bytes: Uint8Array, previous: number): number[] {
  const check = crc32(bytes, bytes.length, 0, previous)
  return [check, check >>> 8, check >>> 16, check >>> 24].map((byte) => byte & 255)
}

function readU32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)
}
