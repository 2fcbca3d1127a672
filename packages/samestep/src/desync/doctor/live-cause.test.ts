import { expect, test } from 'vitest'
import { utf8Length } from '../../base/utf8.ts'
import type { ProbeAnswer, ProbeEntry } from '../../wire/messages/desync-probes.ts'
import type { PairFinding } from '../search/pair-finding.ts'
import { tellFinding } from '../tell-finding.ts'
import { findCause } from './live-cause.ts'
import { liveCauses } from './live-causes.ts'

const same: ProbeAnswer<'rerun'> = {
  fromTick: 40,
  isSame: true,
  isStable: true,
  actualTick: 42,
  machine: '',
}
const other = { ...same, isSame: false }

const entry: ProbeEntry = {
  kind: 'set',
  where: 'step',
  name: 'move',
  part: 'units',
  row: 3,
  field: 'x',
  before: '1',
  after: '2',
  site: { functionName: 'move', file: 'src/game/move.ts', line: 7, column: 2 },
}

const finding: PairFinding = {
  stage: 'traced',
  tick: 42,
  isExact: true,
  leaves: ['units/x/0'],
  leafCount: 1,
  place: { part: 'units', row: 3, field: 'x', tick: 42, values: ['2', '3'] },
  reruns: [same, same],
  write: {
    index: 5,
    sides: [entry, { ...entry, after: '3' }],
    excerpts: [[entry], [{ ...entry, after: '3' }]],
    blockStart: 0,
    prefixes: [[], []],
  },
  areWritesSame: false,
  outside: [undefined, undefined],
}

const writes = (a: ProbeEntry | undefined, b: ProbeEntry | undefined): PairFinding => ({
  ...finding,
  write: { index: 5, sides: [a, b], excerpts: [[], []], blockStart: 0, prefixes: [[], []] },
})

const call = (field: string, after: string): ProbeEntry => ({
  ...entry,
  kind: 'call',
  part: '#machine',
  row: undefined,
  field,
  before: 'null',
  after,
})

/** One machine does not come to its own state again, and this is what it found about that. */
const asked = (unstable: ProbeEntry, isStable: boolean): PairFinding => ({
  ...finding,
  reruns: [same, { ...other, isStable }],
  outside: [undefined, { count: 1, places: [], unstable, readsBeside: false }],
})

/** One machine whose ticks read what no saved state has. */
const forgetful = (rerun: ProbeAnswer<'rerun'>): PairFinding => ({
  ...finding,
  reruns: [same, rerun],
  write: undefined,
  areWritesSame: true,
  outside: [undefined, { count: 1, places: [], unstable: entry, readsBeside: true }],
})

const examples: readonly (readonly [string, PairFinding])[] = [
  ['values-differ', finding],
  ['paths-differ', writes(entry, { ...entry, row: 4 })],
  ['paths-differ', writes(entry, undefined)],
  ['draws-differ', writes(entry, { ...entry, kind: 'draw', part: '#random' })],
  ['math', writes(call('Math.sin', '1'), call('Math.sin', '2'))],
  ['zone', writes(call('Date.prototype.getHours', '1'), call('Date.prototype.getHours', '2'))],
  [
    'locale',
    writes(
      call('String.prototype.localeCompare', '1'),
      call('String.prototype.localeCompare', '-1'),
    ),
  ],
  // A function that no rule is about is no reason to name one.
  ['values-differ', writes(call('Cosmos.sin', '1'), call('Cosmos.sin', '2'))],
  ['paths-differ', writes(call('Math.sin', '1'), entry)],
  ['random', asked(call('Math.random', 'null'), false)],
  ['clock', asked(call('Date.now', 'null'), true)],
  ['unstable', asked(entry, true)],
  ['outside-state', forgetful(other)],
  // It came to its own state again, from another state before: by luck.
  ['outside-state', forgetful(same)],
  ['outside-write', { ...finding, reruns: [same, other], areWritesSame: true } as PairFinding],
  ['unstable', { ...finding, reruns: [same, { ...other, isStable: false }] } as PairFinding],
]

test.each(examples)('%s', (id, found) => {
  expect(findCause(found, ['seats 0, 2', 'seat 1'])).toMatchObject({ id })
})

test('every cause that a match can tell has an example here, and advice that fits a message', () => {
  expect(new Set(examples.map(([id]) => id))).toEqual(new Set(Object.keys(liveCauses)))
  for (const { advice } of Object.values(liveCauses)) {
    expect(advice).toMatch(/^[A-Z].*\.$/)
    expect(utf8Length(advice)).toBeLessThanOrEqual(400)
  }
})

test('nothing is judged before all was found out', () => {
  const located = { ...finding, stage: 'located', reruns: [same, other] } as const
  expect(findCause(located, ['seat 0', 'seat 1'])).toBeUndefined()
})

test('nothing is said where nothing was seen', () => {
  const blind = { ...finding, write: undefined, reruns: [undefined, undefined] } as PairFinding
  expect(findCause(blind, ['seat 0', 'seat 1'])).toBeUndefined()
})

test('T-51 members are told neither values nor folders, unless the relay shows them', () => {
  const hidden = tellFinding(finding, [[0, 2], [1]], false)
  expect(hidden.place).toMatchObject({ part: 'units', row: 3, field: 'x', values: [] })
  expect(hidden.writes.map(({ value, site }) => [value, site?.file])).toEqual([
    ['', 'move.ts'],
    ['', 'move.ts'],
  ])
  expect(JSON.stringify(hidden)).not.toContain('src/game')
  const shown = tellFinding(finding, [[0, 2], [1]], true)
  expect(shown.place?.values).toEqual([
    { seats: [0, 2], value: '2' },
    { seats: [1], value: '3' },
  ])
  expect(shown.writes[1]).toMatchObject({ value: '3', site: { file: 'src/game/move.ts' } })
})
