import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSourceMapResolver } from './source-map-resolver.ts'

/** A game in two files and a program that traces one tick of it. Lines are counted below. */
const files: { readonly [name: string]: string } = {
  'movement.ts': `import { runBatch } from 'samestep'
type Tick = { state: any; random: any }
export function movement({ state, random }: Tick): void {
  const { units } = state
  units.x[0] += 1 // line 5
  units.x[1] = random.between(1, 6) // line 6
  runBatch(state.healing, units, 1, (row: number) => {
    units.hp[row] += 1 // line 8
  })
}
`,
  'main.ts': `import { batch, defineGame, i16, table } from 'samestep'
import { createSimulation } from 'samestep/debug'
import { createTrace } from 'samestep-trace'
import { movement } from './movement.ts'
const game = defineGame({
  id: 'bundled', version: 1, seats: { min: 1, max: 1 },
  state: { units: table(2, { x: i16, hp: i16 }), healing: batch() },
  setup({ state }) { state.units.add(); state.units.add() },
  systems: [movement],
})
export function run(resolve: unknown) {
  const trace = createTrace({ resolve })
  const simulation = createSimulation(game as never, { seed: 1, trace })
  trace.restart()
  simulation.step({ tick: 1, events: [], inputs: [], orders: [] })
  return trace.entries()
}
`,
}

type Entry = {
  readonly kind: string
  readonly part: string
  readonly field: string
  readonly site: { readonly file: string; readonly line: number } | undefined
}

const source = join(import.meta.dirname, '../..')
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-maps-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

async function bundle(name: string, sourcemap: 'inline' | 'linked' | false): Promise<string> {
  const outfile = join(folder, name)
  await build({
    entryPoints: [join(folder, 'main.ts')],
    outfile,
    bundle: true,
    minify: true,
    sourcemap,
    format: 'esm',
    platform: 'node',
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: {
      samestep: join(source, 'index.ts'),
      'samestep/debug': join(source, 'sim', 'debug', 'index.ts'),
      'samestep-trace': join(source, 'sim', 'trace', 'trace.ts'),
    },
  })
  return outfile
}

async function traceBundle(outfile: string): Promise<readonly Entry[]> {
  const { run } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
    run(resolve: unknown): readonly Entry[]
  }
  return run(createSourceMapResolver())
}

function linesOf(entries: readonly Entry[]): unknown[] {
  return entries.map(({ kind, part, field, site }) => [
    `${kind} ${part}.${field}`,
    site?.file.slice(site.file.lastIndexOf('/') + 1),
    site?.line,
  ])
}

const expected = [
  ['set units.x', 'movement.ts', 5],
  ['draw #random.main', 'movement.ts', 6],
  ['set units.x', 'movement.ts', 6],
  ['set healing.cursor', 'movement.ts', 7],
  ['set healing.ticksLeft', 'movement.ts', 7],
  ['set units.hp', 'movement.ts', 8],
  ['set units.hp', 'movement.ts', 8],
  ['set healing.cursor', 'movement.ts', 7],
  ['set healing.ticksLeft', 'movement.ts', 7],
]

describe('lines of a minified bundle', () => {
  test('are those of the sources, by a map inside the file', async () => {
    expect(linesOf(await traceBundle(await bundle('inline.mjs', 'inline')))).toEqual(expected)
  })

  test('are those of the sources, by a map beside the file', async () => {
    expect(linesOf(await traceBundle(await bundle('linked.mjs', 'linked')))).toEqual(expected)
  })

  test('are those of the bundle where there is no map', async () => {
    const entries = await traceBundle(await bundle('bare.mjs', false))
    expect(entries.map(({ kind }) => kind)).toEqual(
      expected.map(([text]) => text?.toString().split(' ')[0]),
    )
    for (const { site } of entries) expect(site?.file).toMatch(/bare\.mjs$/)
  })
})

describe('the resolver', () => {
  const site = (file: string) => ({ functionName: 'f', file, line: 1, column: 1 })

  test('has no answer for files that are none, or have no map, or a broken one', () => {
    const resolve = createSourceMapResolver()
    writeFileSync(join(folder, 'plain.js'), 'export const a = 1\n')
    writeFileSync(
      join(folder, 'broken.js'),
      '1\n//# sourceMappingURL=data:application/json,{oops\n',
    )
    writeFileSync(join(folder, 'lost.js'), '1\n//# sourceMappingURL=nowhere.js.map\n')
    const names = ['plain.js', 'broken.js', 'lost.js', 'missing.js'].map((name) =>
      join(folder, name),
    )
    for (const name of [...names, 'node:fs', 'http://localhost/a.js', '<anonymous>', '']) {
      expect(resolve(site(name)), name).toBeUndefined()
    }
  })

  test('reads a file once', async () => {
    const outfile = await bundle('once.mjs', 'inline')
    const text = readFileSync(outfile, 'utf8')
    const line = text.split('\n').findIndex((each) => each.includes('bundled')) + 1
    const column = (text.split('\n')[line - 1] as string).indexOf('bundled') + 1
    const resolve = createSourceMapResolver()
    const found = resolve({ functionName: 'f', file: outfile, line, column })
    expect(found?.file).toMatch(/main\.ts$/)
    writeFileSync(outfile, '')
    expect(resolve({ functionName: 'f', file: outfile, line, column })).toEqual(found)
  })
})
