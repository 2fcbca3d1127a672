import { describe, expect, test } from 'vitest'
import { calmPath, overlay, pathOf } from './conditions.ts'

describe('conditions', () => {
  test('the way back is as the way there, unless it is given', () => {
    const there = { latencyMs: 40, loss: 0.1 }
    expect(pathOf({ kind: 'stream', there }, 'back')).toEqual({ ...calmPath, ...there })
    expect(pathOf({ kind: 'stream', there, back: {} }, 'back')).toEqual(calmPath)
    expect(pathOf({ kind: 'datagram' }, 'there')).toEqual(calmPath)
  })

  test('delays add up, of shares and limits the worst counts', () => {
    const base = { ...calmPath, latencyMs: 40, loss: 0.1, bytesPerSecond: 9000 }
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
})
