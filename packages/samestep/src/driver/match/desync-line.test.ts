import { afterEach, expect, test, vi } from 'vitest'
import type { DesyncReport } from '../../desync/report.ts'
import { undecided } from '../../desync/verdict.ts'
import { describeDesync, warnOfDesync } from './desync-line.ts'

const desync: DesyncReport = {
  stage: 'detected',
  toldTick: 42,
  tick: 42,
  agreedTick: 41,
  groups: [[0, 2], [1]],
  verdict: { kind: 'culprit', seats: [1] },
  reaction: 'none',
  isSpectator: false,
  place: undefined,
  writes: [],
  cause: undefined,
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

test('what was found out follows in lines of its own', () => {
  const text = describeDesync({
    ...desync,
    stage: 'traced',
    place: {
      part: 'units',
      row: 812,
      field: 'x',
      tick: 42,
      leafCount: 1,
      values: [
        { seats: [0, 2], value: '14' },
        { seats: [1], value: '15' },
      ],
    },
    writes: [
      {
        seats: [1],
        kind: 'set',
        system: 'move',
        part: 'units',
        row: 812,
        field: 'x',
        value: '15',
        site: { functionName: 'moveUnits', file: 'game.ts', line: 30, column: 7 },
      },
    ],
    cause: { id: 'values-differ', text: 'Both write units.x.', advice: 'Use dmath.' },
  })
  expect(text.split('\n').slice(1)).toEqual([
    '  units.x, row 812 is 14 on seats 0, 2, 15 on seat 1',
    '  seat 1: move at moveUnits (game.ts:30:7) writes 15',
    '  Both write units.x. Use dmath.',
  ])
})

test('a call is told as a call, with what it gave where that is known', () => {
  const site = { functionName: 'run', file: 'game.ts', line: 3, column: 1 }
  const call = { kind: 'call', system: 'run', part: '#machine', row: undefined, site }
  const writes = [
    { ...call, seats: [0], field: 'Date.now', value: 'null' },
    { ...call, seats: [1], field: 'Math.sin', value: '0.5' },
  ]
  const lines = describeDesync({ ...desync, stage: 'traced', writes }).split('\n')
  expect(lines.slice(1)).toEqual([
    '  seat 0: run at run (game.ts:3:1) calls Date.now',
    '  seat 1: run at run (game.ts:3:1) calls Math.sin, which gives 0.5',
  ])
})

test('the console hears of it in development, and not in production', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  warnOfDesync(desync)
  expect(warn).toHaveBeenCalledExactlyOnceWith(describeDesync(desync))
  vi.stubEnv('NODE_ENV', 'production')
  warnOfDesync(desync)
  expect(warn).toHaveBeenCalledOnce()
})
