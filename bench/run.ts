/**
 * `npm run bench [-- words…] [--json] [--quick] [--strict]`: times the suites of `bench/suites`.
 *
 * Every suite runs in its own process, from one bundled file. A fresh process, because a function
 * that the compiler has seen with six kinds of objects stays slow for the seventh; bundled, because
 * that is how games ship, and because a TypeScript loader adds a call to each function made.
 */
import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import type { ChildMessage } from './child.ts'
import type { SuiteResult } from './measure.ts'
import { coloured, countPromises, formatSuite, formatSummary, plain } from './report.ts'
import type { Suite } from './types.ts'

const folder = import.meta.dirname
const suitesFolder = join(folder, 'suites')

/** Set in the processes that measure, so that a bundle knows whether to run or only to tell. */
const childMark = 'SAMESTEP_BENCH_CHILD'

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const help = `Times suites, and says which promises are kept.

Usage      npm run bench [-- words…] [-- --json] [-- --quick] [-- --strict]
words      suites whose names contain one of them; all suites without
--json     figures for programs
--quick    shorter, and less exact
--strict   exits with 1 where a promise is missed
Example    npm run bench -- load --quick
`

type Found = { readonly suite: Suite; readonly bundle: string }

async function bundleSuites(file: string): Promise<string> {
  const outfile = join(folder, '.cache', `${basename(file, '.ts')}.mjs`)
  const contents = `
    import { suites } from ${JSON.stringify(`./suites/${file}`)}
    import { serveSuite } from './child.ts'
    export { suites }
    if (process.env.${childMark} === '1') await serveSuite(suites)
  `
  await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  return outfile
}

async function findSuites(): Promise<Found[]> {
  const files = readdirSync(suitesFolder)
    .filter((file) => file.endsWith('.bench.ts'))
    .sort()
  const found: Found[] = []
  for (const file of files) {
    const bundle = await bundleSuites(file)
    const { suites }: { suites: readonly Suite[] } = await import(bundle)
    for (const suite of suites) {
      const twin = found.find((other) => other.suite.name === suite.name)
      if (twin !== undefined) throw new Error(`Cannot run two suites named '${suite.name}'`)
      found.push({ suite, bundle })
    }
  }
  return words.length === 0
    ? found
    : found.filter(({ suite }) => words.some((word) => suite.name.includes(word)))
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

function runSuite({ suite, bundle }: Found, position: string): Promise<SuiteResult> {
  return new Promise((resolve, reject) => {
    showProgress(`${position} ${suite.name}: warming up`)
    const child = fork(bundle, [suite.name, options.quick ? 'quick' : 'full'], {
      execArgv: ['--enable-source-maps'],
      env: { ...process.env, [childMark]: '1' },
    })
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'progress') {
        showProgress(`${position} ${suite.name}: ${Math.round(message.share * 100)} %`)
      } else if (message.type === 'result') resolve(message.result)
      else reject(new Error(message.message))
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      reject(new Error(`The suite '${suite.name}' ended without a result (${signal ?? code})`))
    })
  })
}

const paint = process.stdout.isTTY && !process.env.NO_COLOR ? coloured : plain
const found = await findSuites()
if (options.help) {
  const names = found.map(({ suite }) => suite.name).join(', ')
  process.stdout.write(`${help}\nSuites     ${names}\n`)
  process.exit(0)
}
if (found.length === 0) {
  process.stderr.write(`Cannot find a suite whose name contains ${words.join(' or ')}\n`)
  process.exit(1)
}

const results: SuiteResult[] = []
let failures = 0
for (const [index, entry] of found.entries()) {
  try {
    const result = await runSuite(entry, `[${index + 1}/${found.length}]`)
    results.push(result)
    showProgress('')
    if (!options.json) process.stdout.write(`${formatSuite(result, paint)}\n\n`)
  } catch (error) {
    failures++
    showProgress('')
    process.stderr.write(`${entry.suite.name}: ${error instanceof Error ? error.message : error}\n`)
  }
}

if (options.json) {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
  }
  process.stdout.write(`${JSON.stringify({ machine, quick: options.quick, results }, null, 2)}\n`)
} else process.stdout.write(`${formatSummary(results, paint)}\n`)

const { missed } = countPromises(results)
process.exit(failures > 0 || (options.strict && missed > 0) ? 1 : 0)
