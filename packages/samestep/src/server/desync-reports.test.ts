import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeDesyncFile } from '../desync/report-file.ts'
import { sampleFile } from '../desync/testing/sample-file.ts'
import { DesyncReports, filesMax } from './desync-reports.ts'

let folder = ''
let lines: string[] = []

const log = {
  warn: (_about: object, text: string) => lines.push(text),
  error: (_about: object, text: string) => lines.push(text),
} as unknown as Logger

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-desyncs-'))
  lines = []
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a report is kept under match and tick, whole', () => {
  const inner = join(folder, 'made')
  new DesyncReports(inner, log).keep('friday', sampleFile)
  expect(readdirSync(inner)).toEqual(['m-1_0000000042.desync'])
  const bytes = new Uint8Array(readFileSync(join(inner, 'm-1_0000000042.desync')))
  expect(decodeDesyncFile(bytes)).toEqual(sampleFile)
  expect(lines).toEqual(['desync report written'])
})

test('the newest hundred stay, and files of others are left alone', () => {
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  const reports = new DesyncReports(folder, log)
  for (let tick = 0; tick < filesMax + 5; tick++) {
    reports.keep('friday', { ...sampleFile, tick })
    const path = join(folder, `m-1_${String(tick).padStart(10, '0')}.desync`)
    if (readdirSync(folder).includes(path.slice(folder.length + 1))) utimesSync(path, tick, tick)
  }
  const names = readdirSync(folder).sort()
  expect(names).toHaveLength(filesMax + 1)
  expect(names).toContain('notes.txt')
  expect(names).toContain(`m-1_${String(filesMax + 4).padStart(10, '0')}.desync`)
})

test('a disk that does not take it costs a line', () => {
  const path = join(folder, 'file')
  writeFileSync(path, '')
  new DesyncReports(path, log).keep('friday', sampleFile)
  expect(lines).toEqual(['cannot keep a desync report'])
})

test('nothing is kept where no folder is named, and everything is told', () => {
  const reports = new DesyncReports(undefined, log)
  reports.keep('friday', sampleFile)
  expect([readdirSync(folder), lines]).toEqual([[], []])
  const [pair] = sampleFile.pairs
  reports.tell('friday', { type: 'desync-found', ...pair! })
  expect(lines).toEqual(['desync traced'])
})
