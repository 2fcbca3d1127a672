import { expect, test } from 'vitest'
import { Prng } from '../../../base/prng.ts'
import { StreamQueue } from './stream-queue.ts'

test('a stream queue agrees with a list over random pushes, drops and clears', () => {
  const prng = new Prng(1)
  const queue = new StreamQueue()
  let model: { kind: number; bytes: Uint8Array; arrivalUs: number }[] = []
  for (let turn = 0; turn < 20_000; turn++) {
    const what = prng.below(1000)
    if (what < 510) {
      const entry = { kind: prng.below(3), bytes: new Uint8Array(prng.below(50)), arrivalUs: turn }
      queue.push(entry.kind, entry.bytes, entry.arrivalUs)
      model.push(entry)
    } else if (what < 998 && model.length > 0) {
      queue.dropFirst()
      model.shift()
    } else if (what >= 998) {
      queue.clear()
      model = []
    }
    const isSame =
      queue.isEmpty === (model.length === 0) &&
      queue.waitingBytes === model.reduce((sum, { bytes }) => sum + bytes.length, 0) &&
      (model.length === 0 ||
        (queue.firstKind === model[0]!.kind &&
          queue.firstBytes === model[0]!.bytes &&
          queue.firstArrivalUs === model[0]!.arrivalUs))
    if (!isSame) expect.fail(`differs after turn ${turn}`)
  }
  expect(model.length).toBeGreaterThan(0)
})
