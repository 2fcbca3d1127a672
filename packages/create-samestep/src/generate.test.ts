import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'
import { lintText } from '../../samestep/src/eslint/testing/lint.ts'
import { templates } from './answers.ts'
import { generateFiles } from './generate.ts'
import { versions } from './templates/common.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const source = join(repository, 'packages', 'samestep', 'src')
const readJson = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8'))

// Inside the repository, so that what the files import is found.
const cache = join(repository, '.cache')
mkdirSync(cache, { recursive: true })
const root = mkdtempSync(join(cache, 'create-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Samestep from its source: what is tested is the tree as it is, not the last build. */
const samestep = {
  samestep: join(source, 'index.ts'),
  'samestep/check': join(source, 'check', 'index.ts'),
}

test('what a new game depends on is what we test with', () => {
  const { devDependencies } = readJson('package.json')
  expect(versions).toEqual({
    samestep: readJson('packages/samestep/package.json').version,
    tsx: devDependencies.tsx,
    typescript: devDependencies.typescript,
    vite: devDependencies.vite,
    vitest: devDependencies.vitest,
  })
})

test('the same answers give the same files, and the name is in them', () => {
  const files = generateFiles({ name: 'space-miners', template: 'orders' })
  expect(files).toEqual(generateFiles({ name: 'space-miners', template: 'orders' }))
  expect([...files.keys()]).toEqual([
    'package.json',
    'README.md',
    '.gitignore',
    'tsconfig.json',
    'index.html',
    'src/game.ts',
    'src/game.test.ts',
    'src/main.ts',
  ])
  expect(JSON.parse(files.get('package.json') ?? '').name).toBe('space-miners')
  expect(files.get('src/game.ts')).toContain("id: 'space-miners'")
  expect(files.get('index.html')).toContain('<title>space-miners</title>')
})

describe.each(templates)('the template %s', (template) => {
  const folder = join(root, template)
  const files = generateFiles({ name: 'my-game', template })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }

  test('compiles', () => {
    const config = { extends: './tsconfig.json', compilerOptions: { paths: toLists(samestep) } }
    writeFileSync(join(folder, 'tsconfig.source.json'), JSON.stringify(config))
    const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc')
    // Samestep itself is compiled elsewhere, under stricter options than a game's.
    const own = compile(compiler, folder).filter((line) => /^src\//.test(line))
    expect(own).toEqual([])
  })

  test('is deterministic and reloads', async () => {
    const file = join(folder, 'bundle.mjs')
    await build({
      stdin: {
        contents: `export { game } from './src/game.ts'
          export { assertDeterministic, assertReloads, simulate } from 'samestep/check'`,
        resolveDir: folder,
      },
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: samestep,
      logLevel: 'silent',
    })
    const made = await import(/* @vite-ignore */ pathToFileURL(file).href)
    expect(made.game.id).toBe('my-game')
    made.assertDeterministic(made.game, { ticks: 100 })
    made.assertReloads(made.game, { ticks: 100 })
    expect(made.simulate(made.game, { ticks: 50 }).simulation.tick).toBe(50)
  })

  test('is clean by our own linter', async () => {
    for (const path of ['src/game.ts', 'src/main.ts']) {
      expect(await lintText(files.get(path) ?? '', path)).toEqual([])
    }
    expect(await lintText(files.get('src/game.ts') ?? '', 'src/sim/game.ts')).toEqual([])
  })

  test('goes online with the line that its page shows', () => {
    const main = files.get('src/main.ts') ?? ''
    expect(main).toContain('const match = playLocal(game, {')
    expect(main).toMatch(
      /^\/\/ {3}const match = await joinMatch\(game, \{ url: .*, match: .*, name: /m,
    )
  })
})

function toLists(paths: { readonly [name: string]: string }) {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, [path]]))
}

/** The lines that the compiler complains in. */
function compile(compiler: string, folder: string): string[] {
  try {
    execFileSync(process.execPath, [compiler, '-p', 'tsconfig.source.json'], { cwd: folder })
    return []
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout).split('\n')
  }
}
