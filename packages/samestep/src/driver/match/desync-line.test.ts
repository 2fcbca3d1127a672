import { afterEach, expect, test, vi } from 'vitest'
import type { DesyncReport } from '../../desync/report.ts'
import { undecided } from '../../desync/verdict.ts'
import { describeDesync, warnOfDesync } from './desync-line.ts'

const desync: DesyncReport = {
  stage: 'detected',
  tick: 42,
  agreedTick: 41,
  groups: [[0, 2], [1]],
  verdict: { kind: 'culprit', seats: [1] },
  isSpectator: false,
}
const who = 'Who agrees with whom: seats 0, 2 | seat 1; seat 1 differs from the majority'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test.each([
  [desync, `Desync: machines differ at tick 42. ${who}`],
  [
    { ...desync, agreedTick: 36 },
    `Desync: machines differ at tick 42 or before; they last agreed at tick 36. ${who}`,
  ],
  [{ ...desync, agreedTick: undefined }, `Desync: machines differ at tick 42 or before. ${who}`],
  [
    { ...desync, groups: [[0], [1]], verdict: undecided },
    'Desync: machines differ at tick 42. Who agrees with whom: seat 0 | seat 1; no majority, so nobody is blamed',
  ],
  [
    { ...desync, groups: [[0, 1]], isSpectator: true },
    "Desync: this spectator's state differs from that of every player at tick 42 or before",
  ],
])('a desync is told in a sentence', (told, text) => {
  expect(describeDesync(told)).toBe(text)
})

test('the console hears of it in development, and not in production', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  warnOfDesync(desync)
  expect(warn).toHaveBeenCalledExactlyOnceWith(describeDesync(desync))
  vi.stubEnv('NODE_ENV', 'production')
  warnOfDesync(desync)
  expect(warn).toHaveBeenCalledOnce()
})
