import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fifo } from './fifo.ts'

describe('Fifo', () => {
  test('does what an array does', () => {
    const event = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ shift: fc.integer({ min: 1, max: 200 }) }),
      fc.constant('clear' as const),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const fifo = new Fifo<{ readonly number: number }>()
        const model: { readonly number: number }[] = []
        let number = 0
        for (const what of events) {
          if (what === 'clear') {
            fifo.clear()
            model.length = 0
          } else if ('push' in what) {
            for (let count = 0; count < what.push; count++) {
              const item = { number: number++ }
              fifo.push(item)
              model.push(item)
            }
          } else {
            for (let count = 0; count < what.shift; count++)
              expect(fifo.shift()).toBe(model.shift())
          }
          expect(fifo.length).toBe(model.length)
          expect(fifo.peek()).toBe(model[0])
        }
      }),
    )
  })
})
