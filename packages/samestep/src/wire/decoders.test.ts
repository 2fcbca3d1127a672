/** What must hold for every decoder of the wire, whatever bytes it gets. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromHex } from '../sim/hash/hex.ts'
import { messageTypes } from './messages/messages.ts'
import { wireDecoders } from './testing/decoders.ts'
import {
  allocatedBytes,
  checkCanonical,
  checkEnds,
  checkPlacement,
  hostileBytes,
  refusalOf,
} from './testing/properties.ts'
import { readVectors } from './testing/vector-file.ts'

const vectors = readVectors()
const targets = wireDecoders(vectors)
const messages = targets.find(({ name }) => name === 'control message')!
const relayBundles = targets.find(({ name }) => name === 'RelayBundles')!
const turns = targets.find(({ name }) => name === 'ClientTurn: everything')!

describe.each(targets)('$name', (target) => {
  test('[P1, P3] gives a WireError, or the same bytes again', () => {
    checkCanonical(target, 400)
  })

  test('[P7] does not care where the bytes lie', () => {
    checkPlacement(target, 60)
  })

  test('[P6] takes no more memory than 4 KiB and some for each byte', () => {
    fc.assert(
      fc.property(hostileBytes(target.seeds), (bytes) => {
        // Encoding again and its scratch count as well, hence more than one byte per byte.
        expect(allocatedBytes(() => target.recode(bytes))).toBeLessThanOrEqual(
          4_096 + 4 * bytes.length,
        )
      }),
      { numRuns: 100 },
    )
  })
})

test.each(targets.filter(({ isSelfDelimiting }) => isSelfDelimiting))(
  '[P4, P5] $name: a byte less or a byte more is refused',
  (target) => {
    checkEnds(target)
  },
)

describe('RelayBundles, whose last bundle ends where the message does', () => {
  test('[P4] breaks off before its last bundle only to be refused', () => {
    for (const { hex, bundles, part } of vectors.relayBundles) {
      const bytes = fromHex(hex)
      const last = part === null ? (bundles.at(-1) as string).length / 2 : part.end - part.start
      for (let length = 0; length <= bytes.length - last; length++) {
        expect(refusalOf(() => relayBundles.recode(bytes.subarray(0, length)))).toBeDefined()
      }
    }
  })

  test('[P5] is refused when its last bundle is longer than any', () => {
    const bytes = new Uint8Array(2 + 4_096)
    bytes[0] = 0x80
    bytes[1] = 44
    expect(refusalOf(() => relayBundles.recode(bytes))).toBeUndefined()
    expect(refusalOf(() => relayBundles.recode(new Uint8Array([...bytes, 0])))).toBe(
      'SS_WIRE_TOO_LARGE',
    )
  })
})

describe('[P8] the first byte', () => {
  const numbers = new Set<number>(Object.values(messageTypes).map(({ number }) => number))

  test('belongs to one kind of message at most', () => {
    for (let first = 0; first < 256; first++) {
      const isKnown = [numbers.has(first), first >= 0x40 && first < 0x50, first >= 0x80]
      expect(isKnown.filter(Boolean).length).toBeLessThanOrEqual(1)
    }
  })

  test('that no message has is refused as unknown', () => {
    for (let first = 0; first < 256; first++) {
      if (numbers.has(first)) continue
      expect(refusalOf(() => messages.recode(Uint8Array.of(first, 0, 0)))).toBe('SS_WIRE_UNKNOWN')
    }
  })

  test('of a turn or of bundles is refused by the other', () => {
    for (let first = 0; first < 256; first++) {
      const bytes = Uint8Array.of(first, 44, 0)
      if (first < 0x80) expect(refusalOf(() => relayBundles.recode(bytes))).toBe('SS_WIRE_UNKNOWN')
      const isTurn = first >= 0x40 && first < 0x50
      if (!isTurn) expect(refusalOf(() => turns.recode(bytes))).toBe('SS_WIRE_UNKNOWN')
    }
  })
})

test('[P6] a length beyond the bytes is refused before anything is made for it', () => {
  // A list of 8 protocols of 31 bytes each, of which nothing is there.
  const hello = Uint8Array.of(1, 0x53, 0x53, 0x54, 0x50, 0xf8, 0x07)
  expect(allocatedBytes(() => messages.recode(hello))).toBe(0)
  // An order of 1 023 bytes in a turn of 9.
  const turn = Uint8Array.of(0x41, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x00)
  expect(refusalOf(() => turns.recode(turn))).toBe('SS_WIRE_TRUNCATED')
  expect(allocatedBytes(() => turns.recode(turn))).toBe(0)
})

test('what counts allocations sees them', () => {
  expect(allocatedBytes(() => new Uint8Array(100))).toBe(100)
  expect(allocatedBytes(() => new Uint32Array(100))).toBe(400)
})
