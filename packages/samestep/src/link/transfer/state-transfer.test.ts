import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { chunkBytes, chunkHashBytes } from '../../wire/messages/state-transfer.ts'
import type { Chunk } from './manifest.ts'
import { StateFetch } from './state-fetch.ts'
import { StateOffer } from './state-offer.ts'

const hash = new Uint8Array(32).fill(7)

/** Bytes that compress a little, and differ from place to place. */
function someBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let word = seed
  for (let index = 0; index < length; index++) {
    if (index % 3 === 0) word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = word >>> 24
  }
  return bytes
}

/** Asks and answers until there is nothing more to ask, or so many asks were made. */
function exchange(fetch: StateFetch, offer: StateOffer, asksMax = 1_000, stepMs = 1): number {
  let asks = 0
  for (let nowMs = 0; nowMs < 1_000_000 && asks < asksMax; nowMs += stepMs) {
    const wanted = fetch.pollFetch(nowMs)
    if (wanted === undefined) {
      if (fetch.isComplete) break
      continue
    }
    asks += 1
    if (wanted.count === 0) fetch.handleManifest(offer.manifest, nowMs)
    for (let index = wanted.first; index < wanted.first + wanted.count; index++) {
      fetch.handleChunk(offer.chunk(index), nowMs)
    }
  }
  return asks
}

const policy = { windowMax: 8, share: 1 }

describe('a state in chunks', () => {
  test.each([1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 10 * chunkBytes + 17])(
    'of %i bytes arrives as it was',
    (length) => {
      const bytes = someBytes(length)
      const fetch = new StateFetch(90, policy, 0)
      exchange(fetch, new StateOffer(90, hash, bytes))
      expect(fetch.isComplete).toBe(true)
      expect(fetch.bytesHere).toBe(length)
      expect(fetch.assemble()).toEqual(bytes)
    },
  )

  test('whose chunks do not compress travels as it is', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => (index * 73 + index * index) & 255)
    const offer = new StateOffer(5, hash, bytes)
    expect(offer.chunk(0).isDeflated).toBe(false)
    const fetch = new StateFetch(5, policy, 0)
    exchange(fetch, offer)
    expect(fetch.assemble()).toEqual(bytes)
  })

  test('can be passed on as it came', () => {
    const bytes = someBytes(3 * chunkBytes)
    const fetch = new StateFetch(90, policy, 0)
    const offer = new StateOffer(90, hash, bytes)
    exchange(fetch, offer)
    const passedOn = fetch.offer(true)
    expect(passedOn.manifest).toEqual({ ...offer.manifest, isAgreed: true })
    expect(passedOn.chunk(2)).toEqual(offer.chunk(2))
  })

  test('asks for more at once while chunks come quickly, and never for more than it may', () => {
    const fetch = new StateFetch(90, { windowMax: 4, share: 1 }, 0)
    const offer = new StateOffer(90, hash, someBytes(20 * chunkBytes))
    fetch.pollFetch(0)
    fetch.handleManifest(offer.manifest, 0)
    const counts: number[] = []
    for (let nowMs = 0; !fetch.isComplete; nowMs++) {
      const wanted = fetch.pollFetch(nowMs)
      if (wanted === undefined) continue
      counts.push(wanted.count)
      for (let at = 0; at < wanted.count; at++) {
        fetch.handleChunk(offer.chunk(wanted.first + at), nowMs)
      }
    }
    expect(counts).toEqual([1, 2, 4, 4, 4, 4, 1])
  })

  test('leaves the rest of a thin line to its own traffic', () => {
    const fetch = new StateFetch(90, { windowMax: 4, share: 0.25 }, 0)
    const offer = new StateOffer(90, hash, someBytes(4 * chunkBytes))
    fetch.pollFetch(0)
    fetch.handleManifest(offer.manifest, 40)
    fetch.pollFetch(40)
    // 40 ms of it are the round trip; the line was busy for 100.
    fetch.handleChunk(offer.chunk(0), 180, 40)
    expect(fetch.wakeAtMs()).toBe(180 + 300)
    expect(fetch.pollFetch(479)).toBeUndefined()
    expect(fetch.pollFetch(480)).toEqual({ tick: 90, first: 1, count: 1 })
  })
})

