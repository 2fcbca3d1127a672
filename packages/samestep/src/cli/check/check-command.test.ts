import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeCheckCommand, runCheckCommand } from './check-command.ts'
import type { CheckFlags } from './check-flags.ts'

const games = fileURLToPath(new URL('../testing/check-games.ts', import.meta.url))

describe('samestep check', () => {
  let folder = ''
  let printed = ''

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
    printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text)
      return true
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
    process.exitCode = undefined
  })

  const run = (flags: CheckFlags) =>
    runCheckCommand(games, { here: true, ticks: 200, seed: 7, ...flags })

  test('says what was checked when nothing differs, and ends with 0', async () => {
    await run({ export: 'steady' })
    expect(printed).toContain('steady: 200 ticks in 1 matches of 4 seats, seed 7')
    expect(printed).toMatch(/orders carried out: .*move \d+ of \d+/)
    expect(printed).toContain('✓ two instances agree')
    expect(printed).toContain('Nothing differed.')
    expect(process.exitCode).toBeUndefined()
  })

  test('says where and why when something does, ends with 1, and can show it again', async () => {
    const out = join(folder, 'repro.json')
    await run({ export: 'shaky', out })
    expect(process.exitCode).toBe(1)
    expect(printed).toContain('cause    randomness that is not the simulation')
    expect(printed).toMatch(/line {5}packages\/samestep\/src\/cli\/testing\/check-games\.ts:23:/)
    const file = JSON.parse(readFileSync(out, 'utf8'))
    expect(file).toMatchObject({ game: 'shaky', check: 'machine', lane: 'twin' })
    expect(file.items).toHaveLength(1)

    process.exitCode = undefined
    printed = ''
    await run({ export: 'shaky', replay: out })
    expect(process.exitCode).toBe(1)
    expect(printed).toContain('mark.at, row 0')
    expect(printed).toContain(`--replay ${out} --export shaky`)
  })

  test('gives one JSON report for scripts', async () => {
    await run({ export: 'shaky', json: true, out: join(folder, 'repro.json') })
    const report = JSON.parse(printed)
    expect(report).toMatchObject({ ok: false, game: 'shaky', seed: 7 })
    expect(report.failure).toMatchObject({
      check: 'machine',
      system: 'step',
      place: { part: 'mark', row: 0, field: 'at' },
      cause: { id: 'random' },
    })
    expect(report.failure.site.line).toBe(23)
  })

  test('of a reproduction that no longer shows anything says so, and ends with 0', async () => {
    const out = join(folder, 'repro.json')
    await run({ export: 'shaky', out })
    process.exitCode = undefined
    const file = readFileSync(out, 'utf8').replace('"shaky"', '"steady"')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(out, file)
    await run({ export: 'steady', replay: out })
    expect(printed).toContain('nothing differs any more')
    expect(process.exitCode).toBeUndefined()
  })

  test('refuses a file that is no reproduction, and a check that there is not', async () => {
    await run({ export: 'steady', replay: games, json: true })
    expect(process.exitCode).toBe(2)
    expect(JSON.parse(printed)).toMatchObject({
      ok: false,
      error: { code: 'SS_BAD_ARGUMENT', message: expect.stringContaining('not JSON') },
    })
    const command = makeCheckCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
    const parse = command.parseAsync(['node', 'check', games, '--only', 'speed'])
    await expect(parse).rejects.toThrow("'speed' is not one of")
  })
})
