import { describe, expect, test } from 'vitest'
import type { PathPatch } from './conditions.ts'
import { clearPath } from './conditions.ts'
import { anyLength } from './damage.ts'
import { sendDatagram } from './datagram.ts'
import { makePathRandom, makePathStats, Path } from './path.ts'

type Options = {
  readonly seed?: number
  readonly count?: number
  readonly everyMs?: number
  readonly byteLength?: number
  readonly isDamageHeard?: boolean
}

/** Sends equal datagrams over one path, and gives what arrives, in sequence, with its number. */
function sendAll(patch: PathPatch, options: Options = {}) {
  const { seed = 1, count = 20_000, everyMs = 10, byteLength = 16, isDamageHeard = true } = options
  const conditions = { ...clearPath, ...patch }
  const range = isDamageHeard ? anyLength : undefined
  const path = new Path(conditions, makePathRandom(seed, 'p'), makePathStats(), range)
  path.setConditions(conditions, 0)
  const arrivals: { number: number; atMs: number; bytes: Uint8Array }[] = []
  for (let number = 0; number < count; number++) {
    const bytes = new Uint8Array(byteLength)
    sendDatagram(path, bytes, number * everyMs * 1000, (_, heard, atUs) => {
      arrivals.push({ number, atMs: atUs / 1000, bytes: heard })
    })
  }
  arrivals.sort((a, b) => a.atMs - b.atMs)
  return { stats: path.stats, arrivals, numbers: arrivals.map(({ number }) => number) }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || values[index - 1]! < value)
}

