import { fileURLToPath } from 'node:url'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What Node.js is given to run `samestep` from its sources: for games that import sources too. */
export const sourceArgs: readonly string[] = [
  '--import',
  import.meta.resolve('tsx'),
  at('../main.ts'),
]

/**
 * What Node.js is given to run `samestep`. `npm test` has just built it, and then that is what runs, as
 * with users; a test that is run by itself takes the sources as they are, which start more slowly.
 */
export const cliArgs: readonly string[] =
  process.env.SAMESTEP_IS_BUILT === 'true' ? [at('../../../dist/cli/main.js')] : sourceArgs
