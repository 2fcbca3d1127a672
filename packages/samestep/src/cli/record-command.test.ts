import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeSampleRecord } from '../record/testing/sample.ts'
import { makeRecordCommand, showRecord } from './record-command.ts'

describe('samestep record show', () => {
  let printed = ''
  let folder = ''
  const sample = makeSampleRecord()

  beforeEach(() => {
    printed = ''
    folder = mkdtempSync(join(tmpdir(), 'samestep-record-'))
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text)
      return true
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
    rmSync(folder, { recursive: true })
  })

  function fileOf(bytes: Uint8Array): string {
    const file = join(folder, 'a.ssrc')
    writeFileSync(file, bytes)
    return file
  }

  test('prints match, ticks, gaps and members', () => {
    showRecord(fileOf(sample), {})
    expect(printed).toContain('Match friday (0011223344556677), dots version 3, 3 seats')
    expect(printed).toContain('ticks    1 to 10')
    expect(printed).toContain('missing  5 to 9 lost')
    expect(printed).toContain('member   0 Ada: seat 0, 2 orders')
    expect(printed).toContain('file     maps/dunes.json d0d0d0d0')
    expect(printed).toContain('ended: over')
    expect(process.exitCode).toBeUndefined()
  })

  test('says where a file is torn, shows what comes before, and ends with 1', () => {
    showRecord(fileOf(sample.subarray(0, -3)), {})
    expect(printed).toContain('Match friday')
    expect(printed).toMatch(/Torn at byte \d+: \d+ bytes are lost \(SS_WIRE_TRUNCATED\)/)
    expect(process.exitCode).toBe(1)
  })

  test('prints one line of JSON for programs', () => {
    showRecord(fileOf(sample), { json: true })
    expect(JSON.parse(printed)).toMatchObject({ bytes: sample.length, matches: [{ lastTick: 10 }] })
    expect(printed.trim()).not.toContain('\n')
  })

  test('a file that is not there is told by its name', () => {
    expect(() => showRecord(join(folder, 'none.ssrc'), {})).toThrow('none.ssrc')
  })

  test('its help names the exit codes', () => {
    let help = ''
    const [show] = makeRecordCommand().commands
    show?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(help).toContain('Exit code 0')
  })
})
