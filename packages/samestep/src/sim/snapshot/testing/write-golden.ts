/**
 * Writes the golden files of the present format. Run once per format, with a runner that knows
 * TypeScript; never again for a format that has been published: those files are the promise.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { snapshotEncodings } from '../format.ts'
import { decodeAll } from './decode.ts'
import { goldenName, makeGolden, summarise, vectorsFolder } from './golden.ts'

const files = new Map<string, Uint8Array | string>()
for (const encoding of snapshotEncodings) files.set(goldenName(encoding), makeGolden(encoding))
const contents = summarise(decodeAll(makeGolden('raw')))
files.set('snapshot-1.json', `${JSON.stringify(contents, null, 2)}\n`)

for (const [name, content] of files) {
  const url = new URL(name, vectorsFolder)
  if (existsSync(url)) throw new Error(`${name} exists: a golden file is written once`)
  writeFileSync(url, content)
}
