import { join } from 'node:path'
import { runInherited } from './programs.ts'

/** Plays the examples that need no screen, one after the other; gives the exit code. */
export function playHeadless(): number {
  for (const name of ['battle', 'tag', 'sand']) {
    const script = join('examples', name, 'src', 'headless.ts')
    const code = runInherited(process.execPath, ['--import', 'tsx', script])
    if (code !== 0) return code
  }
  return 0
}
