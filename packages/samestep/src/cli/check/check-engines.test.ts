import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const program = join(root, 'packages', 'samestep', 'dist', 'cli', 'main.js')

/** A game that another engine plays otherwise when `isOther` says that it is one. */
const source = (isOther: string) => `import { defineGame, single, u16 } from 'samestep'
const isOther = ${isOther}
export const game = defineGame({
  id: 'engines',
  version: 1,
  seats: { min: 1, max: 2 },
  state: { n: single({ value: u16 }) },
  step({ state, tick }) {
    if (tick > 20) state.n.value += isOther ? 2 : 1
  },
})
`

describe('samestep check --engines', () => {
  let folder = ''

  beforeAll(() => {
    mkdirSync(join(root, '.cache'), { recursive: true })
    folder = mkdtempSync(join(root, '.cache', 'check-engines-'))
    mkdirSync(join(folder, 'bin'))
    mkdirSync(join(folder, 'empty'))
    // A shell of an engine: it prints with print, and is given a module.
    const shell = join(folder, 'bin', 'jsc')
    writeFileSync(join(folder, 'bin', 'shell.mjs'), 'globalThis.print = console.log\n')
    writeFileSync(
      shell,
      `#!/bin/sh\nexec '${process.execPath}' --import '${join(folder, 'bin', 'shell.mjs')}' "$2"\n`,
    )
    chmodSync(shell, 0o755)
    writeFileSync(join(folder, 'same.ts'), source('false'))
    writeFileSync(join(folder, 'other.ts'), source(`typeof globalThis.print === 'function'`))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const run = (file: string, path: string) => {
    const flags = ['--here', '--ticks', '60', '--long', '0', '--engines', '--json']
    const { status, stdout } = spawnSync(process.execPath, [program, 'check', file, ...flags], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: join(folder, path) },
    })
    return { status, report: JSON.parse(stdout) }
  }

  test('an engine that agrees is among what was checked', () => {
    const { status, report } = run('same.ts', 'bin')
    expect(report).toMatchObject({ ok: true, alsoChecked: ['async', 'engines'] })
    expect(status).toBe(0)
  })

  test('an engine that does not is named, with tick and values', () => {
    const { status, report } = run('other.ts', 'bin')
    expect(report.failure).toMatchObject({
      check: 'engines',
      tick: 21,
      place: { part: 'n', field: 'value', values: ['1', '2'] },
      cause: { id: 'engine' },
      isReproduced: true,
    })
    expect(report.failure.text).toContain('JavaScriptCore')
    expect(status).toBe(1)
  })

  test('without any other engine it says so, and ends with 2', () => {
    const { status, report } = run('same.ts', 'empty')
    expect(report.error.message).toContain('no other engine is installed')
    expect(status).toBe(2)
  })
})
