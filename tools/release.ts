/**
 * `npm run release [-- --publish]`: everything that stands between a commit and the registry. Without
 * `--publish` it is a dry run: all checks, both packages packed, nothing sent.
 *
 * In a workflow of a hosting service that signs (`id-token: write`), `--publish` also gives npm the
 * provenance of the packages.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listPackedFiles } from './packed-package.ts'
import { refuse, root } from './programs.ts'
import { findReleaseProblems, type ReleaseFacts } from './release/problems.ts'

const { values } = parseArgs({ options: { publish: { type: 'boolean', default: false } } })
const packages = ['samestep', 'create-samestep'] as const
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const facts: ReleaseFacts = {
  manifests: packages.map((name) => JSON.parse(read('packages', name, 'package.json'))),
  changelog: read('CHANGELOG.md'),
  templateVersions: read('packages', 'create-samestep', 'src', 'manifest.ts'),
  uncommitted: git('status', '--porcelain'),
  tags: git('tag', '--points-at', 'HEAD').split('\n'),
}
const problems = findReleaseProblems(facts)
for (const name of packages) {
  process.stdout.write(`${name}: ${listPackedFiles(name).length} files\n`)
}
if (problems.length > 0) refuse(`Cannot release:\n  ${problems.join('\n  ')}`)
if (!values.publish) {
  process.stdout.write('Nothing was published: this was a dry run. --publish does it.\n')
} else {
  const provenance = process.env.ACTIONS_ID_TOKEN_REQUEST_URL === undefined ? [] : ['--provenance']
  for (const name of packages) {
    const args = ['publish', '--access', 'public', ...provenance]
    execFileSync('npm', args, { cwd: join(root, 'packages', name), stdio: 'inherit' })
  }
}
