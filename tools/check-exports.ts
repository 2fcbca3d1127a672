/** The end of `npm run build`: every door that package.json names must lead somewhere. */
import { join } from 'node:path'
import { findMissingTargets } from './exports.ts'
import { refuse, root } from './programs.ts'

const missing = findMissingTargets(join(root, 'packages', 'samestep'))
if (missing.length > 0) refuse(`Cannot publish this build:\n  ${missing.join('\n  ')}`)
