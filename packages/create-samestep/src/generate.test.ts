import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'
import { lintText } from '../../samestep/src/eslint/testing/lint.ts'
import { templates } from './answers.ts'
import { generateFiles } from './generate.ts'
import { ownVersions, versions } from './manifest.ts'

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
  'samestep/overlay': join(source, 'overlay', 'index.ts'),
}

test('what a new game depends on is what we test with', () => {
  const { devDependencies } = readJson('package.json')
  const { devDependencies: linter } = readJson('tools/eslint-host/package.json')
  expect(versions).toEqual({
    samestep: readJson('packages/samestep/package.json').version,
    '@typescript-eslint/parser': linter['@typescript-eslint/parser'],
    eslint: linter.eslint,
    tsx: devDependencies.tsx,
    typescript: linter.typescript,
    vite: devDependencies.vite,
    vitest: devDependencies.vitest,
  })
  for (const version of Object.values(ownVersions).flatMap((own) => Object.values(own))) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  }
})

test('the same answers give the same files, and the name is in them', () => {
  const files = generateFiles({ name: 'space-miners', template: 'minimal' })
  expect(files).toEqual(generateFiles({ name: 'space-miners', template: 'minimal' }))
  expect([...files.keys()]).toEqual([
    'package.json',
    'README.md',
    '.gitignore',
    'eslint.config.js',
    'index.html',
    'src/page.ts',
    'src/style.css',
    'tsconfig.json',
    'vite.config.ts',
    'src/game.test.ts',
    'src/game.ts',
    'src/main.ts',
  ])
  expect(JSON.parse(files.get('package.json') ?? '').name).toBe('space-miners')
  expect(files.get('src/game.ts')).toContain("id: 'space-miners'")
  expect(files.get('index.html')).toContain('<title>space-miners</title>')
  for (const text of files.values()) expect(text).not.toContain('my-game')
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
    // Samestep itself is compiled elsewhere, under stricter options than a game's. What a template
    // draws with is not installed here: `npm run test:templates` compiles that too.
    const foreign = Object.keys(ownVersions[template]).map((name) => `'${name}'`)
    const lines = compile(compiler, folder).filter((line) => /^src\//.test(line))
    const missing = lines.filter((line) => foreign.some((name) => line.includes(name)))
    const spoilt = missing.map((line) => line.split('(')[0])
    expect(missing).toHaveLength(foreign.length)
    expect(lines.filter((line) => !spoilt.includes(line.split('(')[0]))).toEqual([])
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
    for (const [path, text] of files) {
      if (path.endsWith('.ts')) expect(await lintText(text, path)).toEqual([])
    }
    expect(await lintText(files.get('src/game.ts') ?? '', 'src/sim/game.ts')).toEqual([])
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
