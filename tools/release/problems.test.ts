import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../programs.ts'
import { findReleaseProblems, type Manifest, type ReleaseFacts } from './problems.ts'

const manifest: Manifest = {
  name: 'samestep',
  version: '1.2.3',
  description: 'x',
  license: 'MIT',
  repository: 'x',
  homepage: 'x',
  bugs: 'x',
  keywords: [],
}

const good: ReleaseFacts = {
  manifests: [manifest, { ...manifest, name: 'create-samestep' }],
  changelog: '# Changelog\n\n## 1.2.3\n',
  templateVersions: "samestep: '1.2.3'",
  uncommitted: '',
  tags: ['v1.2.3'],
}

test('a commit that is ready has no problems', () => {
  expect(findReleaseProblems(good)).toEqual([])
})

test.each<[string, Partial<ReleaseFacts>, RegExp]>([
  [
    'versions that differ',
    { manifests: [manifest, { ...manifest, version: '1.2.4' }] },
    /versions/,
  ],
  ['a missing field', { manifests: [{ ...manifest, bugs: undefined }] }, /has no bugs/],
  ['a changelog without the version', { changelog: '## Unreleased' }, /no section 1\.2\.3/],
  ['templates with another version', { templateVersions: "samestep: '1.2.2'" }, /New games/],
  ['changes', { uncommitted: ' M a' }, /not committed/],
  ['no tag', { tags: [''] }, /no tag v1\.2\.3/],
])('%s are a reason', (_, change, reason) => {
  expect(findReleaseProblems({ ...good, ...change })).toEqual([expect.stringMatching(reason)])
})

test('the packages have what the registry shows', () => {
  const manifests = ['samestep', 'create-samestep'].map((name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
  )
  const { version } = manifests[0]
  const facts = {
    ...good,
    manifests,
    changelog: `\n## ${version}`,
    templateVersions: `samestep: '${version}'`,
    tags: [`v${version}`],
  }
  expect(findReleaseProblems(facts)).toEqual([])
})
