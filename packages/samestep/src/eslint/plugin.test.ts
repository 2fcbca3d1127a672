import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as entry from './index.ts'
import { configs, meta, plugin, rules } from './plugin.ts'
import { fixText, lintText, project } from './testing/lint.ts'

const repository = join(import.meta.dirname, '..', '..', '..', '..')
const fixtures = join(repository, 'tools', 'eslint-host', 'fixtures')
const read = (name: string): string => readFileSync(join(fixtures, name), 'utf8')

/** How often each rule reports something. */
function count(names: readonly string[]): { readonly [name: string]: number } {
  const counts: { [name: string]: number } = {}
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

test('the plugin has the version of the package, so that caches of ESLint end with it', () => {
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  )
  expect(meta).toEqual({ name: manifest.name, version: manifest.version })
})

test('the module itself is a plugin, for import * as samestep', async () => {
  expect(entry.rules).toBe(plugin.rules)
  const config = [
    { plugins: { samestep: entry }, rules: { 'samestep/no-for-in': 'error' as const } },
  ]
  expect(await lintText('for (const key in a) f(key)', 'a.js', config)).toEqual(['no-for-in'])
})

describe('our examples', () => {
  const examples = join(repository, 'examples')
  const games = readdirSync(examples)
    // These are broken on purpose.
    .filter((name) => name !== 'broken')
    .filter((name) => existsSync(join(examples, name, 'src', 'game.ts')))

  test('are found', () => {
    expect(games.length).toBeGreaterThanOrEqual(3)
  })

  test.each(games)('%s is clean, as a game among other code and as a whole file', async (name) => {
    const text = readFileSync(join(examples, name, 'src', 'game.ts'), 'utf8')
    expect(await lintText(text, 'src/game.ts')).toEqual([])
    expect(await lintText(text, 'src/sim/game.ts')).toEqual([])
  })
})

describe('a game with every fault', () => {
  const faults = {
    'no-ambient-random': 3,
    'no-ambient-time': 3,
    'no-async': 2,
    'no-float-in-fixed': 2,
    'no-for-in': 1,
    'no-inexact-math': 3,
    'no-locale': 2,
    'no-machine': 1,
    'no-module-state': 2,
    'no-object-order': 2,
    'sort-comparator': 2,
  }

  test('is reported by every rule', () => {
    expect(Object.keys(faults)).toEqual(Object.keys(rules))
  })

  test('shows them all in a file of the simulation', async () => {
    expect(count(await lintText(read('faulty-game.ts.txt'), 'faulty.game.ts'))).toEqual(faults)
    expect(count(await lintText(read('faulty-game.ts.txt'), 'src/sim/deep/faulty.ts'))).toEqual(
      faults,
    )
  })

  test('shows them all in any other file', async () => {
    expect(count(await lintText(read('faulty-game.ts.txt'), 'src/faulty.ts'))).toEqual(faults)
  })

  test('is left alone in tests', async () => {
    expect(await lintText(read('faulty-game.ts.txt'), 'src/sim/faulty.test.ts')).toEqual([])
    expect(await lintText(read('faulty-game.ts.txt'), 'src/sim/testing/faulty.ts')).toEqual([])
  })

  test('has fewer faults after --fix, and none that the fixes made', async () => {
    const fixed = await fixText(read('faulty-game.ts.txt'), 'src/faulty.ts')
    const left = count(await lintText(fixed, 'src/faulty.ts'))
    const { 'no-float-in-fixed': _, ...others } = faults
    const fewer = { 'no-inexact-math': 1, 'no-locale': 1, 'sort-comparator': 1 }
    expect(left).toEqual({ ...others, ...fewer })
    expect(fixed).toMatch(
      /^import \{ defineGame, fixed, single, table, u16, dmath \} from 'samestep'/m,
    )
    expect(fixed).toContain('x[0] += fixed.from(0.5)')
    expect(fixed).toContain('dmath.hypot(x[0]!, x[1]!) ** 2 + dmath.sin(state.round.wave)')
    expect(fixed).toContain('String(far).toUpperCase()')
    expect(fixed).toContain('list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))')
  })
})

