import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from './crc32.ts'

test('the check value of CRC-32 is cbf43926', () => {
  expect(crc32(new TextEncoder().encode('123456789'), 9).toString(16)).toBe('cbf43926')
})

test('it agrees with zlib on any bytes, and reads none from the end on', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, cut) => {
      const end = Math.min(cut, bytes.length)
      expect(crc32(bytes, end)).toBe(zlibCrc32(bytes.subarray(0, end)))
    }),
  )
})

test('it goes on from the CRC of what came before, as zlib does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, cut) => {
      const middle = Math.min(cut, bytes.length)
      const first = crc32(bytes, middle)
      expect(crc32(bytes, bytes.length, middle, first)).toBe(zlibCrc32(bytes))
    }),
  )
})
