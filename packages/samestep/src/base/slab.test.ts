import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slab } from './slab.ts'

const copies = fc.array(
  fc.record({
    size: fc.integer({ min: 0, max: 3_000 }),
    start: fc.nat(7),
    isOfWords: fc.boolean(),
    fill: fc.integer({ min: 1, max: 255 }),
  }),
  { maxLength: 60 },
)

test('every copy has exactly its bytes, and keeps them whatever is copied later', () => {
  fc.assert(
    fc.property(copies, (all) => {
      const slab = new Slab()
      const made = all.map(({ size, start, isOfWords, fill }) => {
        const words = new Uint32Array(Math.ceil((start + size) / 4) + 1).fill(fill * 0x0101_0101)
        const bytes = new Uint8Array(words.buffer)
        const copy = isOfWords ? slab.copyWords(words, size) : slab.copy(bytes, start, start + size)
        // The source is somebody else's, and is used again.
        const expected = new Uint8Array(size).fill(fill)
        bytes.fill(0)
        return { copy, expected }
      })
      for (const { copy, expected } of made) expect(copy).toEqual(expected)
    }),
  )
})

test('small copies share memory, and none keeps more than two kilobytes besides itself alive', () => {
  const slab = new Slab()
  const source = new Uint8Array(5_000)
  const small = Array.from({ length: 40 }, () => slab.copy(source, 0, 100))
  expect(new Set(small.map(({ buffer }) => buffer)).size).toBe(2)
  for (const { buffer } of small) expect(buffer.byteLength).toBe(2_048)
  expect(slab.copy(source, 0, 5_000).buffer.byteLength).toBe(5_000)
})
