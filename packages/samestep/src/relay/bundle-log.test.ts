import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logTicksMax } from '../wire/limits.ts'
import { BundleLog } from './bundle-log.ts'

function bundle(tick: number): Uint8Array {
  return new Uint8Array(1 + (tick % 7)).fill(tick)
}

test('an empty log has sealed nothing and keeps nothing', () => {
  const log = new BundleLog()
  expect([log.sealedTick, log.firstTick, log.bytes]).toEqual([0, 1, 0])
  expect(() => log.at(1)).toThrowError(/Tick 1 is not in the log/)
})

test('ticks are found by their numbers, until they are dropped', () => {
  const log = new BundleLog()
  for (let tick = 1; tick <= 10; tick++) log.append(bundle(tick))
  expect(log.at(1)).toEqual(bundle(1))
  log.dropBefore(4)
  expect([log.firstTick, log.sealedTick]).toEqual([4, 10])
  expect(() => log.at(3)).toThrowError(/not in the log/)
  expect(() => log.at(11)).toThrowError(/not in the log/)
  expect(log.at(4)).toEqual(bundle(4))
})

test('dropping more than there is leaves an empty log that goes on with the next tick', () => {
  const log = new BundleLog()
  log.append(bundle(1))
  log.dropBefore(1_000)
  expect([log.firstTick, log.sealedTick, log.bytes]).toEqual([2, 1, 0])
  log.append(bundle(2))
  expect(log.at(2)).toEqual(bundle(2))
})

test('a full log lets the oldest go: no more than the limit is ever kept', () => {
  const log = new BundleLog()
  for (let tick = 1; tick <= logTicksMax + 5; tick++) log.append(bundle(tick))
  expect([log.firstTick, log.sealedTick]).toEqual([6, logTicksMax + 5])
})

test('bytes are those of the ticks that are kept, over any sequence of steps', () => {
  const step = fc.oneof(fc.constant('append' as const), fc.nat(60))
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 100 }),
      fc.integer({ min: 1, max: 20 }),
      (all, most) => {
        const log = new BundleLog(most)
        for (const next of all) {
          if (next === 'append') log.append(bundle(log.sealedTick + 1))
          else log.dropBefore(next)
          let bytes = 0
          for (let tick = log.firstTick; tick <= log.sealedTick; tick++) {
            expect(log.at(tick)).toEqual(bundle(tick))
            bytes += log.at(tick).byteLength
          }
          expect(log.bytes).toBe(bytes)
          expect(log.sealedTick - log.firstTick + 1).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})
