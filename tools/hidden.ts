/** `npm run test:hidden`: the tests of a hidden tab with a whole minute, as people leave them. */
import { join } from 'node:path'
import { chromium } from './chromium.ts'
import { ensureProgram, root, runInherited, runScript } from './programs.ts'

const chromiumPath = ensureProgram(chromium)
runScript('build')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const tests = [
  'examples/dots/test/hidden.test.ts',
  'packages/samestep/test/workers/hidden-tab.test.ts',
]
const args = [vitest, 'run', ...tests, ...process.argv.slice(2)]
const env = { ...process.env, CHROMIUM_PATH: chromiumPath, SAMESTEP_HIDDEN_SECONDS: '60' }
process.exit(runInherited(process.execPath, args, env))
