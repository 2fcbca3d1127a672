import { describe, expect, test } from 'vitest'
import type { PathPatch } from './conditions.ts'
import { clearPath } from './conditions.ts'
import { anyLength } from './damage.ts'
import { makePathRandom, makePathStats, Path } from './path.ts'
import { resume, sendMark, sendMessage, stall } from './stream.ts'

function makePath(patch: PathPatch, seed = 1): Path {
  const conditions = { ...clearPath, ...patch }
  const path = new Path(conditions, makePathRandom(seed, 'p'), makePathStats(), anyLength)
  path.setConditions(conditions, 0)
  return path
}

/** Sends messages, and gives how much later than its latency each arrives. */
function lateMsOf(path: Path, count: number, everyMs: number, byteLength = 16): number[] {
  return Array.from({ length: count }, (_, number) => {
    const nowUs = (number + 1) * everyMs * 1000
    const atUs = sendMessage(path, byteLength, nowUs, path.conditions)
    return (atUs - nowUs) / 1000 - path.conditions.latencyMs
  })
}

describe('a message on a stream', () => {
  test('that is lost stalls everything behind it: a round trip, or a growing timer', () => {
    const path = makePath({ latencyMs: 50, loss: 0.02 })
    const lateMs = lateMsOf(path, 5000, 10)
    expect(Math.abs(path.stats.lost - 100)).toBeLessThan(40)
    // 1¼ round trips of 100 ms; those behind wait for the rest of it.
    expect(lateMs.filter((ms) => ms === 125).length).toBeGreaterThan(60)
    expect(lateMs.filter((ms) => ms > 0 && ms < 125).length).toBeGreaterThan(500)
    expect(lateMs.filter((ms) => ms > 300).length).toBeLessThan(200)
    expect(Math.min(...lateMs)).toBe(0)
  })

  test('that is lost again and again comes after timers that double up to a minute', () => {
    // A probe after two round trips, nine timers from 200 ms on, and three of a minute.
    const timersMs = 200 * (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256) + 3 * 60_000
    expect(lateMsOf(makePath({ latencyMs: 5, loss: 1 }), 1, 1000)).toEqual([20 + timersMs])
  })

  test('is lost more often the more segments it has', () => {
    const lost = [100, 12_000].map((byteLength) => {
      const path = makePath({ loss: 0.02 })
      lateMsOf(path, 2000, 1000, byteLength)
      return path.stats.lost
    })
    expect(Math.abs(lost[0]! - 2000 * 0.02)).toBeLessThan(25)
    expect(Math.abs(lost[1]! - 2000 * (1 - 0.98 ** 10))).toBeLessThan(80)
  })

  test('is neither overtaken nor doubled nor dropped, whatever the path does', () => {
    const burst = { everyMs: 200, lengthMs: 100, loss: 0.9 }
    const path = makePath({ jitterMs: 40, loss: 0.2, burst, reorder: 1, queueBytes: 1, corrupt: 1 })
    let lastUs = 0
    for (let number = 0; number < 2000; number++) {
      const atUs = sendMessage(path, 16, number * 10_000, path.conditions)
      expect(atUs).toBeGreaterThanOrEqual(lastUs)
      lastUs = atUs
    }
    expect(path.stats).toMatchObject({ sent: 2000, duplicated: 0, reordered: 0, corrupted: 0 })
  })
})

test('an opening that is lost waits for the first timer, and marks are not counted', () => {
  const path = makePath({ latencyMs: 5, loss: 0.5 }, 3)
  const waits = new Set<number>()
  for (let number = 0; number < 50; number++) {
    const nowUs = (number + 1) * 1e9
    waits.add((sendMark(path, nowUs, clearPath, true) - nowUs) / 1000 - 5)
  }
  expect([...waits].sort((a, b) => a - b).slice(0, 2)).toEqual([0, 1000])
  expect(path.stats).toMatchObject({ sent: 0, lost: 0 })
})

describe('a stream that stands still', () => {
  test('goes on after an outage when its sender tries again: within the outage once more', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const path = makePath({ latencyMs: 20, isCut: true }, seed)
      expect([stall(path, 1_000_000), stall(path, 1_500_000)]).toEqual([true, false])
      resume(path, 2_000_000)
      expect(path.notBeforeUs).toBeGreaterThanOrEqual(2_020_000)
      expect(path.notBeforeUs).toBeLessThanOrEqual(3_020_000)
      expect(path.stalledSinceUs).toBe(-1)
    }
  })

  test('goes on at once after a clog, which is a long queue and no hole', () => {
    const path = makePath({ isClogged: true })
    expect(stall(path, 1_000_000)).toBe(false)
    resume(path, 9_000_000)
    expect(path.notBeforeUs).toBe(0)
  })
})
