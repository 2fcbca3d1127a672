/**
 * `npm run golden [-- words…] [--check]`: writes every file that holds what the code computes (golden
 * bytes, digests, tables of pages) and shows what moved. Words choose files by a part of their path.
 * With `--check` nothing is written, and a file that would change makes it fail.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { goldenFiles } from '../packages/samestep/test/goldens/list.ts'
import { describeChange } from './golden-change.ts'
import { refuse, root } from './programs.ts'

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
})

const chosen = goldenFiles.filter(
  ({ path }) => words.length === 0 || words.some((word) => path.includes(word)),
)
if (chosen.length === 0) {
  refuse(
    `No golden file is called so. There are:\n  ${goldenFiles.map((it) => it.path).join('\n  ')}`,
  )
}

const changed: string[] = []
for (const { path, make } of chosen) {
  const file = join(root, path)
  const before = existsSync(file) ? readFileSync(file) : new Uint8Array()
  const made = await make()
  const after = typeof made === 'string' ? Buffer.from(made) : made
  if (Buffer.compare(before, after) === 0) {
    process.stdout.write(`${path}: as it was\n`)
    continue
  }
  changed.push(path)
  if (!options.check) writeFileSync(file, after)
  const lines = describeChange(before, after, typeof made === 'string')
  process.stdout.write(`${path}: ${options.check ? 'STALE' : 'CHANGED'}\n`)
  for (const line of lines) process.stdout.write(`    ${line}\n`)
}

if (changed.length === 0) process.stdout.write('Nothing changed.\n')
else if (options.check) refuse(`${changed.length} files are stale: npm run golden writes them`)
else {
  process.stdout.write('\n')
  // Against what is committed, which may be older than the file that was there.
  spawnSync('git', ['--no-pager', 'diff', '--stat', '--', ...changed], {
    cwd: root,
    stdio: 'inherit',
  })
  process.stdout.write(
    '\nLook at each: golden bytes are a promise. docs/protocol.md says under "Versions" what may change.\n',
  )
}
