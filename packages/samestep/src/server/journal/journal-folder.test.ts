import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { JournalFolder } from './journal-folder.ts'

let root = ''
const log = pino({ level: 'silent' })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'samestep-journal-'))
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function write(folder: string, name: string, text: string): void {
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, folder, name), text)
}

function texts(folder: string): string[] {
  return readdirSync(join(root, folder))
    .sort()
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
}

test('the files of all workers are put in one place, those of each in their sequence', () => {
  new JournalFolder(root, log, 'boot').release()
  write('0', '00000009.ssrc', 'a')
  write('0', '00000010.ssrc', 'b')
  write('1', '00000001.ssrc', 'c')
  const folder = new JournalFolder(root, log, 'boot')
  folder.release()
  expect(texts('before')).toEqual(['a', 'b', 'c'])
  expect(readdirSync(folder.of(0))).toEqual([])
  folder.dropBefore()
  expect(existsSync(folder.before)).toBe(false)
})

test('[F-16] whoever dies while they are moved leaves them in their sequence', () => {
  new JournalFolder(root, log, 'boot').release()
  write('before.new', '00000001.ssrc', 'a')
  write('before', '00000002.ssrc', 'b')
  write('0', '00000001.ssrc', 'c')
  new JournalFolder(root, log, 'boot').release()
  expect(texts('before')).toEqual(['a', 'b', 'c'])
})

test('after a start of the machine they are set aside: the newest ticks may be missing', () => {
  new JournalFolder(root, log, 'boot').release()
  write('0', '00000001.ssrc', 'a')
  new JournalFolder(root, log, 'another boot').release()
  expect(existsSync(join(root, 'before'))).toBe(false)
  expect(texts('aside')).toEqual(['a'])
})

test('a folder that cannot be made is told with the reason', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => new JournalFolder(join(root, 'file'), log, 'boot')).toThrow('Cannot keep a journal')
})

test('a folder that another relay uses is refused with what to do, until that one has stopped', () => {
  const first = new JournalFolder(root, log, 'boot')
  expect(() => new JournalFolder(root, log, 'boot')).toThrow(
    /the relay with process id \d+ on .* uses it; stop that relay, or use another folder/,
  )
  first.release()
  new JournalFolder(root, log, 'boot').release()
})
