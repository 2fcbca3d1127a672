import type {
  ProbeAnswer,
  ProbeAsk,
  ProbeEntry,
  ProbeKind,
} from '../../wire/messages/desync-probes.ts'

/** A question and an answer of every kind, with something in each field: what hostile bytes begin from. */

const entry: ProbeEntry = {
  kind: 'set',
  where: 'step',
  name: 'move',
  part: 'units',
  row: 3,
  field: 'x',
  before: '1',
  after: '2',
  site: { functionName: 'move', file: 'game.ts', line: 7, column: 2 },
}

const tick = 42
const words = [1, 2, 3, 4]

/** One question and its answer, by kind. */
export const probeSeeds: {
  readonly [K in ProbeKind]: { readonly ask: ProbeAsk<K>; readonly answer: ProbeAnswer<K> }
} = {
  chains: {
    ask: { first: 1, step: 2, count: 3 },
    answer: { chains: [{ lo: 1, hi: 2 }, undefined, { lo: 3, hi: 4 }] },
  },
  tree: { ask: { tick }, answer: { leafCount: 2 } },
  nodes: { ask: { tick, level: 4, groups: [0, 3] }, answer: { words } },
  labels: { ask: { tick, leaves: [0, 1] }, answer: { labels: ['units/x/0', 'units/y/0'] } },
  rerun: {
    ask: { tick },
    answer: { fromTick: 40, isSame: false, isStable: true, actualTick: 60, machine: 'Node' },
  },
  items: {
    ask: { tick, label: 'units/x/0', first: 0, step: 16, count: 16 },
    answer: { itemCount: 5, words },
  },
  cells: {
    ask: { tick, label: 'units/x/0', first: 0, count: 2 },
    answer: { cells: [{ row: 1, field: 'x', value: '3' }] },
  },
  trace: { ask: { tick }, answer: { entries: 5 } },
  prefixes: { ask: { first: 1, step: 1, count: 2 }, answer: { words } },
  block: { ask: { block: 1 }, answer: { words } },
  entries: {
    ask: { first: 3, count: 2 },
    answer: { entries: [entry, { ...entry, site: undefined }] },
  },
  outside: {
    ask: { tick },
    answer: {
      count: 1,
      places: [{ part: 'units', row: 3, field: 'x', expected: '1', found: '2' }],
      unstable: entry,
      readsBeside: true,
    },
  },
  state: { ask: { tick }, answer: { tick: 40, bytes: 9 } },
  piece: { ask: { index: 1 }, answer: { isDeflated: true, content: Uint8Array.of(1, 2, 3) } },
  bundles: { ask: { first: 1, last: 9 }, answer: { bundles: Uint8Array.of(1, 0, 7) } },
}
