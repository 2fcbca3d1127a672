import { describe, expect, test } from 'vitest'
import type { StateHash, SyncHash } from './hashes.ts'
import { isStateHash, stateHashFromBytes, stateHashToBytes, syncHashFromWords } from './hashes.ts'
import { fromHex, toHex } from './hex.ts'

describe('a sync hash', () => {
  test.each([
    [0, 0, '0000000000000000'],
    [1, 0, '0000000000000001'],
    [0xffffffff, 0x12, '00000012ffffffff'],
    [-1, -2, 'fffffffeffffffff'],
  ])('of the words %i and %i is spelt %3$s', (lo, hi, text) => {
    expect(syncHashFromWords(lo, hi)).toBe(text)
  })
})

describe('a state hash', () => {
  test('is 32 bytes, there and back', () => {
    const bytes = Uint8Array.from({ length: 40 }, (_none, index) => index * 7)
    const hash = stateHashFromBytes(bytes, 8)
    expect(hash).toBe(Buffer.from(bytes.subarray(8)).toString('hex'))
    expect(stateHashToBytes(hash)).toEqual(bytes.slice(8))
    expect(() => stateHashFromBytes(bytes, 9)).toThrow('32 bytes')
  })

  test.each([
    '',
    '0'.repeat(63),
    '0'.repeat(65),
    'A'.repeat(64),
    '0'.repeat(16),
    `${'0'.repeat(63)}\n`,
  ])('is never read from %j', (text) => {
    expect(isStateHash(text)).toBe(false)
  })

  test('is neither a sync hash nor a text, to the compiler', () => {
    const sync: SyncHash = syncHashFromWords(1, 2)
    const state: StateHash = stateHashFromBytes(new Uint8Array(32))
    // @ts-expect-error 64 bits must not stand where 256 are needed.
    const wrong: StateHash = sync
    // @ts-expect-error Nor the other way round.
    const wrongToo: SyncHash = state
    // @ts-expect-error A text is not known to be one.
    const unchecked: SyncHash = '0000000000000000'
    expect([wrong, wrongToo, unchecked]).toEqual([sync, state, '0000000000000000'])
  })
})

describe('hexadecimal', () => {
  test('is lower case, two digits per byte, there and back', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_none, index) => index)
    expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'))
    expect(fromHex(toHex(bytes))).toEqual(bytes)
    expect(fromHex('')).toEqual(new Uint8Array(0))
  })

  test.each(['0', 'AB', '0x', 'zz', '00 ', '00\n'])('is never read from %j', (text) => {
    expect(() => fromHex(text)).toThrow(expect.objectContaining({ code: 'SS_WIRE_NOT_CANONICAL' }))
  })
})
