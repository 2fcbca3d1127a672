import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './tools/closing-line.ts'
import { LongFirst } from './tools/long-first.ts'

/** Folders whose tests leave nothing behind: each file there need not load everything anew. */
const tidyFolders = [
  'base',
  'client',
  'desync',
  'link',
  'netem',
  'record',
  'relay',
  'room',
  'storm',
  'wire',
].map((folder) => `packages/samestep/src/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    testTimeout: 60_000,
    // Vitest leaves one processor free, which on a machine of two is half of it. Many tests wait for
    // other processes, so two at a time are not too many anywhere.
    maxWorkers: Math.max(availableParallelism(), 2),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'examples/**/*.test.ts',
            'bench/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**', ...tidyFolders],
        },
      },
      { extends: true, test: { name: 'together', include: tidyFolders, isolate: false } },
    ],
  },
})
