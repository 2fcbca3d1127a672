import type { ProbeEntry } from '../../wire/desync-probes.ts'
import { makeMatchConfig } from '../../wire/match-config.ts'
import type { DesyncFile } from '../report-file.ts'

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

const rerun = { fromTick: 30, isSame: true, isStable: true, actualTick: 42, machine: 'Node v20' }

/** A desync of which everything is known. */
export const sampleFile: DesyncFile = {
  engine: 'samestep 0.1.0',
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
        },
        areWritesSame: false,
        outside: [undefined, undefined],
      },
    },
  ],
}
