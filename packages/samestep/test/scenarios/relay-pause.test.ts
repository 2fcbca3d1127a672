import { expect, test } from 'vitest'
import { datagrams, Stage, stream } from './stage.ts'

const interval = 1_000 / 30

test('F-14 a relay that stands still for 800 ms goes on paced, and blames nobody', () => {
  const stage = new Stage({ ada: { line: stream }, bob: { line: datagrams } })
  stage.run(5_000)
  const pausedAtMs = stage.world.nowMs
  stage.world.trouble.pauseNode(stage.relayNode, 800)
  stage.oracle.noteDisturbed(800)
  stage.run(5_000)
  const before = stage.sealedAtMs.filter((at) => at <= pausedAtMs)
  const after = stage.sealedAtMs.filter((at) => at > pausedAtMs)
  expect(after[0]).toBeGreaterThanOrEqual(pausedAtMs + 800)
  const gaps = after.slice(1).map((at, index) => at - (after[index] as number))
  // Never faster than twice the pace, and back to the usual one when 200 ms are made up.
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(interval / 2 - 0.01)
  expect(gaps.filter((gap) => gap < interval * 0.9).length).toBeLessThanOrEqual(14)
  const owed = Math.floor((stage.world.nowMs - (before[0] as number)) / interval)
  const lost = owed - stage.sealedAtMs.length
  expect(lost).toBeGreaterThanOrEqual(16)
  expect(lost).toBeLessThanOrEqual(20)
  for (const { client, closedReason } of stage.players) {
    expect([client.status, closedReason]).toEqual(['active', undefined])
  }
  stage.finish()
  expect(stage.oracle.unsettled()).toEqual([])
})
