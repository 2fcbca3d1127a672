import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { receivedPacketsMax } from '../limits.ts'
import { ReceiveWindow } from './receive-window.ts'
import { firstOf, low16 } from './sequence.ts'

/** The same with a set that forgets nothing. */
class WindowModel {
  readonly seen = new Set<number>()
  newest = -1

  isNew(number: number): boolean {
    return number > this.newest - receivedPacketsMax && !this.seen.has(number)
  }

  add(number: number): void {
    this.seen.add(number)
    this.newest = Math.max(this.newest, number)
  }

  get mask(): number {
    let mask = 0
    for (let bit = 0; bit < 32; bit++) if (this.seen.has(this.newest - 1 - bit)) mask |= 1 << bit
    return mask
  }
}

describe('ReceiveWindow', () => {
  test('takes every packet once and acknowledges what came, over several wraps', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
      { weight: 4, arbitrary: fc.integer({ min: -40, max: 40 }) },
      { weight: 2, arbitrary: fc.integer({ min: -1_100, max: 1_100 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 32_767 }) },
    )
    // A count of many years, too: no number is cut to 32 bits on the way.
    const start = fc.oneof(
      fc.nat(65_535).map(firstOf),
      fc.constantFrom(2 ** 31 - 20, 2 ** 32 - 20, 2 ** 48 - 20),
    )
    fc.assert(
      fc.property(start, fc.array(step, { minLength: 1, maxLength: 300 }), (first, steps) => {
        const window = new ReceiveWindow()
        const model = new WindowModel()
        window.add(first, 0)
        model.add(first)
        for (const [index, by] of steps.entries()) {
          const number = Math.max(model.newest + by, 65_536)
          expect(window.expand(low16(number))).toBe(number)
          expect(window.isNew(number)).toBe(model.isNew(number))
          if (!window.isNew(number)) continue
          window.add(number, index)
          model.add(number)
          expect(window.newest).toBe(model.newest)
          expect(window.mask).toBe(model.mask)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('whatever comes first begins the count', () => {
    const window = new ReceiveWindow()
    expect(window.hasAny).toBe(false)
    window.add(window.expand(9), 0)
    expect(low16(window.newest)).toBe(9)
    expect(window.mask).toBe(0)
    const earlier = window.expand(7)
    expect(window.isNew(earlier)).toBe(true)
    window.add(earlier, 1)
    expect(window.mask).toBe(0b10)
  })

  test('tells how long the newest packet has been there, not the latest to come', () => {
    const window = new ReceiveWindow()
    window.add(window.expand(9), 100)
    window.add(window.expand(8), 150)
    expect(window.heldMs(160)).toBe(60)
  })
})
