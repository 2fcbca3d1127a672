import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTarball, packPackage } from '../../../tools/packed-package.ts'

/** The types as somebody gets them who installs the package, in a project of another making. */

const root = join(import.meta.dirname, '..', '..', '..')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'))
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-types-'))
  installTarball(packPackage('samestep', folder), folder)
  // Whoever imports the rules for ESLint has it.
  const linter = join('node_modules', 'eslint')
  symlinkSync(join(root, linter), join(folder, linter))
}, 180_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)

/** What the compiler complains about; empty when it does not. */
function compile(files: { readonly [name: string]: string }, options: object): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    typeRoots: [join(root, 'node_modules', '@types')],
    ...options,
  }
  const project = { compilerOptions, files: Object.keys(files) }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  try {
    execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

const entrances = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'))
const everything = entrances
  .map((name, index) => `export * as all${index} from 'samestep${name.slice(1)}'\n`)
  .join('')

const resolutions = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]
const platforms = [
  { lib: ['es2022', 'dom'], types: [] },
  { lib: ['es2022'], types: ['node'] },
]
const projects = resolutions.flatMap((resolution) =>
  platforms.map((platform) => ({ ...resolution, ...platform })),
)

test.each(projects)(
  'every entrance compiles without skipLibCheck: $moduleResolution, lib $lib, types $types',
  { timeout: 120_000 },
  (project) => {
    const careful = { skipLibCheck: false, noUncheckedIndexedAccess: true }
    const options = { ...project, ...careful, exactOptionalPropertyTypes: true }
    expect(compile({ 'all.mts': everything }, options)).toBe('')
  },
)

test('a type that is not there is complained about', { timeout: 60_000 }, () => {
  const text = "import { nothingOfTheKind } from 'samestep'\nnothingOfTheKind()\n"
  expect(compile({ 'wrong.mts': text }, { ...projects[0] })).toContain('nothingOfTheKind')
})

test('the samples of the README compile strictly as pasted', { timeout: 60_000 }, () => {
  const blocks = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const files: { [name: string]: string } = {}
  for (const code of blocks) {
    const [, file] = /^\/\/ (\S+)\.mjs\n/.exec(code) ?? []
    if (file !== undefined) files[`${file}.mts`] = code
  }
  expect(Object.keys(files)).toEqual(['game.mts', 'play.mts', 'relay.mts'])
  const changed = blocks.find((code) => code.startsWith('const match = await joinMatch')) ?? ''
  files['online.mts'] = (files['play.mts'] ?? '').replace(/^const match = playLocal.*\n/m, changed)
  expect(files['online.mts']).not.toBe(files['play.mts'])
  expect(compile(files, { ...projects[1] })).toBe('')
})

test('a field as a part of the state is told to be wrapped', { timeout: 60_000 }, () => {
  const game = (state: string): string =>
    `defineGame({ id: 'a', version: 1, seats: { min: 1, max: 1 }, state: ${state}, step() {} })\n`
  const text = [
    "import { defineGame, list, table, u8 } from 'samestep'\n",
    game('{ n: u8, units: table(9, { x: u8 }) }'),
    game('{ items: list(u8, 9) }'),
    game('{ unit: { x: u8 } }'),
  ].join('')
  const complaints = compile({ 'wrong.mts': text }, { ...projects[0] })
  const places = [...complaints.matchAll(/wrong\.mts\((\d+),/g)].map(([, line]) => line)
  expect(places).toEqual(['2', '3', '4'])
  expect(complaints).toContain(`'IntField' is not assignable to type '"wrap it: single({ n: … })"'`)
  expect(complaints).toContain(`"wrap it: plain(struct({ items: … }))"`)
  expect(complaints).toContain(`"write table(…), single(…), queue(…), plain(…) or custom(…)"`)
})
