import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './tools/closing-line.ts'
import { LongFirst } from './tools/long-first.ts'

/** Where tests need not load everything anew for each file. */
const sharedFolders = [
  'packages/samestep/src',
  'packages/samestep/test/scenarios',
  'packages/samestep/test/step-response',
]

/** There whole machines are made up: another clock, another language, other globals. */
const strangeFolders = /[\\/]src[\\/](?:check|cli)[\\/]/

/** A test that replaces modules or globals has them for itself. */
const ownModules = /\bvi\.(?:mock|doMock|resetModules|stubGlobal)\(/

const tidyTests = sharedFolders.flatMap((folder) => {
  const names = readdirSync(join(import.meta.dirname, folder), {
    recursive: true,
    encoding: 'utf8',
  })
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .filter((path) => !strangeFolders.test(path))
    .filter((path) => !ownModules.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
})

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    testTimeout: 60_000,
    // Vitest leaves one processor free, which on a machine of two is half of it. Many tests wait for
    // other processes or for a page: one worker more than there are processors keeps those busy.
    maxWorkers: Math.max(availableParallelism() + 1, 3),
    sequence: { sequencer: LongFirst },
    // What was built is run as it is.
    server: { deps: { external: [/\/packages\/samestep\/dist\//] } },
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
          exclude: ['**/node_modules/**', '**/dist/**', ...tidyTests],
        },
      },
      { extends: true, test: { name: 'together', include: tidyTests, isolate: false } },
    ],
  },
})
