/**
 * Every file of the repository that holds what the code computes: golden bytes, digests, and the
 * tables of pages. `npm run golden` writes them; each has a test that fails when it is stale.
 *
 * Not here, because nothing may write them again: what older versions wrote, which must load for
 * ever. `frozenVectors` names those that lie among the others.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSampleRecord } from '../../src/record/testing/sample.ts'
import { makeSchemaVectors } from '../../src/sim/schema/testing/vector-cases.ts'
import { snapshotEncodings } from '../../src/sim/snapshot/format.ts'
import { decodeAll } from '../../src/sim/snapshot/testing/decode.ts'
import { goldenName, makeGolden, summarise } from '../../src/sim/snapshot/testing/golden.ts'
import { makeVectors } from '../../src/wire/testing/vector-file.ts'
import { bundleDigests } from '../engines/bundle.ts'
import { makeGolden as goldenDigests } from '../engines/compare.ts'
import { shellEngine } from '../engines/shell.ts'
import { plantedBugs } from '../planted/bugs/all-bugs.ts'
import { makeStateTables } from '../state-tables.ts'
import { renderCheckingPage, renderDesyncPage } from './cause-tables.ts'
import { renderExportsPage } from './exports-page.ts'
import { renderFieldsPage } from './fields-page.ts'
import { putBlock, tableText } from './page-blocks.ts'
import { renderProtocolPage } from './protocol-page.ts'
import { makeHashFile, makeRandomFile } from './published.ts'
import { renderRecordPage } from './record-page.ts'
import { formatVectors } from './vector-text.ts'

/** One file that a command writes. */
export interface GoldenFile {
  /** Below the root of the repository. */
  readonly path: string
  /** What it should hold today; takes long for digests. */
  readonly make: () => string | Uint8Array | Promise<string>
}

const repository = join(import.meta.dirname, '..', '..', '..', '..')
const vectors = 'packages/samestep/test/vectors'

/** Enough for a difference in one result of 10 000 to show, little enough for half a minute. */
export const digestCount = 1_000_000

/** Files among the vectors that an older writer wrote and that only have to load. */
export const frozenVectors: readonly string[] = ['snapshot-1-deflate-other-writer.bin']

/** From the bundle that every engine runs. Games import the built package: build first. */
async function makeDigests(): Promise<string> {
  const engine = shellEngine('Node', process.versions.node, process.execPath)
  try {
    const digests = await engine.run(await bundleDigests(), digestCount)
    return `${JSON.stringify(goldenDigests(digestCount, digests), null, 2)}\n`
  } finally {
    await engine.close()
  }
}

function renderStatePage(page: string): string {
  let result = page
  for (const [name, table] of makeStateTables()) result = putBlock(result, name, table)
  return result
}

function page(path: string, render: (page: string) => string): GoldenFile {
  return { path, make: () => render(readFileSync(join(repository, path), 'utf8')) }
}

function renderStormPage(page: string): string {
  const rows = plantedBugs.map(({ id, file, breaks }) => [id, file, breaks])
  return putBlock(page, 'planted bugs', tableText(['bug', 'file', 'what it breaks'], rows))
}

/** All of them. Pages come last: they show some of the vectors. */
export const goldenFiles: readonly GoldenFile[] = [
  {
    path: `${vectors}/schema.json`,
    make: () => formatVectors({ records: makeSchemaVectors() }),
  },
  { path: `${vectors}/wire.json`, make: () => formatVectors({ ...makeVectors() }) },
  { path: `${vectors}/hash.json`, make: makeHashFile },
  { path: `${vectors}/random.json`, make: makeRandomFile },
  ...snapshotEncodings.map((encoding) => ({
    path: `${vectors}/${goldenName(encoding)}`,
    make: () => makeGolden(encoding),
  })),
  {
    path: `${vectors}/snapshot-1.json`,
    make: () => `${JSON.stringify(summarise(decodeAll(makeGolden('raw'))), null, 2)}\n`,
  },
  { path: `${vectors}/record-1.bin`, make: makeSampleRecord },
  { path: `${vectors}/digests.json`, make: makeDigests },
  page('docs/exports.md', renderExportsPage),
  page('docs/fields.md', renderFieldsPage),
  page('docs/checking.md', renderCheckingPage),
  page('docs/desync.md', renderDesyncPage),
  page('docs/protocol.md', renderProtocolPage),
  page('docs/record.md', renderRecordPage),
  page('docs/state-machines.md', renderStatePage),
  page('docs/storm.md', renderStormPage),
]
