import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import type { DesyncFile } from '../report-file.ts'
import { cutPieces } from '../state-pieces.ts'

const entry: ProbeEntry = {
  kind: 'set',
  where: 'step',
  name: 'move',
  part: 'units',
  row: 812,
  field: 'x',
  before: '13',
  after: '14',
  site: { functionName: 'moveUnits', file: 'src/game.ts', line: 30, column: 7 },
}

/** A state of three pieces' length that nobody can load. */
const state = Uint8Array.from({ length: 40_000 }, (_, index) => (index * index) >>> 8)

const rerun = { fromTick: 30, isSame: true, isStable: true, actualTick: 42, machine: 'Node v20' }

/** A desync of which everything is known. */
export const sampleFile: DesyncFile = {
  engine: 'samestep 0.1.0',
  savedBy: undefined,
  matchId: 'm-1',
  matchName: 'friday',
  gameId: 'dots',
  gameVersion: 3,
  fingerprint: new Uint8Array(32).fill(7),
  seed: 'abc',
  config: makeMatchConfig({ seats: 3, tickRate: 30 }),
  tick: 42,
  agreedTick: 41,
  groups: [[0, 2], [1]],
  culprits: [1],
  pairs: [
    {
      seats: [[0, 2], [1]],
      finding: {
        stage: 'traced',
        tick: 42,
        isExact: true,
        leaves: ['units/x/0'],
        leafCount: 1,
        place: { part: 'units', row: 812, field: 'x', tick: 42, values: ['14', '15'] },
        reruns: [rerun, rerun],
        write: {
          index: 812,
          sides: [entry, { ...entry, after: '15' }],
          excerpts: [
            [{ ...entry, row: 811 }, entry],
            [
              { ...entry, row: 811 },
              { ...entry, after: '15' },
            ],
          ],
          blockStart: 768,
          prefixes: [
            [1, 2],
            [1, 2],
          ],
        },
        areWritesSame: false,
        outside: [undefined, undefined],
      },
    },
  ],
  told: undefined,
  sides: [
    {
      seats: [0, 2],
      machine: 'Node v20',
      firstTick: 41,
      chains: [
        { lo: 1, hi: 2 },
        { lo: 3, hi: 4 },
      ],
      stateOutcome: 'kept',
      state: { tick: 30, bytes: state.byteLength, pieces: cutPieces(state) ?? [] },
    },
    {
      seats: [1],
      machine: 'Node v20',
      firstTick: 41,
      chains: [undefined, { lo: 5, hi: 6 }],
      stateOutcome: 'not-needed',
      state: undefined,
    },
  ],
  record: { firstTick: 31, bundles: Uint8Array.from({ length: 36 }, (_, at) => +(at % 3 === 0)) },
}
