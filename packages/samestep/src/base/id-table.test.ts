import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdTable } from './id-table.ts'

/** Few places in which numbers meet, and numbers beyond those of 32 bits. */
const id = fc.constantFrom(1, 2, 4_097, 4_098, 8_193, 2 ** 31 + 1, 2 ** 32 + 1, 2 ** 40 + 2)

test('items by number are found as in a map, also where two numbers share a place', () => {
  const step = fc.record({ kind: fc.constantFrom('set', 'delete', 'get'), id })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = new IdTable<{ readonly id: number }>()
      const naive = new Map<number, { readonly id: number }>()
      for (const { kind, id } of steps) {
        if (kind === 'set') {
          const item = { id }
          table.set(item)
          naive.set(id, item)
        } else if (kind === 'delete') {
          table.delete(id)
          naive.delete(id)
        }
        expect(table.get(id)).toBe(naive.get(id))
      }
      expect([...table.values()]).toEqual([...naive.values()])
      expect(table.size).toBe(naive.size)
    }),
  )
})
