import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slab } from './slab.ts'

const copies = fc.array(
  fc.record({
    size: fc.integer({ min: 0, max: 3_000 }),
    fill: fc.integer({ min: 1, max: 255 }),
  }),
  { maxLength: 60 },
)

test('every copy has exactly its bytes, and keeps them whatever is copied later', () => {
  fc.assert(
    fc.property(copies, (all) => {
      const slab = new Slab()
      const made = all.map(({ size, fill }) => {
        const words = new Uint32Array(Math.ceil(size / 4)).fill(fill * 0x0101_0101)
        const copy = slab.copy(words, size)
        // The source is somebody else's, and is used again.
        const expected = new Uint8Array(size).fill(fill)
        words.fill(0)
        return { copy, expected }
      })
      for (const { copy, expected } of made) expect(copy).toEqual(expected)
    }),
  )
})

test('small copies share memory, and none keeps more than two kilobytes besides itself alive', () => {
  const slab = new Slab()
  const source = new Uint32Array(1_250)
  const small = Array.from({ length: 40 }, () => slab.copy(source, 100))
  expect(new Set(small.map(({ buffer }) => buffer)).size).toBe(2)
  for (const { buffer } of small) expect(buffer.byteLength).toBe(2_048)
  expect(slab.copy(source, 5_000).buffer.byteLength).toBe(5_000)
})
