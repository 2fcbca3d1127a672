import { expect, test } from 'vitest'
import { digestNow } from '../../client/state/digests.ts'
import { machineTiming } from '../../transport/timing.ts'
import { digestFor, digestInSlices } from './digest.ts'

const bytes = Uint8Array.from({ length: 100_003 }, (_, index) => (index * index) >> 4)

/** A clock that goes on by so much whenever somebody looks at it. */
function slowClock(stepMs: number) {
  let nowMs = 0
  const due: (() => void)[] = []
  const timing = {
    nowMs: () => {
      nowMs += stepMs
      return nowMs
    },
    schedule: (callback: () => void) => {
      due.push(callback)
      return () => {}
    },
  }
  return { timing, due }
}

test.each([1, 64, 16_384, 100_003])('pieces of %i bytes hash the same in slices', (pieceBytes) => {
  const job = { bytes: bytes.subarray(0, pieceBytes === 1 ? 70 : bytes.length), pieceBytes }
  const { timing, due } = slowClock(1)
  let hashes: Uint8Array | undefined
  digestInSlices(timing)(job, (answer) => {
    hashes = answer
  })
  expect(hashes).toBeUndefined()
  for (let work = due.shift(); work; work = due.shift()) work()
  expect(hashes).toEqual(digestNow(job))
})

test('a slice ends when other work has waited long enough', () => {
  const { timing, due } = slowClock(5)
  digestInSlices(timing)({ bytes, pieceBytes: bytes.length }, () => {})
  let slices = 0
  for (let work = due.shift(); work; work = due.shift()) {
    work()
    slices += 1
  }
  expect(slices).toBe(Math.ceil(100_003 / 16_384))
})

test('the platform gives the same, and never inside of the question', async () => {
  const job = { bytes, pieceBytes: 16_384 }
  let isAsking = true
  const hashes = await new Promise<Uint8Array>((resolve) => {
    digestFor(machineTiming)(job, (answer) => {
      expect(isAsking).toBe(false)
      resolve(answer)
    })
    isAsking = false
  })
  expect(hashes).toEqual(digestNow(job))
})

test('where tests own the time, the answer is there at once', () => {
  const job = { bytes, pieceBytes: 1_000 }
  const answers: Uint8Array[] = []
  digestFor(slowClock(1).timing)(job, (answer) => answers.push(answer))
  expect(answers).toEqual([digestNow(job)])
})
