/**
 * The end of `npm run build`: what earlier builds left for sources that are gone is removed, and
 * every door that package.json names must lead somewhere.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findMissingTargets } from './exports.ts'
import { refuse, root } from './programs.ts'
import { findStaleOutputs } from './stale-outputs.ts'

for (const name of ['samestep', 'create-samestep']) {
  const folder = join(root, 'packages', name)
  for (const path of findStaleOutputs(folder)) rmSync(join(folder, path))
}
const missing = findMissingTargets(join(root, 'packages', 'samestep'))
if (missing.length > 0) refuse(`Cannot publish this build:\n  ${missing.join('\n  ')}`)
