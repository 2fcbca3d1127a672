import { expect, test } from 'vitest'
import { copyLeaves } from './leaf-copy.ts'
import type { PlainLeaf } from './testing/reference.ts'
import { looseSource } from './testing/sources.ts'

const head = Uint8Array.of(9)

function copyOf(leaves: readonly PlainLeaf[], into = new Uint8Array(0)): Uint8Array {
  return copyLeaves(looseSource(leaves), undefined, head, into)
}

function leaf(label: string, bytes: readonly number[], format: PlainLeaf['format'] = 'raw') {
  return { label, bytes: Uint8Array.from(bytes), format }
}

test('a copy says how long every label and every leaf is', () => {
  expect([...copyOf([leaf('a/b', [7, 8])])]).toEqual([9, 3, 0, 97, 47, 98, 2, 0, 0, 0, 7, 8])
  expect(copyOf([leaf('a', [1]), leaf('b', [])])).not.toEqual(
    copyOf([leaf('a', []), leaf('b', [1])]),
  )
})

test('floats are copied by value: one NaN, no negative zero', () => {
  const minusZero = leaf('a', [0, 0, 0, 0x80], 'f32')
  const otherNan = leaf('a', [1, 0, 0xc0, 0xff], 'f32')
  expect(copyOf([minusZero])).toEqual(copyOf([leaf('a', [0, 0, 0, 0], 'f32')]))
  expect(copyOf([otherNan])).toEqual(copyOf([leaf('a', [0, 0, 0xc0, 0x7f], 'f32')]))
  expect(copyOf([leaf('a', [0, 0, 0, 0x80])])).not.toEqual(copyOf([leaf('a', [0, 0, 0, 0])]))
})

test('memory that is large enough is used again, whatever was in it', () => {
  const spare = new Uint8Array(100).fill(255)
  const copy = copyOf([leaf('a', [1, 2, 3])], spare)
  expect(copy.buffer).toBe(spare.buffer)
  expect(copy).toEqual(copyOf([leaf('a', [1, 2, 3])]))
})
