import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { layers, machineLayers, mayImport, pureLayers } from './layers.ts'
import { allowances, checkFile } from './tidy.ts'
import { parseTree, walk } from './tidy-tree.ts'

const source = join(import.meta.dirname, '..', 'src')
const repository = join(import.meta.dirname, '..', '..', '..')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|(?:^|\/)testing\//.test(path))
  .sort()

describe('every file of src', () => {
  test('is found', () => {
    expect(files).toContain('base/errors.ts')
  })

  test.each(files)('%s is tidy', (path) => {
    const violations = checkFile(path, readFileSync(join(source, path), 'utf8'))
    expect(violations.map(({ line, message }) => `src/${path}:${line}: ${message}`)).toEqual([])
  })

  test('is in a layer whose bans the linter knows too', () => {
    const biome = JSON.parse(readFileSync(join(repository, 'biome.json'), 'utf8'))
    const linted = new Map<string, string>()
    for (const { includes, linter } of biome.overrides) {
      const layer = /src\/(\w+)\/\*\*$/.exec(includes[0])?.[1] ?? ''
      const patterns = linter.rules.style.noRestrictedImports?.options.patterns ?? []
      const groups = patterns.flatMap(({ group }: { group: string[] }) => group)
      if (groups.length > 0) linted.set(layer, groups.sort().join(' '))
    }
    const expected = new Map<string, string>()
    for (const layer of layers) {
      const others = layers.filter((other) => other !== layer && !mayImport(layer, other))
      const groups = machineLayers.includes(layer) ? [] : ['node:*']
      if (others.length > 0) groups.unshift(`**/{${others.join(',')}}/**`)
      if (groups.length > 0) expected.set(layer, groups.join(' '))
    }
    expect(linted).toEqual(expected)
  })

  test.each(allowances)('the allowance of $name in $path is needed', ({ path }) => {
    expect(files).toContain(path)
    const text = readFileSync(join(source, path), 'utf8')
    expect(checkFile(path, text, [])).not.toEqual([])
  })
})

test('every error code has its place in docs/errors.md, and no other code has one', () => {
  const codes = new Set<string>()
  const path = join(source, 'base', 'errors.ts')
  walk(parseTree(path, readFileSync(path, 'utf8')).program, ({ value }) => {
    if (typeof value === 'string' && /^SS_[A-Z_]+$/.test(value)) codes.add(value)
  })
  expect(codes.size).toBeGreaterThan(0)
  const page = readFileSync(join(repository, 'docs', 'errors.md'), 'utf8')
  expect([...new Set(page.match(/\bSS_[A-Z_]+\b/g))].sort()).toEqual([...codes].sort())
})

/** Messages for a planted file, without its lines. */
function messages(path: string, text: string): string[] {
  return checkFile(path, `${text}\n`, []).map(({ message }) => message)
}

describe('layers', () => {
  test.each([
    ['sim/a.ts', '../wire/b.ts'],
    ['base/a.ts', '../sim/b.ts'],
    ['client/a.ts', '../relay/b.ts'],
    ['relay/a.ts', '../client/b.ts'],
    ['sim/hash/a.ts', '../../transport/b.ts'],
    ['transport/a.ts', '../driver/b.ts'],
    ['server/a.ts', '../storm/b.ts'],
    ['storm/a.ts', '../check/b.ts'],
    ['netem/a.ts', '../link/b.ts'],
    ['relay/a.ts', '../netem/b.ts'],
    ['sim/a.ts', '../index.ts'],
  ])('%s must not import %s, in whatever way', (path, specifier) => {
    const layer = path.slice(0, path.indexOf('/'))
    const other = posix.join(posix.dirname(path), specifier).split('/')[0]
    const sentence = `${layer} must not import ${other} (${specifier}): move what both need down, or pass it in from above`
    expect(messages(path, `import { b } from '${specifier}'`)).toEqual([sentence])
    expect(messages(path, `import type { b } from '${specifier}'`)).toEqual([sentence])
    expect(messages(path, `import '${specifier}'`)).toEqual([sentence])
    expect(messages(path, `export { b } from '${specifier}'`)).toEqual([sentence])
    expect(messages(path, `type B = import('${specifier}').B`)).toEqual([sentence])
  })

  test.each([
    ['sim/a.ts', '../base/b.ts'],
    ['sim/hash/a.ts', './wire/b.ts'],
    ['client/a.ts', '../link/b.ts'],
    ['netem/a.ts', '../base/b.ts'],
    ['transport/a.ts', '../netem/b.ts'],
    ['storm/a.ts', '../netem/b.ts'],
    ['storm/a.ts', '../client/b.ts'],
    ['cli/a.ts', '../server/b.ts'],
    ['index.ts', './driver/b.ts'],
    ['transport/a.ts', 'node:net'],
    ['server/a.ts', 'ws'],
  ])('%s may import %s', (path, specifier) => {
    expect(messages(path, `export { b } from '${specifier}'`)).toEqual([])
  })

  test('only transport, server and cli touch the machine', () => {
    expect(messages('driver/a.ts', "import 'node:fs'")).toEqual([
      'driver must not import node:fs: only transport, server, cli touch the machine',
    ])
  })

  test('the core has no dependencies', () => {
    expect(messages('wire/a.ts', "import 'ws'")).toEqual([
      'wire must not import the package ws: the core has no dependencies',
    ])
  })

  test('nothing outside src is imported', () => {
    expect(messages('cli/a.ts', "import '../../test/x.ts'")).toEqual([
      '../../test/x.ts leaves src: import only what the package ships',
    ])
  })

  test('every file is in a layer', () => {
    expect(messages('helpers/a.ts', '')[0]).toMatch(/^helpers\/a\.ts is in no layer: move it into/)
    expect(messages('helpers.ts', '')[0]).toMatch(/^helpers\.ts is in no layer: move it into/)
    expect(messages('index.ts', '')).toEqual([])
  })
})

