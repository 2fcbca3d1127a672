import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { encodeDesyncFile } from '../../desync/report-file.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import { sampleFile } from '../../desync/testing/sample-file.ts'
import { makeDesyncCommand, showDesync } from './desync-command.ts'

describe('samestep desync show', () => {
  let printed = ''
  let folder = ''

  beforeEach(() => {
    printed = ''
    folder = mkdtempSync(join(tmpdir(), 'samestep-desync-'))
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text)
      return true
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  function fileOf(bytes: Uint8Array): string {
    const file = join(folder, 'a.desync')
    writeFileSync(file, bytes)
    return file
  }

  test('says when, where, who, which line and why', async () => {
    await showDesync(fileOf(encodeDesyncFile(sampleFile)), {})
    for (const line of [
      'Desync at tick 42',
      'who agrees   seats 0, 2 | seat 1',
      'verdict      seat 1 differs from the majority',
      'machine      seat 1: Node v20',
      'where        units.x, row 812',
      'seats 0, 2: 14',
      'seat 1: 15',
      'seat 1: set units.x, row 812: 13 to 15, in move, moveUnits (src/game.ts:30:7)',
      'cause        values-differ: ',
    ]) {
      expect(printed).toContain(line)
    }
    expect(printed).not.toContain('or before')
  })

  test('says what a machine found that its ticks do not explain', async () => {
    const [pair] = sampleFile.pairs
    const changed = { part: 'units', row: 3, field: 'hp', expected: '10', found: '99' }
    const finding: PairFinding = {
      ...pair!.finding,
      write: undefined,
      areWritesSame: true,
      reruns: [pair!.finding.reruns[0], { ...pair!.finding.reruns[0]!, isSame: false }],
      outside: [
        undefined,
        { count: 1, places: [changed], unstable: undefined, readsBeside: false },
      ],
    }
    const pairs = [{ seats: pair!.seats, finding }]
    await showDesync(fileOf(encodeDesyncFile({ ...sampleFile, pairs })), {})
    expect(printed).toContain('not by step  units.hp, row 3 on seat 1: 99 instead of 10')
    expect(printed).toContain('cause        outside-write')
  })

  test('says so when nothing is known', async () => {
    await showDesync(fileOf(encodeDesyncFile({ ...sampleFile, culprits: [], pairs: [] })), {})
    expect(printed).toContain('undecided: no strict majority')
    expect(printed).toContain('Nobody could explain')
  })

  test('prints one line of JSON for programs', async () => {
    await showDesync(fileOf(encodeDesyncFile(sampleFile)), { json: true })
    expect(printed.trimEnd()).not.toContain('\n')
    expect(JSON.parse(printed)).toMatchObject({
      tick: 42,
      gameId: 'dots',
      fingerprint: '07'.repeat(32),
      verdict: { kind: 'culprit', seats: [1] },
      pairs: [{ finding: { place: { row: 812 } }, cause: { id: 'values-differ' } }],
    })
  })

  test('refuses what is no report, with a sentence', async () => {
    const bytes = encodeDesyncFile(sampleFile)
    const show = (path: string) => showDesync(path, {})
    await expect(show(fileOf(bytes.with(40, 9)))).rejects.toThrow('it was changed or damaged')
    await expect(show(fileOf(new Uint8Array(26_000_000)))).rejects.toThrow('too large')
    await expect(show(join(folder, 'none'))).rejects.toThrow('ENOENT')
  })

  test('is a command', () => {
    expect(makeDesyncCommand().commands.map((command) => command.name())).toEqual([
      'show',
      'reproduce',
    ])
  })
})
