import { expect, test } from 'vitest'
import { machineTiming } from './timing.ts'

test("the machine's timers take the past and the far future", async () => {
  const fired: string[] = []
  const undo = machineTiming.schedule(() => fired.push('far'), 1e12)
  await new Promise<void>((resolve) => {
    machineTiming.schedule(() => {
      fired.push('past')
      resolve()
    }, -5)
  })
  undo()
  expect(fired).toEqual(['past'])
  const before = machineTiming.nowMs()
  expect(machineTiming.nowMs()).toBeGreaterThanOrEqual(before)
})
