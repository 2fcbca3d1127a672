import { expect, test } from 'vitest'
import { Stage, stream } from './stage.ts'

test('a client that is five times too slow for 20 s disturbs nobody, and catches up', () => {
  const stage = new Stage({ ada: {}, bob: { line: stream }, slow: {} })
  stage.run(5_000)
  const slow = stage.player('slow')
  slow.machine.slowDown(10)
  const [fromMs, toMs] = [stage.world.nowMs, stage.world.nowMs + 20_000]
  stage.run(20_000)
  const lag = slow.client.cursors.sealedTick - slow.client.cursors.simulatedTick
  expect(lag).toBeGreaterThan(400)
  expect(stage.sealGapMs(fromMs, toMs)).toBeLessThan(40)
  for (const name of ['ada', 'bob']) expect(stage.runGapMs(name, fromMs, toMs)).toBeLessThan(80)
  slow.machine.slowDown(0.25)
  stage.run(10_000)
  expect(slow.client.cursors.sealedTick - slow.client.cursors.simulatedTick).toBeLessThan(5)
  expect(slow.closedReason).toBeUndefined()
  stage.finish()
  expect(stage.oracle.unsettled()).toEqual([])
})
