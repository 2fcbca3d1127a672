/**
 * `npm test`: everything that must hold, in one command, on any machine with Node and npm.
 *
 * Extra arguments go to vitest: `npm test -- packages/samestep/src/sim`.
 */
import { join } from 'node:path'
import { chromium } from './chromium.ts'
import { ensureProgram, root, runInherited, runScript } from './programs.ts'

const chromiumPath = ensureProgram(chromium)
runScript('build')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
// A forgotten `test.only` would pass while running almost nothing.
const args = [vitest, 'run', '--allowOnly=false', ...process.argv.slice(2)]
const env = { ...process.env, CHROMIUM_PATH: chromiumPath, SAMESTEP_IS_BUILT: 'true' }
process.exit(runInherited(process.execPath, args, env))
