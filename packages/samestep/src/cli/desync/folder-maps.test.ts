import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleFile } from '../../desync/testing/sample-file.ts'
import { createFolderResolver } from './folder-maps.ts'
import { resolveSites } from './resolve-sites.ts'
import { textOf } from './show-desync.ts'

const source = `// Some lines that a bundle leaves out.
type Units = { x: number[] }

export function moveUnits(units: Units): void {
  for (let row = 0; row < units.x.length; row++) {
    units.x[row]! += 1
  }
}
`

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-maps-'))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src', 'units.ts'), source)
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Builds it as for production, and gives where in the bundle the write is. */
async function bundle(out: string, sourcemap: 'external' | 'linked' | 'inline') {
  const result = await build({
    entryPoints: [join(folder, 'src', 'units.ts')],
    bundle: true,
    minify: true,
    sourcemap,
    format: 'esm',
    outfile: join(folder, 'dist', out),
    write: false,
  })
  mkdirSync(join(folder, 'dist', 'assets'), { recursive: true })
  for (const { path, text } of result.outputFiles) writeFileSync(path, text)
  const { text } = result.outputFiles.find(({ path }) => path.endsWith('.js'))!
  const column = text.split('\n')[0]!.indexOf('.x[') + 1
  return { functionName: 'o', line: 1, column }
}

describe('lines of a build for production', () => {
  test.each(['external', 'linked', 'inline'] as const)(
    'are those of the sources, with %s maps',
    async (kind) => {
      const site = await bundle('assets/index-4f1c.js', kind)
      const resolve = createFolderResolver(join(folder, 'dist'))
      const file = 'https://play.example.org/game/assets/index-4f1c.js?v=3'
      const found = resolve({ ...site, file })
      expect(found?.file).toMatch(/src\/units\.ts$/)
      expect([5, 6]).toContain(found?.line)
    },
  )

  test('of two files with one name, the one with the same folders is taken', async () => {
    mkdirSync(join(folder, 'dist', 'other'), { recursive: true })
    writeFileSync(join(folder, 'dist', 'other', 'index.js.map'), 'no map')
    const site = await bundle('assets/index.js', 'external')
    const resolve = createFolderResolver(join(folder, 'dist'))
    expect(resolve({ ...site, file: '/srv/assets/index.js' })?.file).toMatch(/units\.ts$/)
    expect(resolve({ ...site, file: '/srv/other/index.js' })).toBeUndefined()
    expect(resolve({ ...site, file: '/srv/assets/none.js' })).toBeUndefined()
  })

  test('are shown in a report', async () => {
    const site = await bundle('assets/index.js', 'external')
    const [pair] = sampleFile.pairs
    const write = pair!.finding.write!
    const at = { ...write.sides[0]!, site: { ...site, file: 'https://a.b/assets/index.js' } }
    const finding = { ...pair!.finding, write: { ...write, sides: [at, at] as const } }
    const file = { ...sampleFile, pairs: [{ ...pair!, finding }] }
    const shown = textOf(resolveSites(file, createFolderResolver(join(folder, 'dist'))))
    expect(shown).toContain('src/units.ts:')
    expect(shown).not.toContain('https://a.b')
  })

  test('need a folder', () => {
    expect(() => createFolderResolver(join(folder, 'none'))).toThrow('is not a folder')
  })
})
