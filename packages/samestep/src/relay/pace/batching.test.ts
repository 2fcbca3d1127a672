import { describe, expect, test } from 'vitest'
import { Batching } from './batching.ts'

const intervalMs = 1_000 / 30

/** Notes a queue every tick for some time, and gives the largest number of ticks per packet. */
function press(
  batching: Batching,
  queueMs: number | ((atMs: number) => number),
  fromMs: number,
  toMs: number,
  rttVariationMs?: number,
): number {
  let most = 0
  for (let nowMs = fromMs; nowMs < toMs; nowMs += intervalMs) {
    const queue = typeof queueMs === 'number' ? queueMs : queueMs(nowMs)
    batching.notePath({ queueMs: queue, rttVariationMs }, nowMs)
    most = Math.max(most, batching.ticksPerPacket)
  }
  return most
}

/** A queue that grows by 40 ms per second: a link that is filled by 4 % too much. */
const growing = (atMs: number) => 110 + atMs / 25

describe('[DLY-04] batching', () => {
  test('puts one tick more into a packet for each two seconds of pressure, up to four', () => {
    const batching = new Batching()
    press(batching, growing, 0, 450)
    expect(batching.ticksPerPacket).toBe(1)
    press(batching, growing, 450, 600)
    expect(batching.ticksPerPacket).toBe(2)
    press(batching, growing, 600, 2_500)
    expect(batching.ticksPerPacket).toBe(2)
    press(batching, growing, 2_500, 2_600)
    expect(batching.ticksPerPacket).toBe(3)
    press(batching, growing, 2_600, 20_000)
    expect(batching.ticksPerPacket).toBe(4)
  })

  test('goes all the way with the second step when the queue is long by then', () => {
    const batching = new Batching()
    press(batching, (atMs) => 500 + atMs, 0, 600)
    expect(batching.ticksPerPacket).toBe(2)
    press(batching, (atMs) => 500 + atMs, 600, 2_600)
    expect(batching.ticksPerPacket).toBe(4)
  })

  test('a short queue, as any link has now and then, changes nothing', () => {
    const batching = new Batching()
    for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
      expect(press(batching, 200, nowMs, nowMs + 400)).toBe(1)
      expect(press(batching, 0, nowMs + 400, nowMs + 1_000)).toBe(1)
    }
  })

  test('what the round trip trembles by is no queue, up to 50 ms of it', () => {
    expect(press(new Batching(), (atMs) => 120 + (atMs % 20), 0, 60_000, 40)).toBe(1)
    expect(press(new Batching(), (atMs) => 160 + atMs / 10, 0, 60_000, 500)).toBe(4)
  })

  test('a queue that no packet less makes shorter is a longer way, and is left alone', () => {
    const batching = new Batching()
    press(batching, 0, 0, 5_000)
    expect(press(batching, 360, 5_000, 7_600)).toBe(2)
    expect(press(batching, 360, 7_600, 60_000)).toBe(1)
    // A queue on top of the longer way is one.
    expect(press(batching, (atMs) => 470 + (atMs - 60_000) / 25, 60_000, 63_000)).toBe(3)
  })

  test('when the way is short again, a queue is measured against that', () => {
    const batching = new Batching()
    press(batching, 360, 0, 10_000)
    press(batching, 0, 10_000, 11_000)
    expect(press(batching, (atMs) => 110 + (atMs - 11_000) / 10, 11_000, 12_000)).toBe(2)
  })

  test('goes back by one tick for each three seconds without pressure', () => {
    const batching = new Batching()
    press(batching, growing, 0, 7_000)
    press(batching, 0, 7_000, 9_900)
    expect(batching.ticksPerPacket).toBe(4)
    press(batching, 0, 9_900, 10_200)
    expect(batching.ticksPerPacket).toBe(3)
    press(batching, 0, 10_200, 22_000)
    expect(batching.ticksPerPacket).toBe(1)
  })

  test('waits longer each time that going back proved wrong, up to a minute', () => {
    const batching = new Batching()
    const changes: number[] = []
    let before = 1
    let raisedAtMs = 0
    // A link that carries two ticks per packet, and not one.
    for (let nowMs = 0; nowMs < 600_000; nowMs += intervalMs) {
      const narrowMs = batching.ticksPerPacket === 1 ? 110 + (nowMs - raisedAtMs) / 10 : 0
      batching.notePath({ queueMs: narrowMs, rttVariationMs: 0 }, nowMs)
      if (batching.ticksPerPacket === before) continue
      before = batching.ticksPerPacket
      if (before === 1) changes.push(Math.round((nowMs - raisedAtMs) / 1_000))
      raisedAtMs = nowMs
    }
    expect(changes.slice(0, 6)).toEqual([3, 6, 12, 24, 48, 60])
    expect(new Set(changes.slice(5))).toEqual(new Set([60]))
  })

  test('stays when the pressure is neither high nor low', () => {
    const batching = new Batching()
    press(batching, growing, 0, 1_100)
    const before = batching.ticksPerPacket
    press(batching, 75, 1_100, 60_000)
    expect(batching.ticksPerPacket).toBe(before)
  })

  test('knows nothing of a new link', () => {
    const batching = new Batching()
    press(batching, growing, 0, 7_000)
    batching.restart()
    expect(batching.ticksPerPacket).toBe(1)
    expect(press(batching, 110, 7_000, 7_400)).toBe(1)
  })

  test('sends when the packet is full, and never an empty one', () => {
    const batching = new Batching()
    press(batching, growing, 0, 7_000)
    expect(batching.isDue(0, 1_000, intervalMs)).toBe(false)
    expect(batching.isDue(3, 2 * intervalMs, intervalMs)).toBe(false)
    expect(batching.isDue(4, 3 * intervalMs, intervalMs)).toBe(true)
  })

  test('sends what is there when waiting for the next tick would break the limit', () => {
    const batching = new Batching({ flushMs: 40 })
    press(batching, growing, 0, 7_000)
    expect(batching.isDue(1, 0, intervalMs)).toBe(false)
    expect(batching.isDue(2, intervalMs, intervalMs)).toBe(true)
    // In a match that is slowed down, the next tick is too far away.
    expect(batching.isDue(1, 0, 10 * intervalMs)).toBe(true)
    const impatient = new Batching({ flushMs: 0 })
    press(impatient, growing, 0, 7_000)
    expect(impatient.isDue(1, 0, intervalMs)).toBe(true)
  })

  test('refuses a limit that is none', () => {
    expect(() => new Batching({ flushMs: -1 })).toThrow(
      'Cannot flush after -1 ms: the limit must be 0 or more',
    )
  })
})