describe('datagrams', () => {
  test('without faults all arrive once, in sequence, after the latency', () => {
    const { arrivals, numbers } = sendAll({ latencyMs: 40 }, { count: 100 })
    expect(numbers).toEqual(upTo(100))
    expect(arrivals.every(({ atMs, number }) => atMs === number * 10 + 40)).toBe(true)
  })

  test.each([0.001, 0.05, 0.3, 0.6])('random loss takes its share: %d', (loss) => {
    const { stats, numbers } = sendAll({ loss })
    const deviation = Math.sqrt(20_000 * loss * (1 - loss))
    expect(Math.abs(stats.lost - 20_000 * loss)).toBeLessThan(4 * deviation)
    expect(numbers.length).toBe(20_000 - stats.lost)
    expect(isAscending(numbers)).toBe(true)
  })

  test('burst loss comes in runs', () => {
    const { numbers } = sendAll({ burst: { everyMs: 1800, lengthMs: 200, loss: 1 } })
    const share = 1 - numbers.length / 20_000
    expect(share).toBeGreaterThan(0.05)
    expect(share).toBeLessThan(0.2)
    const gaps = numbers.slice(1).map((number, index) => number - numbers[index]! - 1)
    const runs = gaps.filter((gap) => gap > 0)
    // Random loss of the same share would have a mean near 1.1.
    expect(runs.reduce((sum, gap) => sum + gap, 0) / runs.length).toBeGreaterThan(8)
  })

  test('a burst never makes a bad path better', () => {
    const burst = { everyMs: 50, lengthMs: 50, loss: 0 }
    expect(sendAll({ loss: 1, burst }, { count: 1000 }).numbers).toEqual([])
  })

  test('duplication adds its share of copies, which own their bytes', () => {
    const { stats, arrivals, numbers } = sendAll({ duplicate: 0.2 })
    expect(Math.abs(stats.duplicated - 4000)).toBeLessThan(250)
    expect(arrivals.length).toBe(20_000 + stats.duplicated)
    expect(new Set(numbers).size).toBe(20_000)
    expect(new Set(arrivals.map(({ bytes }) => bytes.buffer)).size).toBe(arrivals.length)
  })

  test('reordering displaces its share, by up to the given number of packets', () => {
    const { stats, numbers } = sendAll({ reorder: 0.1, reorderPackets: 64 })
    expect(Math.abs(stats.reordered - 2000)).toBeLessThan(200)
    expect([...numbers].sort((a, b) => a - b)).toEqual(upTo(20_000))
    let highest = -1
    let worst = 0
    let displaced = 0
    for (const number of numbers) {
      if (number < highest) displaced++
      worst = Math.max(worst, highest - number)
      highest = Math.max(highest, number)
    }
    expect(displaced).toBeGreaterThan(1500)
    expect(worst).toBeGreaterThan(50)
    expect(worst).toBeLessThanOrEqual(66)
  })

  test('jitter has its mean and a tail, and overtakes nobody', () => {
    const { arrivals, numbers } = sendAll({ latencyMs: 20, jitterMs: 5 }, { everyMs: 200 })
    expect(isAscending(numbers)).toBe(true)
    const late = arrivals.map(({ atMs, number }) => atMs - number * 200 - 20)
    expect(late.reduce((sum, ms) => sum + ms, 0) / late.length).toBeCloseTo(5, 0)
    expect(Math.max(...late)).toBeGreaterThan(30)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  })

  test('corruption flips bits, cuts ends off and adds tails', () => {
    const { stats, arrivals } = sendAll({ corrupt: 0.05 }, { byteLength: 40 })
    expect(Math.abs(stats.corrupted - 1000)).toBeLessThan(130)
    const lengths = arrivals.map(({ bytes }) => bytes.length)
    expect(lengths.filter((length) => length < 40).length).toBeGreaterThan(150)
    expect(lengths.filter((length) => length > 40).length).toBeGreaterThan(150)
    expect(lengths.length).toBe(20_000)
    const isFlipped = (bytes: Uint8Array) => bytes.length === 40 && bytes.some((byte) => byte > 0)
    expect(arrivals.filter(({ bytes }) => isFlipped(bytes)).length).toBeGreaterThan(300)
  })

  test('corruption is a loss where the receiver detects it', () => {
    const { stats, arrivals } = sendAll({ corrupt: 0.05, loss: 0.5 }, { isDamageHeard: false })
    expect(Math.abs(stats.corrupted - 500)).toBeLessThan(90)
    expect(Math.abs(stats.lost - stats.corrupted - 10_000)).toBeLessThan(300)
    expect(arrivals.length).toBe(20_000 - stats.lost)
    expect(arrivals.every(({ bytes }) => bytes.every((byte) => byte === 0))).toBe(true)
  })

  test('a narrow path queues up to its limit, then drops', () => {
    const conditions = { bytesPerSecond: 1000, queueBytes: 500 }
    const { stats, arrivals, numbers } = sendAll(conditions, {
      count: 100,
      everyMs: 1,
      byteLength: 100,
    })
    // 1000 B/s for 100 ms is one packet, and five wait in the queue.
    expect(numbers).toEqual([0, 1, 2, 3, 4])
    expect(stats.queueFull).toBe(95)
    expect(arrivals.map(({ atMs }) => Math.round(atMs))).toEqual([100, 200, 300, 400, 500])
  })

  test('headers of the layers below use up bandwidth, packet by packet', () => {
    const conditions = { bytesPerSecond: 1_000, headerBytes: 84 }
    const { arrivals } = sendAll(conditions, { count: 10, everyMs: 1 })
    // 100 bytes each at 1 000 per second: one every tenth of a second.
    expect(arrivals.map(({ atMs }) => Math.round(atMs / 100))).toEqual(upTo(11).slice(1))
  })

  test('what is larger than the path allows vanishes', () => {
    const { stats, numbers } = sendAll({ packetBytesMax: 100 }, { count: 5, byteLength: 101 })
    expect([stats.tooLarge, numbers]).toEqual([5, []])
    expect(sendAll({ packetBytesMax: 100 }, { count: 5, byteLength: 100 }).numbers.length).toBe(5)
  })

  test('switching one fault on does not change which packets another one takes', () => {
    const lostOf = (patch: PathPatch): number[] => {
      const arrived = new Set(sendAll(patch, { count: 3000 }).numbers)
      return upTo(3000).filter((at) => !arrived.has(at))
    }
    const alone = lostOf({ loss: 0.1 })
    expect(lostOf({ loss: 0.1, jitterMs: 10, duplicate: 0.2, reorder: 0.2 })).toEqual(alone)
    expect(alone.length).toBeGreaterThan(200)
  })

  test('the same seed gives the same fates, another seed others', () => {
    const patch = { loss: 0.1, jitterMs: 3, duplicate: 0.1, reorder: 0.1, corrupt: 0.1 }
    const run = (seed: number) => sendAll(patch, { seed, count: 300 }).arrivals
    expect(run(7)).toEqual(run(7))
    expect(run(7)).not.toEqual(run(8))
  })
})
