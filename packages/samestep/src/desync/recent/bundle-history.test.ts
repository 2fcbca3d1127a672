import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BundleHistory } from './bundle-history.ts'

/** What a history is, with objects: all bundles from the oldest on. */
class Model {
  kept: Uint8Array[] = []
  oldest = 0

  note(tick: number, bundle: Uint8Array, ticks: number, bytesMax: number): void {
    if (tick !== this.oldest + this.kept.length) {
      this.kept = []
      this.oldest = tick
    }
    this.kept.push(bundle)
    while (this.kept.length > ticks || this.bytes > bytesMax) {
      this.kept.shift()
      this.oldest += 1
    }
  }

  get bytes(): number {
    return this.kept.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }
}

test('whatever sizes come, and wherever ticks begin anew, each bundle that is kept reads as it was', () => {
  const step = fc.record({
    size: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 9_000 })),
    isAnew: fc.integer({ min: 0, max: 30 }).map((draw) => draw === 0),
  })
  const bounds = fc.record({
    ticks: fc.integer({ min: 1, max: 50 }),
    bytesMax: fc.constantFrom(0, 1, 60, 5_000, 20_000),
  })
  fc.assert(
    fc.property(bounds, fc.array(step, { maxLength: 200 }), ({ ticks, bytesMax }, steps) => {
      const history = new BundleHistory(ticks, bytesMax)
      const model = new Model()
      let tick = 0
      for (const { size, isAnew } of steps) {
        tick += isAnew ? 5 : 1
        const bundle = Uint8Array.from({ length: size }, (_, index) => tick + index)
        history.note(tick, bundle)
        model.note(tick, bundle, ticks, bytesMax)
        expect([history.bytes, history.oldestTick]).toEqual([model.bytes, model.oldest])
      }
      for (let at = 0; at <= tick + 1; at++) {
        expect(history.at(at)).toEqual(model.kept[at - model.oldest])
      }
    }),
  )
})

test('a bundle that is written to later, and one that was read, leave the history as it is', () => {
  const history = new BundleHistory(10, 100)
  const bundle = Uint8Array.of(1, 2, 3)
  history.note(0, bundle)
  bundle.fill(9)
  history.at(0)?.fill(8)
  expect(history.at(0)).toEqual(Uint8Array.of(1, 2, 3))
})
