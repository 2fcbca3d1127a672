import { expect, test } from 'vitest'
import { RandomPool } from './random-pool.ts'

test('gives as many bytes as are asked for, and never the same ones again', () => {
  const pool = new RandomPool()
  const seen = new Set<string>()
  let taken = 0
  for (const count of [8, 16, 4_096, 9_000, 8, 12, 4_090]) {
    for (let turn = 0; turn < 600; turn++) {
      const bytes = pool.take(count)
      expect(bytes.length).toBe(count)
      seen.add(Buffer.from(bytes).toString('hex'))
      taken += 1
    }
  }
  expect(seen.size).toBe(taken)
})

test('what was given out belongs to its taker alone', () => {
  const pool = new RandomPool()
  const first = pool.take(32)
  const kept = Uint8Array.from(first)
  for (let turn = 0; turn < 1_000; turn++) pool.take(32).fill(7)
  expect(first).toEqual(kept)
  expect(first.buffer.byteLength).toBe(32)
})
