import { expect, test } from 'vitest'
import type { LineFault, LineSigns } from './line-watch.ts'
import { LineWatch } from './line-watch.ts'

/** Looks every 200 ms, and gives when the line was found wanting, and why. */
function watch(signsAt: (nowMs: number) => Partial<LineSigns>, homeRttMs = 40, untilMs = 20_000) {
  const line = new LineWatch()
  line.start(homeRttMs, 0)
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 10) {
    const good = {
      heardAtMs: nowMs,
      isRunning: true,
      measuredAtMs: nowMs,
      rttMs: 40,
      intervalMs: 33,
    }
    const fault: LineFault = line.look({ ...good, ...signsAt(nowMs) }, nowMs)
    if (fault !== undefined) return [fault, nowMs]
  }
  return undefined
}

test('a line over which ticks come, and answers to what is sent, is good', () => {
  expect(watch(() => ({}))).toBeUndefined()
})

test('a second without a tick, and it is dead', () => {
  expect(watch((nowMs) => ({ heardAtMs: Math.min(nowMs, 5_000) }))).toEqual(['dead', 6_000])
})

test.each([1, 2, 10])(
  'with %i s per tick, silence and answers are given as many ticks',
  (seconds) => {
    const intervalMs = 1_000 * seconds
    const every = (nowMs: number) => nowMs - (nowMs % (4 * intervalMs))
    const signs = (nowMs: number) => ({
      intervalMs,
      heardAtMs: every(nowMs),
      measuredAtMs: every(nowMs),
    })
    expect(watch(signs, 40, 200_000)).toBeUndefined()
    const silent = (nowMs: number) => ({ intervalMs, heardAtMs: Math.min(nowMs, 5_000) })
    expect(watch(silent, 40, 200_000)).toEqual(['dead', 5_000 + 5 * intervalMs])
  },
)

test('while nobody plays, silence is longer', () => {
  const signs = (nowMs: number) => ({ isRunning: false, heardAtMs: Math.min(nowMs, 5_000) })
  expect(watch(signs)).toEqual(['dead', 10_000])
})

test('ticks that come say nothing about what is sent: without an answer it is dead too', () => {
  expect(watch((nowMs) => ({ measuredAtMs: Math.min(nowMs, 5_000) }))).toEqual(['dead', 7_600])
})

test('a way that is much longer than the one at home, for three seconds, is no better', () => {
  expect(watch((nowMs) => ({ rttMs: nowMs < 5_000 ? 40 : 400 }))).toEqual(['slow', 7_800])
  expect(watch((nowMs) => ({ rttMs: nowMs % 2_000 < 1_000 ? 40 : 400 }))).toBeUndefined()
  expect(watch(() => ({ rttMs: 170 }))).toBeUndefined()
})

test('a line that was good for a minute has proved itself', () => {
  const line = new LineWatch()
  line.start(undefined, 1_000)
  expect([line.isProved(60_999), line.isProved(61_000)]).toEqual([false, true])
})
