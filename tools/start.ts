/** `npm start`: plays the example games without a screen, so that one command shows what happens. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { refuse, root, runInherited, runScript } from './programs.ts'

const examples = ['battle', 'tag', 'sand'].map((name) =>
  join('examples', name, 'src', 'headless.ts'),
)
for (const example of examples) {
  if (!existsSync(join(root, example))) refuse(`Cannot start: ${example} does not exist`)
}
runScript('build')
for (const example of examples) {
  const args = ['--import', 'tsx', example, ...process.argv.slice(2)]
  const code = runInherited(process.execPath, args)
  if (code !== 0) process.exit(code)
}
