import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vite'
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

/** The library's tests, and what only they use. */
const ownTests =
  /[\\/]packages[\\/]samestep[\\/](?:test[\\/]|src[\\/].*(?:[\\/]testing[\\/]|\.test\.ts$))/

/** These need the sources: where they stand, how a test's modules are loaded, what replaces one of them. */
const askSources =
  /[\\/](?:(?:call-site|check-command)\.test\.ts$|transport[\\/]udp[\\/](?!udp-contract))/

/**
 * Lets tests run what `npm test` has just built, where it has: Vitest turns every use of an import in a
 * source into a look at an object, which takes twice the time, and it turns every source anew for each
 * file that has its modules for itself.
 */
const asBuilt: Plugin = {
  name: 'as-built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (process.env.SAMESTEP_IS_BUILT !== 'true' || !source.startsWith('.')) return undefined
    if (importer === undefined || !ownTests.test(importer) || askSources.test(importer)) return
    const path = resolve(dirname(importer), source)
    const built = path.replace(/([\\/]samestep[\\/])src([\\/].*)\.ts$/, '$1dist$2.js')
    if (built === path || !existsSync(built)) return undefined
    return ownModules.test(readFileSync(importer, 'utf8')) ? undefined : built
  },
}

export default defineConfig({
  plugins: [asBuilt],
  test: {
    reporters: ['default', new ClosingLine()],
    testTimeout: 60_000,
    // Vitest leaves one processor free, which on a machine of two is half of it. Many tests wait for
    // other processes, so two at a time are not too many anywhere.
    maxWorkers: Math.max(availableParallelism(), 2),
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
