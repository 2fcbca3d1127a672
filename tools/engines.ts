/**
 * `npm run test:engines [-- names…] [--json | --markdown] [--builtins]`
 *
 * Computes the committed digests in every JavaScript engine that this machine can have, and says
 * which of them differ. Installs what is missing when run as root; never leaves an engine out in
 * silence.
 *
 * `npm run golden -- digests` writes this Node's digests as the right ones. `--builtins` shows how far
 * the engines' own Math functions agree instead: the reason for all of this.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openChromium, openFirefox } from '../packages/samestep/test/engines/browsers.ts'
import { builtinsEntry, makeLetterTable } from '../packages/samestep/test/engines/builtins.ts'
import { bundleDigests, digestsEntry } from '../packages/samestep/test/engines/bundle.ts'
import {
  type EngineRow,
  explainMismatches,
  findMismatches,
  type Golden,
  makeTable,
} from '../packages/samestep/test/engines/compare.ts'
import type { Engine } from '../packages/samestep/test/engines/engine.ts'
import { shellEngine } from '../packages/samestep/test/engines/shell.ts'
import { chromium } from './chromium.ts'
import { ensureProgram, type Program, refuse, root, runInherited } from './programs.ts'
import { formatMarkdown, formatPlain, type Table } from './table.ts'

const goldenPath = join(root, 'packages', 'samestep', 'test', 'vectors', 'digests.json')

/** Built-in functions differ in one result of 30: far fewer arguments show it. */
const builtinCount = 200_000
/** The newest long-term release: another generation of V8 than Node 20's. */
const otherNode = '24.21.0'

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    builtins: { type: 'boolean', default: false },
  },
})

const firefox: Program = {
  name: 'Firefox',
  candidates: ['firefox-esr', 'firefox'],
  debianPackages: ['firefox-esr'],
}
const jsc: Program = {
  name: "JavaScriptCore's shell",
  candidates: ['jsc'],
  debianPackages: ['libjavascriptcoregtk-4.0-bin'],
}
const spiderMonkey: Program = {
  name: "SpiderMonkey's shell",
  candidates: ['js102', 'js115', 'js128', 'js'],
  debianPackages: ['libmozjs-102-dev'],
}

const engines: { readonly [id: string]: () => Engine | Promise<Engine> } = {
  node: () => shellEngine('Node', process.versions.node, process.execPath),
  'node-24': () => shellEngine('Node', otherNode, ensureOtherNode()),
  chromium: () => {
    ensureProgram(chromium)
    return openChromium()
  },
  firefox: () => openFirefox(ensureProgram(firefox)),
  jsc: () => shellEngine('JavaScriptCore', debianVersion(jsc), ensureProgram(jsc)),
  spidermonkey: () => {
    const path = ensureProgram(spiderMonkey)
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' })
    return shellEngine('SpiderMonkey', version.replace(/^\D*/, '').trim(), path)
  },
}

/** A second Node, from its package on npm: not a dependency, because only this tool needs it. */
function ensureOtherNode(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  const folder = join(root, '.cache', 'engines')
  const path = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  process.stderr.write(`Node ${otherNode} is missing: installing ${name}\n`)
  const args = ['install', '--prefix', folder, '--no-package-lock', `${name}@${otherNode}`]
  if (runInherited('npm', args) !== 0 || !existsSync(path)) {
    refuse(`Cannot install Node ${otherNode}: npm install ${name}@${otherNode} failed`)
  }
  return path
}

/** JavaScriptCore's shell cannot tell its own version; where Debian cannot either, it has none. */
function debianVersion({ debianPackages }: Program): string {
  try {
    const args = ['-W', '-f', '$'.concat('{Version}'), ...debianPackages]
    return execFileSync('dpkg-query', args, { encoding: 'utf8' }).replace(/-[^-]*$/, '')
  } catch {
    return '?'
  }
}

/** What one engine gave; `failure` is why it gave nothing. */
type Run = {
  readonly name: string
  readonly version: string
  readonly digests: Awaited<ReturnType<Engine['run']>>
  readonly failure?: string
}

async function runEngine(id: string, script: string, count: number): Promise<Run> {
  let name = id
  let version = '?'
  try {
    const engine = await engines[id]?.()
    if (engine === undefined) refuse(`Cannot run '${id}': ${Object.keys(engines).join(', ')} exist`)
    ;({ name, version } = engine)
    try {
      const startMs = performance.now()
      const digests = await engine.run(script, count)
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
      process.stderr.write(`${name} ${version}: ${digests.length} digests in ${seconds} s\n`)
      return { name, version, digests }
    } finally {
      await engine.close()
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${name} ${version}: ${failure}\n`)
    return { name, version, digests: [], failure }
  }
}

/** Runs the chosen engines, as many at once as there are cores, and keeps their sequence. */
async function runEngines(script: string, count: number): Promise<Run[]> {
  const ids = names.length > 0 ? names : Object.keys(engines)
  const runs: Run[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < ids.length; index = next++) {
      runs[index] = await runEngine(ids[index] ?? '', script, count)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return runs
}

function print(table: Table, json: unknown): void {
  const format = options.markdown ? formatMarkdown : formatPlain
  process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : format(table)}\n`)
}

async function compareDigests(): Promise<boolean> {
  const script = await bundleDigests(digestsEntry)
  const golden: Golden = JSON.parse(readFileSync(goldenPath, 'utf8'))
  const runs = await runEngines(script, golden.count)
  const rows = runs.map(({ name, version, digests, failure }): EngineRow => {
    const mismatches = failure === undefined ? findMismatches(golden, digests) : []
    return { engine: name, version, mismatches, ...(failure === undefined ? {} : { failure }) }
  })
  print(makeTable(golden, rows), { count: golden.count, engines: rows })
  process.stderr.write(
    explainMismatches(rows)
      .map((line) => `${line}\n`)
      .join(''),
  )
  return rows.every(({ mismatches, failure }) => mismatches.length === 0 && failure === undefined)
}

async function showBuiltins(): Promise<boolean> {
  const runs = await runEngines(await bundleDigests(builtinsEntry), builtinCount)
  print(makeLetterTable(runs), { count: builtinCount, engines: runs })
  return runs.every(({ failure }) => failure === undefined)
}

process.exit((await (options.builtins ? showBuiltins() : compareDigests())) ? 0 : 1)
