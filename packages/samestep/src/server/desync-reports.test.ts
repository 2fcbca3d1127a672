import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { injectDesync } from '../desync/inject.ts'
import { decodeDesyncFile } from '../desync/report-file.ts'
import { sampleFile } from '../desync/testing/sample-file.ts'
import { joinMatch } from '../driver/online/join-match.ts'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { u8 } from '../sim/schema/index.ts'
import { table } from '../sim/state/table.ts'
import { DesyncReports, filesMax } from './desync-reports.ts'
import { startRelay } from './start-relay.ts'

/** Real sockets: as long as a busy machine may need. */
const patience = { timeout: 60_000 }

let folder = ''
let lines: string[] = []

const log = {
  warn: (_about: object, text: string) => lines.push(text),
  error: (_about: object, text: string) => lines.push(text),
} as unknown as Logger

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-desyncs-'))
  lines = []
  vi.spyOn(console, 'warn').mockReturnValue()
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

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

test('a relay that is told a folder keeps a report of a desync between two clients', {
  timeout: 120_000,
}, async () => {
  const game = defineGame({
    id: 'kept',
    version: 1,
    tickRate: 60,
    seats: { min: 2, max: 2 },
    state: { units: table(10, { hp: u8 }) },
    orders: {},
    setup({ state }) {
      for (let row = 0; row < 5; row++) state.units.add({ hp: 10 })
    },
    step() {},
  })
  await using relay = await startRelay({ port: 0, udp: false, log: false, desyncs: folder })
  const enter = (name: string) =>
    joinMatch(game, {
      url: relay.url,
      match: 'm',
      name,
      seats: 2,
      development: false,
      remember: false,
    })
  const matches = await Promise.all([enter('Ada'), enter('Bob')])
  const stages: string[] = []
  const traced = new Promise<void>((resolve) => {
    matches[0].on('desync', ({ stage }) => {
      stages.push(stage)
      if (stage === 'traced') resolve()
    })
  })
  await vi.waitUntil(() => matches.every(({ simulation }) => simulation.matchTick > 30), patience)
  const tick = injectDesync(matches[1].simulation, 'units.hp[3]')
  await traced
  await vi.waitUntil(() => readdirSync(folder).some((name) => name.endsWith('.desync')), patience)
  for (const match of matches) match.close()
  const [name = ''] = readdirSync(folder)
  const file = decodeDesyncFile(new Uint8Array(readFileSync(join(folder, name))))
  expect(stages).toEqual(['detected', 'located', 'traced'])
  expect(file).toMatchObject({ gameId: 'kept', tick, culprits: [], matchName: 'm' })
  expect(file.pairs[0]?.finding.place).toMatchObject({ part: 'units', row: 3, field: 'hp' })
  expect(file.pairs[0]?.finding.reruns.map((rerun) => rerun?.machine)).toEqual([
    expect.stringMatching(/^Node v/),
    expect.stringMatching(/^Node v/),
  ])
})
