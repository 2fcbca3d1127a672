/**
 * `npm run size [-- --json]`: what a game pays in its bundle for each way to import Samestep.
 *
 * Bundles the built package the way a web game would: as an ES module for browsers, minified, and
 * compressed as a web server does it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './programs.ts'
import { formatPlain } from './table.ts'

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } })

type Size = { readonly entry: string; readonly minified: number; readonly gzipped: number }

const packageFolder = join(root, 'packages', 'samestep')

/** A line for each door of the package, and one for each of the names that a first game uses. */
async function listEntries(): Promise<string[]> {
  const { exports } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const doors = Object.keys(exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => `samestep${subpath.slice(1)}`)
  const main: object = await import(join(packageFolder, 'dist', 'index.js'))
  const firstNames = [
    'defineGame',
    'playLocal',
    'joinMatch',
    'joinMatchInWorker',
    'serveMatch',
    'UsageError',
  ].filter((name) => name in main)
  return [
    ...firstNames.map((name) => `import { ${name} } from 'samestep'`),
    ...doors.map((door) => `import * as all from '${door}'`),
  ]
}

async function measure(entry: string): Promise<Size> {
  const name = /import (?:\{ (\w+) \}|\* as (\w+))/.exec(entry)?.slice(1).find(Boolean)
  const { outputFiles } = await build({
    // Used, or the bundler would drop the import as dead.
    stdin: { contents: `${entry}\nglobalThis.used = ${name}`, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    // What only Node has is not in a browser's bundle; a door that needs it shows the rest.
    external: ['node:*', 'node-datachannel'],
    logLevel: 'warning',
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  return { entry, minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length }
}

const sizes: Size[] = []
for (const entry of await listEntries()) sizes.push(await measure(entry))
if (options.json) process.stdout.write(`${JSON.stringify(sizes, null, 2)}\n`)
else {
  const rows = sizes.map(({ entry, minified, gzipped }) => [
    entry,
    `${minified.toLocaleString('en')} B`.padStart(10),
    `${gzipped.toLocaleString('en')} B`.padStart(10),
  ])
  process.stdout.write(
    `${formatPlain([['', 'minified'.padStart(10), 'gzip'.padStart(10)], ...rows])}\n`,
  )
}