describe('what a bad sender does', () => {
  const offer = new StateOffer(90, hash, someBytes(3 * chunkBytes))

  function begun(): StateFetch {
    const fetch = new StateFetch(90, policy, 0)
    fetch.pollFetch(0)
    fetch.handleManifest(offer.manifest, 0)
    fetch.pollFetch(0)
    return fetch
  }

  test.each<[string, (chunk: Chunk) => Chunk]>([
    [
      'other bytes',
      (chunk) => ({
        ...chunk,
        content: new StateOffer(90, hash, someBytes(chunkBytes, 2)).chunk(0).content,
      }),
    ],
    ['a chunk of another place', () => ({ ...offer.chunk(1), index: 0 })],
    [
      'compressed bytes that are none',
      (chunk) => ({ ...chunk, isDeflated: true, content: someBytes(50) }),
    ],
    ['too few bytes', (chunk) => ({ ...chunk, isDeflated: false, content: new Uint8Array(3) })],
  ])('%s: the chunk is refused, and the good one is still taken', (_, change) => {
    const fetch = begun()
    expect(() => fetch.handleChunk(change(offer.chunk(0)), 1)).toThrow(WireError)
    expect(fetch.bytesHere).toBe(0)
    expect(fetch.handleChunk(offer.chunk(0), 2)).toBe(true)
  })

  test('a chunk twice, of another state, or that there is none of, counts for nothing', () => {
    const fetch = begun()
    expect(fetch.handleChunk(offer.chunk(0), 1)).toBe(true)
    expect(fetch.handleChunk(offer.chunk(0), 1)).toBe(false)
    expect(fetch.handleChunk({ ...offer.chunk(1), tick: 91 }, 1)).toBe(false)
    expect(fetch.handleChunk({ ...offer.chunk(1), index: 3 }, 1)).toBe(false)
    expect(fetch.bytesHere).toBe(chunkBytes)
  })

  test.each([
    { ...offer.manifest, tick: 91 },
    { ...offer.manifest, bytes: 0, chunkHashes: new Uint8Array(0) },
    { ...offer.manifest, chunkHashes: offer.manifest.chunkHashes.subarray(chunkHashBytes) },
    { ...offer.manifest, hash: new Uint8Array(31) },
  ])('a manifest that contradicts itself, or of another state, is refused', (manifest) => {
    const fetch = new StateFetch(90, policy, 0)
    fetch.pollFetch(0)
    expect(() => fetch.handleManifest(manifest, 0)).toThrow(WireError)
  })

  test('another sender of the same state goes on where the first one stopped (T-61)', () => {
    const fetch = begun()
    fetch.handleChunk(offer.chunk(0), 1)
    fetch.restart(2_000)
    // What the first one sent meanwhile is not believed before the second has said what there is.
    expect(fetch.handleChunk(offer.chunk(1), 2_000)).toBe(false)
    expect(fetch.pollFetch(2_000)).toEqual({ tick: 90, first: 0, count: 0 })
    fetch.handleManifest(offer.manifest, 2_001)
    expect(fetch.pollFetch(2_001)).toEqual({ tick: 90, first: 1, count: 1 })
  })

  test('of two senders who contradict each other nothing of the first is kept', () => {
    const fetch = begun()
    fetch.handleChunk(offer.chunk(0), 1)
    fetch.restart(2_000)
    fetch.pollFetch(2_000)
    const other = new StateOffer(90, hash, someBytes(3 * chunkBytes, 9))
    fetch.handleManifest(other.manifest, 2_001)
    expect(fetch.bytesHere).toBe(0)
    expect(fetch.pollFetch(2_001)).toEqual({ tick: 90, first: 0, count: 1 })
  })
})
