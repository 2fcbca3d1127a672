import { expect, test } from 'vitest'
import type { ProbeAnswer, ProbeEntry } from '../wire/desync-probes.ts'
import { findCause } from './cause.ts'
import type { PairFinding } from './search/pair-finding.ts'
import { tellFinding } from './tell-finding.ts'

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
  },
  areWritesSame: false,
  outside: [undefined, undefined],
}

const writes = (a: ProbeEntry | undefined, b: ProbeEntry | undefined): PairFinding => ({
  ...finding,
  write: { index: 5, sides: [a, b], excerpts: [[], []] },
})

test.each([
  ['values-differ', finding],
  ['paths-differ', writes(entry, { ...entry, row: 4 })],
  ['paths-differ', writes(entry, undefined)],
  ['draws-differ', writes(entry, { ...entry, kind: 'draw', part: '#random' })],
  ['outside-write', { ...finding, reruns: [same, other], areWritesSame: true } as PairFinding],
  ['unstable', { ...finding, reruns: [same, { ...other, isStable: false }] } as PairFinding],
])('%s', (id, found) => {
  expect(findCause(found, ['seats 0, 2', 'seat 1'])).toMatchObject({ id })
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
