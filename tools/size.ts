/**
 * `npm run size [-- --json] [--modules]`: what a page loads at first for each way to import Samestep,
 * what it loads later, and what clients of others weigh. `--modules` shows where the first load of
 * `joinMatch` comes from.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BundleSize, measureBundle } from './bundle-size.ts'
import { root } from './programs.ts'
import { peers, sizeLimits } from './size-limits.ts'
import { formatPlain } from './table.ts'

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    modules: { type: 'boolean', default: false },
  },
})

const { exports } = JSON.parse(
  readFileSync(join(root, 'packages', 'samestep', 'package.json'), 'utf8'),
)
const doors = Object.keys(exports)
  .filter((subpath) => !subpath.endsWith('.json') && subpath !== './types')
  .map((subpath) => `samestep${subpath.slice(1)}`)

const measured: { readonly title: string; readonly size: BundleSize }[] = []
for (const { title, code } of sizeLimits) measured.push({ title, size: await measureBundle(code) })
for (const door of doors) {
  const code = `import * as all from '${door}'\nglobalThis.used = all`
  measured.push({ title: `all of ${door}`, size: await measureBundle(code) })
}

const bytes = (count: number) => `${count.toLocaleString('en')} B`.padStart(10)
const joining = measured.find(({ title }) => title === 'joinMatch')?.size

if (options.json) {
  const plain = measured.map(({ title, size: { first, chunks } }) => ({ title, first, chunks }))
  process.stdout.write(`${JSON.stringify(plain, null, 2)}\n`)
} else {
  const rows = measured.flatMap(({ title, size: { first, chunks } }) => [
    [title, bytes(first.minified), bytes(first.gzipped)],
    ...(title === 'joinMatch' || title === 'playLocal' ? chunks : []).map((chunk) => [
      `  later: ${chunk.name}`,
      bytes(chunk.minified),
      bytes(chunk.gzipped),
    ]),
  ])
  const head = ['first load', 'minified'.padStart(10), 'gzip'.padStart(10)]
  process.stdout.write(`${formatPlain([head, ...rows])}\n\n`)
  const others = peers.map(([name, kilobytes]) => [name, '', bytes(kilobytes * 1_000)])
  process.stdout.write(`${formatPlain([['others', '', 'gzip'.padStart(10)], ...others])}\n`)
  if (options.modules) {
    const modules = [...(joining?.modules ?? [])].sort(([, a], [, b]) => b - a)
    const lines = modules.map(([name, count]) => [name, bytes(count)])
    process.stdout.write(`\n${formatPlain([['joinMatch, by module', ''], ...lines])}\n`)
  }
}
