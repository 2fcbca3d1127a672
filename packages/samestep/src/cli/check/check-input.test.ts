import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const program = join(root, 'packages', 'samestep', 'dist', 'cli', 'main.js')

/** A sound game, but for what is put into it. */
function makeSource({
  top = '',
  setup = '',
  step = '',
  state = 'n: single({ value: u16 })',
}): string {
  return `import { defineGame, range, single, table, u16 } from 'samestep'
${top}
export const game = defineGame({
  id: 'input',
  version: 1,
  seats: { min: 1, max: 2 },
  state: { ${state} },
  setup({ state, random }) {
    ${setup}
  },
  step({ state, tick, random }) {
    ${step}
  },
})
`
}

describe('samestep check, given something that it cannot check', () => {
  let folder = ''

  beforeAll(() => {
    const cache = join(root, '.cache')
    mkdirSync(cache, { recursive: true })
    folder = mkdtempSync(join(cache, 'check-input-'))
    mkdirSync(join(folder, 'empty'))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const run = (file: string, ...flags: readonly string[]) => {
    const args = [program, 'check', file, '--here', '--ticks', '200', '--long', '0', ...flags]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return name
  }

  const cases: readonly (readonly [string, () => string, RegExp, number | undefined])[] = [
    ['a missing file', () => 'none.js', /there is no file none\.js/, undefined],
    ['a folder', () => 'empty', /empty is a folder; name the file/, undefined],
    ['no game', () => write('no.js', 'export const a = 1\n'), /exports none/, undefined],
    [
      'a syntax error',
      () => write('bad.ts', 'export const a = 1\nexport const = 2\n'),
      /Cannot load bad\.ts/,
      2,
    ],
    [
      'a missing import',
      () => write('lost.ts', `\nimport { a } from './gone.ts'\nexport const b = a\n`),
      /gone\.ts/,
      2,
    ],
    [
      'a module that throws',
      () => write('throws.ts', makeSource({ top: 'null.x' })),
      /TypeError/,
      2,
    ],
    [
      'a setup that throws',
      () => write('setup.ts', makeSource({ setup: 'state.none.value = 1' })),
      /its setup threw TypeError/,
      9,
    ],
  ]

  test.each(cases)('%s: says what and where, and ends with 2', (_, make, text, line) => {
    const file = make()
    const { status, stderr } = run(file)
    expect(stderr).toMatch(text)
    if (line !== undefined) expect(stderr).toContain(`\n  at ${file}:${line}:`)
    expect(stderr).not.toContain('node_modules')
    expect(status).toBe(2)
    const told = run(file, '--json')
    expect(told.status).toBe(2)
    const { ok, error } = JSON.parse(told.stdout)
    expect(ok).toBe(false)
    expect(error.message).toMatch(text)
    expect(error.line).toBe(line)
  })

  test('a rule that never returns is told with its line when the limit is over', () => {
    const file = write('stuck.ts', makeSource({ step: 'while (tick > 5) state.n.value += 1' }))
    const { status, stderr } = run(file, '--limit', '3')
    expect(stderr).toContain('Cannot check stuck.ts: at tick 6, it has not returned for 3 seconds')
    expect(stderr).toContain('\n  at stuck.ts:12:')
    expect(status).toBe(2)
    const told = run(file, '--limit', '3', '--json')
    expect(JSON.parse(told.stdout)).toMatchObject({ ok: false, error: { line: 12 } })
  })

  test('a range column that counts down, in a game that is sound, is no failure', () => {
    const state = 'sparks: table(40, { left: range(1, 60) }), n: single({ value: u16 })'
    const step = `const { sparks } = state
    for (const row of sparks) {
      if (sparks.left[row] === 1) sparks.remove(row)
      else sparks.left[row] -= 1
    }
    if (sparks.count < 20) sparks.add({ left: 1 + random.below(60) })`
    const { status, stdout } = run(write('sparks.ts', makeSource({ state, step })))
    expect(stdout).toContain('Nothing differed.')
    expect(stdout).toContain('✓ full tables cause no difference')
    expect(stdout).toContain('– not checked: validate only reads (the game has no validate)')
    expect(status).toBe(0)
  })

  test('randomness inside a package is told from the game’s own', () => {
    mkdirSync(join(folder, 'node_modules', 'lots'), { recursive: true })
    write(
      'node_modules/lots/package.json',
      '{ "name": "lots", "type": "module", "main": "index.js" }',
    )
    write(
      'node_modules/lots/index.js',
      'export function drawLot(n) {\n  return Math.floor(Math.random() * n)\n}\n',
    )
    const top = `import { drawLot } from 'lots'`
    const file = write('lots.ts', makeSource({ top, step: 'state.n.value = drawLot(100)' }))
    const { failure } = JSON.parse(run(file, '--json').stdout)
    expect(failure.cause.id).toBe('library-random')
    expect(failure.site.line).toBe(12)
    expect(failure.use.within.file).toContain('node_modules/lots/index.js')
    expect(failure.text).toContain('inside node_modules/lots/index.js:2:')
  })

  test('what a rule throws is printed', () => {
    const file = write(
      'rule.ts',
      makeSource({ step: `if (tick === 9) throw new RangeError('too far')` }),
    )
    const { status, stdout } = run(file)
    expect(stdout).toContain('threw    RangeError: too far')
    expect(stdout).toContain('line     rule.ts:12:')
    expect(status).toBe(1)
  })
})