describe('a page with a game in it', () => {
  test('may do in the page what the game may not', async () => {
    expect(await lintText(read('page-with-game.ts.txt'), 'src/page.ts')).toEqual([])
  })

  test('is reported as a whole where its name says that it is all simulation', async () => {
    const names = new Set(await lintText(read('page-with-game.ts.txt'), 'src/page.game.ts'))
    expect(names).toContain('no-ambient-time')
    expect(names).toContain('no-machine')
  })
})

test.each([
  ['defineGame', "import { defineGame } from 'samestep'\ndefineGame({ step() { $ } })"],
  ['another name for it', "import { defineGame as d } from 'samestep'\nd({ step: () => { $ } })"],
  ['a namespace', "import * as s from 'samestep'\ns.defineGame({ systems: [function a() { $ }] })"],
  [
    'defineGame that a project hands on',
    "import { defineGame } from './kit.ts'\ndefineGame({ apply() { $ } })",
  ],
  [
    'a definition with a name',
    "import { defineGame } from 'samestep'\nconst d = { step() { $ } }\ndefineGame(d)",
  ],
  [
    'a system that is named',
    "import { defineGame } from 'samestep'\nfunction a() { $ }\ndefineGame({ systems: [a] })",
  ],
  [
    'a helper of a helper',
    "import { defineGame } from 'samestep'\nconst a = () => { $ }\nfunction b() { a() }\ndefineGame({ step: b })",
  ],
  [
    'a method of a class',
    "import { defineGame } from 'samestep'\nclass W { go() { $ } }\ndefineGame({ step() { new W() } })",
  ],
  [
    'a constant that the step reads',
    "import { defineGame } from 'samestep'\nconst a = [(() => { $ })()]\ndefineGame({ step() { f(a) } })",
  ],
  ['derived data', "import { derived } from 'samestep'\nexport const grid = derived(() => { $ })"],
  [
    'a system in a file of its own',
    "import { system } from 'samestep'\nexport const a = system('a', () => { $ })",
  ],
  ['custom memory', "import { custom } from 'samestep'\nexport const a = custom({ load() { $ } })"],
  ['a function of a context', 'export function a({ state }: StepContext<Shape>) { $ }'],
  [
    'a function of a context by another name',
    'type T = ApplyContext<S>\nexport type U = T\nexport const a = (c: U) => { $ }',
  ],
])('%s is simulation code in any file', async (_what, text) => {
  expect(await lintText(text.replace('$', 'Math.random()'), 'src/a.ts')).toEqual([
    'no-ambient-random',
  ])
})

test.each([
  [
    'a function that nothing refers to',
    "import { defineGame } from 'samestep'\nfunction a() { $ }\ndefineGame({ step() {} })",
  ],
  ['a call of something else', "import { derived } from './signals.ts'\nderived(() => { $ })"],
  [
    'a type of the same name',
    "import { defineGame } from 'samestep'\nclass A { a() { $ } }\ndefineGame({ step(a: A) {} })",
  ],
  ['a type that names itself', 'type T = T\nfunction a(t: T) { $ }'],
  [
    'what follows the definition',
    "import { defineGame } from 'samestep'\nconst g = defineGame({ step() {} })\nf(g, () => { $ })",
  ],
])('%s is not', async (_what, text) => {
  expect(await lintText(text.replace('$', 'Math.random()'), 'src/a.ts')).toEqual([])
})

test('files and rules can be chosen by spreading a configuration', async () => {
  const chosen = [project[0] ?? {}, { ...configs.simulation, files: ['rules/*.ts'] }]
  expect(await lintText('Math.random()', 'rules/a.ts', chosen)).toEqual(['no-ambient-random'])
})
