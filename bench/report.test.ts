import { describe, expect, test } from 'vitest'
import type { SuiteResult } from './measure.ts'
import {
  countPromises,
  formatNumber,
  formatSuite,
  formatSummary,
  formatTime,
  plain,
} from './report.ts'

const exactly = (value: number) => ({ value, low: value, high: value })

const result: SuiteResult = {
  name: 'hash',
  work: 'one hash of 640 KB',
  baseline: 'theirs',
  rounds: 101,
  contenders: [
    {
      name: 'ours',
      nsPerCall: 41_230,
      spread: 0.012,
      ratio: { value: 0.5, low: 0.49, high: 0.51 },
      callsPerSample: 40,
    },
    { name: 'theirs', nsPerCall: 82_460, spread: 0.02, ratio: exactly(1), callsPerSample: 20 },
  ],
  targets: [{ of: 'ours', against: 'theirs', atMost: 0.4, ratio: exactly(0.5), isMet: false }],
  figures: [
    { name: 'idle tick', value: 3, unit: 'B', atMost: 4, isMet: true },
    { name: 'whole state', value: 655_360, unit: 'B', isMet: true },
  ],
  load: { ownCores: 1, otherCores: 0, cores: 2 },
}

test.each([
  [0.512, '0.512 ns'],
  [41.23, '41.2 ns'],
  [999, '999 ns'],
  [41_230, '41.2 µs'],
  [1_500_000, '1.50 ms'],
  [2e9, '2.00 s'],
])('%d ns reads as %s', (ns, text) => {
  expect(formatTime(ns)).toBe(text)
})

test.each([
  [0, '0.00'],
  [0.00049, '0.000490'],
  [0.0496, '0.0496'],
  [12.34, '12.3'],
  [123_456, '123456'],
])('%d reads as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

test('a suite reads as a table with its promises below', () => {
  expect(formatSuite(result, plain).split('\n')).toEqual([
    'hash  one hash of 640 KB  (101 rounds)',
    '  ours      41.2 µs    ±1.2 %   0.500×  0.490 to 0.510',
    '  theirs    82.5 µs    ±2.0 %    1.00×  baseline',
    '  ✗ ours takes 0.500× the time of theirs (promised: at most 0.4)',
    '  ✓ idle tick: 3 B (promised: at most 4)',
    '  · whole state: 655360 B',
  ])
})

describe('the summary', () => {
  test('counts promises only: a figure without a limit is none', () => {
    expect(countPromises([result])).toEqual({ kept: 1, missed: 1 })
    expect(formatSummary([result], plain)).toBe('1 promises kept, 1 missed')
  })

  test('tells the busiest suite, if any was busy', () => {
    const busy = (otherCores: number): SuiteResult => ({
      ...result,
      load: { ownCores: 1, otherCores, cores: 2 },
    })
    expect(formatSummary([busy(0.4), busy(0.9), busy(0)], plain)).toContain('others used 0.9 of 2')
  })
})