describe('exports', () => {
  test('an index only re-exports by name', () => {
    const index = "export { a, type B } from './a.ts'\nexport type { C } from './c.ts'"
    expect(messages('sim/index.ts', `${index}\nexport * as dmath from './dmath.ts'`)).toEqual([])
    const sentence = "an index only re-exports by name: write export { a } from './a.ts'"
    expect(messages('sim/index.ts', "export * from './a.ts'")).toEqual([sentence])
    expect(messages('sim/index.ts', '/** A. */\nexport const a = 1')).toEqual([sentence])
    expect(messages('sim/index.ts', "import './a.ts'")).toEqual([sentence])
  })

  test('there are no default exports', () => {
    expect(messages('sim/a.ts', '/** A. */\nexport default function a() {}')).toEqual([
      'no default exports: give it a name, so that every file calls it the same',
    ])
    expect(messages('sim/a.ts', '/** A. */\nconst a = 1\nexport { a as default }')).toEqual([
      'no default exports: export it under its own name',
    ])
  })

  test('export * is refused everywhere', () => {
    expect(messages('sim/a.ts', "export * from './b.ts'")).toEqual([
      'export * hides what is exported: re-export by name',
    ])
  })

  test.each([
    'export const a = 1',
    '// Not a doc comment.\nexport function a() {}',
    '/* Nor this. */\nexport class a {}',
    '/** See above. */\nexport class a {}',
    'export type a = 1',
    'export interface a {}',
    '/** Of another thing. */\nfunction b() {}\nexport const a = b',
    'const a = 1\nexport { a }',
    '/** B. */\nexport const b = 1\n\nexport const a = 1',
    '/** B. */\nexport const b = 1\nexport type a = 1',
  ])('an exported name has a doc comment: %j', (text) => {
    expect(messages('sim/a.ts', text)).toEqual([
      'a is exported without a doc comment: say what it is for the caller',
    ])
  })

  test.each([
    '/** A. */\nexport const a = 1',
    '/** A. */\nexport function a(x: 1): 1\nexport function a(x: 2): 2\nexport function a(x: any) { return x }',
    '/** A. */\nconst a = 1\nexport { a }',
    "export { a } from './b.ts'",
    'const a = 1',
    '/** B and what goes with it. */\nexport const b = 1\nexport const a = 1 // or 2\nexport const c = 1',
  ])('and this is enough: %j', (text) => {
    expect(messages('sim/a.ts', text)).toEqual([])
  })
})

