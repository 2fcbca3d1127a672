import { expect, test } from 'vitest'
import { copyBytes } from './copy-bytes.ts'

test.each([1, 40, 64, 65, 500])(
  'a copy of %i bytes of a Node buffer is memory of its own',
  (size) => {
    const buffer = Buffer.alloc(600, 7)
    const copy = copyBytes(buffer, 3, 3 + size)
    buffer.fill(9)
    expect(copy).toEqual(new Uint8Array(size).fill(7))
    expect(copy.buffer).not.toBe(buffer.buffer)
  },
)

test('without bounds everything is copied', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, at) => at)
  expect(copyBytes(bytes)).toEqual(bytes)
  expect(copyBytes(bytes.subarray(20, 50))).toEqual(bytes.slice(20, 50))
  expect(copyBytes(bytes, 98)).toEqual(Uint8Array.of(98, 99))
})
