import { expect, test } from 'vitest'
import { Prng } from '../base/prng.ts'
import { anyLength, damage } from './damage.ts'

test('damage changes a copy, never the packet, also of a buffer of Node', () => {
  const packet = Buffer.alloc(40, 9)
  const copies = Array.from({ length: 500 }, (_, seed) => damage(packet, new Prng(seed), anyLength))
  expect(packet.every((byte) => byte === 9)).toBe(true)
  // Flips that undo each other, and an end of no bytes that is cut off, are rare.
  expect(copies.filter((copy) => !packet.equals(copy)).length).toBeGreaterThan(480)
})

test('damage makes a packet no shorter and no longer than its receiver takes', () => {
  const range = { bytesMin: 1, bytesMax: 43 }
  const prng = new Prng(1)
  for (const length of [1, 40, 43]) {
    const packet = new Uint8Array(length)
    const lengths = Array.from({ length: 500 }, () => damage(packet, prng, range).length)
    expect(Math.min(...lengths)).toBe(1)
    expect(Math.max(...lengths)).toBe(length === 1 ? 33 : 43)
  }
  expect(damage(new Uint8Array(0), prng, anyLength).length).toBeLessThanOrEqual(32)
})
