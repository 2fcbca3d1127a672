import { describe, expect, test } from 'vitest'
import { Batching } from './batching.ts'

const intervalMs = 1_000 / 30

/** Notes the same pressure every tick for some time. */
function press(batching: Batching, queueMs: number, fromMs: number, toMs: number): void {
  for (let nowMs = fromMs; nowMs < toMs; nowMs += intervalMs) {
    batching.notePressure(queueMs, 0, Number.POSITIVE_INFINITY, nowMs)
  }
}

describe('batching', () => {
  test('sends every tick when the policy says never, whatever the pressure', () => {
    const batching = new Batching({ policy: 'never', intervalMs })
    press(batching, 5_000, 0, 60_000)
    expect(batching.isDue(1, 0)).toBe(true)
    expect(batching.ticksPerPacket).toBe(1)
  })

  test('puts one tick more into a packet for each half second of pressure, up to four', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    press(batching, 60, 0, 450)
    expect(batching.ticksPerPacket).toBe(1)
    press(batching, 60, 450, 600)
    expect(batching.ticksPerPacket).toBe(2)
    press(batching, 60, 600, 5_000)
    expect(batching.ticksPerPacket).toBe(4)
  })

  test('a short queue, as any link has now and then, changes nothing', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
      press(batching, 200, nowMs, nowMs + 400)
      press(batching, 0, nowMs + 400, nowMs + 1_000)
    }
    expect(batching.ticksPerPacket).toBe(1)
  })

  test('bytes beyond what is allowed are pressure too', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    for (let nowMs = 0; nowMs < 600; nowMs += intervalMs) {
      batching.notePressure(0, 2_100, 2_000, nowMs)
    }
    expect(batching.ticksPerPacket).toBe(2)
  })

  test('goes back by one tick for each three seconds without pressure', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    press(batching, 60, 0, 5_000)
    press(batching, 0, 5_000, 7_900)
    expect(batching.ticksPerPacket).toBe(4)
    press(batching, 0, 7_900, 8_200)
    expect(batching.ticksPerPacket).toBe(3)
    press(batching, 0, 8_200, 20_000)
    expect(batching.ticksPerPacket).toBe(1)
  })

  test('stays when the pressure is neither high nor low', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    press(batching, 60, 0, 1_100)
    const before = batching.ticksPerPacket
    press(batching, 35, 1_100, 60_000)
    expect(batching.ticksPerPacket).toBe(before)
  })

  test('sends when the packet is full, and never an empty one', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs })
    press(batching, 60, 0, 5_000)
    expect(batching.isDue(0, 1_000)).toBe(false)
    expect(batching.isDue(3, 2 * intervalMs)).toBe(false)
    expect(batching.isDue(4, 3 * intervalMs)).toBe(true)
  })

  test('sends what is there when waiting for the next tick would break the limit', () => {
    const batching = new Batching({ policy: 'adaptive', intervalMs, flushMs: 40 })
    press(batching, 60, 0, 5_000)
    expect(batching.isDue(1, 0)).toBe(false)
    expect(batching.isDue(2, intervalMs)).toBe(true)
    const impatient = new Batching({ policy: 'adaptive', intervalMs, flushMs: 0 })
    press(impatient, 60, 0, 5_000)
    expect(impatient.isDue(1, 0)).toBe(true)
  })

  test('refuses a limit that is none', () => {
    expect(() => new Batching({ policy: 'adaptive', intervalMs, flushMs: -1 })).toThrow(
      'Cannot flush after -1 ms: the limit must be 0 or more',
    )
  })
})
