import { expect, test } from 'vitest'
import type { PathPatch } from './conditions.ts'
import { clearPath, isClear, overlay, patchConditions } from './conditions.ts'

test('delays add up, of shares and limits the worst counts', () => {
  const base = { ...clearPath, latencyMs: 40, loss: 0.1, bytesPerSecond: 9000 }
  const burst = { everyMs: 1000, lengthMs: 50, loss: 1 }
  const path = overlay(base, [
    { latencyMs: 100, loss: 0.05, bytesPerSecond: 20_000, packetBytesMax: 500 },
    { latencyMs: 1, jitterMs: 7, loss: 0.3, burst, isClogged: true, queueBytes: 100 },
  ])
  expect(path).toEqual({
    ...base,
    latencyMs: 141,
    jitterMs: 7,
    loss: 0.3,
    burst,
    packetBytesMax: 500,
    queueBytes: 100,
    isClogged: true,
  })
  expect(overlay(base, [{ isCut: false }])).toEqual(base)
})

test.each<PathPatch>([
  { loss: 1.1 },
  { latencyMs: -1 },
  { jitterMs: Number.NaN },
  { latencyMs: 3, bytesPerSecond: -5 },
  { headerBytes: -1 },
  { burst: { everyMs: 1, lengthMs: 1, loss: 2 } },
])('%j is refused: a value is outside its range', (patch) => {
  expect(() => patchConditions(clearPath, patch)).toThrow(/must be a number from 0/)
})

test('every field but those that need another one makes a path that is not clear', () => {
  expect(isClear(clearPath)).toBe(true)
  const burst = { everyMs: 1, lengthMs: 1, loss: 1 }
  const idle: PathPatch = { reorderPackets: 9, headerBytes: 28, queueBytes: 5 }
  expect(isClear({ ...clearPath, ...idle })).toBe(true)
  for (const key of Object.keys(clearPath) as (keyof PathPatch)[]) {
    if (key in idle) continue
    const value = key === 'burst' ? burst : key.startsWith('is') ? true : 0.5
    expect(isClear({ ...clearPath, [key]: value }), key).toBe(false)
  }
})