describe('bans', () => {
  test.each([
    ['const a = Date.now()', 'Date is banned in sim: take nowMs from the caller'],
    ['const a = new Date()', 'Date is banned in sim: take nowMs from the caller'],
    ['const a = globalThis.Date', 'Date is banned in sim: take nowMs from the caller'],
    [
      'const a = (globalThis as any).performance',
      'performance is banned in sim: take nowMs from the caller',
    ],
    ['const a = { performance }', 'performance is banned in sim: take nowMs from the caller'],
    [
      'setTimeout(() => {}, 1)',
      'setTimeout is banned in sim: give a wake-up time; the driver owns the timers',
    ],
    [
      'let a: Promise<number>',
      'Promise is banned in sim: queue an output; the core is synchronous',
    ],
    [
      'async function a() {}',
      'async and await are banned in sim: queue an output; the core is synchronous',
    ],
    [
      'const a = async () => {}',
      'async and await are banned in sim: queue an output; the core is synchronous',
    ],
    ["const a = import('./b.ts')", 'import() is banned in sim: it is a promise; import at the top'],
    [
      'const a = process.env',
      'process is banned in sim: take it as an option; the core does not know its machine',
    ],
    ["console.log('a')", 'console is banned in sim: return an event; the core does not print'],
    ['const a = Math.random()', 'Math.random is banned in sim: draw from a seeded generator'],
    ['const a = Math.sin(1)', 'Math.sin differs between engines: use the function of sim/math'],
    [
      'const a = Math.hypot(1, 2)',
      'Math.hypot differs between engines: use the function of sim/math',
    ],
    [
      'const { sin } = Math',
      'write Math.name in full, so that a reader and this check see which function it is',
    ],
    [
      "const a = Math['sin'](1)",
      'write Math.name in full, so that a reader and this check see which function it is',
    ],
    [
      'let a = x ** 2',
      '** differs between engines: multiply, shift, or use the function of sim/math',
    ],
    ['a **= 2', '** differs between engines: multiply, shift, or use the function of sim/math'],
    [
      'let a = 2 ** x',
      '** differs between engines: multiply, shift, or use the function of sim/math',
    ],
    [
      'let a = 2 ** 0.5',
      '** differs between engines: multiply, shift, or use the function of sim/math',
    ],
    [
      "const a = 'x'.localeCompare('y')",
      'localeCompare is banned in sim: use < and >, which compare code units everywhere',
    ],
  ])('%s', (text, sentence) => {
    expect(messages('sim/a.ts', text)).toEqual([sentence])
  })

  test.each([
    "const a = 'Date.now() and Math.sin'",
    '// Date.now() would differ.',
    'const a = b.Date + b.performance.Promise',
    'const a = { Date: 1, process: 2 }',
    'type A = { readonly performance: number }',
    'const a = Math.sqrt(2) + Math.PI * Math.imul(3, 4)',
    'const a = 2 ** 32 + 2 ** -20',
    'const a = 2n ** 64n',
  ])('%j is none of them', (text) => {
    expect(messages('sim/a.ts', text)).toEqual([])
  })

  test.each(pureLayers)('hold in %s', (layer) => {
    expect(messages(`${layer}/a.ts`, 'const a = Date.now()')).toHaveLength(1)
  })

  test.each(layers.filter((layer) => !pureLayers.includes(layer)))('do not hold in %s', (layer) => {
    expect(messages(`${layer}/a.ts`, 'const a = Math.sin(Date.now()) ** 2')).toEqual([])
  })

  test('** is banned in sim alone: the layers above compute no state', () => {
    expect(messages('client/a.ts', 'const a = b ** 2')).toEqual([])
  })

  test('an allowance lifts one name in one file', () => {
    const allowance = [{ path: 'sim/a.ts', name: 'process', reason: 'planted' }]
    expect(checkFile('sim/a.ts', 'process.env', allowance)).toEqual([])
    expect(checkFile('sim/b.ts', 'process.env', allowance)).toHaveLength(1)
    expect(checkFile('sim/a.ts', 'Date.now()', allowance)).toHaveLength(1)
  })
})

test('a file has at most 400 lines', () => {
  expect(messages('sim/a.ts', 'a()\n'.repeat(400))).toEqual([])
  expect(messages('sim/a.ts', 'a()\n'.repeat(401))).toEqual([
    '401 lines are more than 400: split the file by idea',
  ])
})

describe('shapes', () => {
  test('objects whose code makes a new shape each time are refused in the core', () => {
    expect(messages('relay/a.ts', 'const a = { ...{ b, c }, d }')).toEqual([
      expect.stringMatching(/^\.\.\.\{ \} in an object: write its properties directly/),
    ])
    expect(messages('client/a.ts', 'const a = { get b() { return 1 }, c: 2 }')).toEqual([
      expect.stringMatching(/^get in an object: write a class or a function/),
    ])
  })

  test.each([
    ['relay/a.ts', 'const a = { ...b, c }'],
    ['relay/a.ts', 'f(...[1])'],
    ['client/a.ts', 'class A { get b() { return 1 } }'],
    ['sim/trace/a.ts', 'const a = { get b() { return 1 } }'],
    ['cli/a.ts', 'const a = { get b() { return 1 }, ...{ c } }'],
  ])('%s may contain %s', (path, text) => {
    expect(messages(path, text)).toEqual([])
  })
})

test('a violation names its line', () => {
  expect(checkFile('sim/a.ts', '\n\nconst a = Date.now()\n')).toMatchObject([{ line: 3 }])
})
