/** What is looked at before a release. */
export interface ReleaseFacts {
  readonly manifests: readonly Manifest[]
  readonly changelog: string
  /** The source that names the version of `samestep` that new games depend on. */
  readonly templateVersions: string
  /** What `git status --porcelain` prints. */
  readonly uncommitted: string
  /** Tags of the commit. */
  readonly tags: readonly string[]
}

/** What is needed of a package.json. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly [field: string]: unknown
}

/** Fields that the registry shows, and that provenance is checked against. */
const neededFields = ['description', 'license', 'repository', 'homepage', 'bugs', 'keywords']

/** Every reason not to release, as a sentence; empty when all is well. */
export function findReleaseProblems(facts: ReleaseFacts): string[] {
  const { manifests, changelog, templateVersions, uncommitted, tags } = facts
  const versions = new Set(manifests.map(({ version }) => version))
  const [version = ''] = versions
  return [
    ...(versions.size === 1 ? [] : [`The packages have versions ${[...versions].join(' and ')}`]),
    ...manifests.flatMap((manifest) =>
      neededFields
        .filter((field) => manifest[field] === undefined)
        .map((field) => `package.json of ${manifest.name} has no ${field}`),
    ),
    ...(changelog.includes(`\n## ${version}`) ? [] : [`CHANGELOG.md has no section ${version}`]),
    ...(templateVersions.includes(`samestep: '${version}'`)
      ? []
      : [`New games do not depend on samestep ${version}: see manifest.ts of create-samestep`]),
    ...(uncommitted === '' ? [] : ['There are changes that are not committed']),
    ...(tags.includes(`v${version}`) ? [] : [`This commit has no tag v${version}`]),
  ]
}
