import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderLock } from './folder-lock.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-lock-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

const lockFile = () => join(folder, 'lock')

function write(owner: object, touchedMsAgo = 0): void {
  writeFileSync(lockFile(), JSON.stringify(owner))
  const time = new Date(Date.now() - touchedMsAgo)
  utimesSync(lockFile(), time, time)
}

/** What this process writes, to be changed a little. */
function ownText(): { pid: number; start: string; place: string; host: string } {
  const lock = FolderLock.take(folder, 'boot') as FolderLock
  const own = JSON.parse(readFileSync(lockFile(), 'utf8'))
  lock.release()
  return own
}

function takeAndRelease(): boolean {
  const lock = FolderLock.take(folder, 'boot')
  if (!(lock instanceof FolderLock)) return false
  lock.release()
  return true
}

test('one of two gets the lock; the other hears who has it', () => {
  const lock = FolderLock.take(folder, 'boot') as FolderLock
  expect(lock).toBeInstanceOf(FolderLock)
  expect(FolderLock.take(folder, 'boot')).toMatchObject({ pid: process.pid })
  lock.release()
  expect(existsSync(lockFile())).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})

test('the lock of a process that is gone is taken over at once', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  write({ ...ownText(), pid: child.pid })
  expect(takeAndRelease()).toBe(true)
})

test('the lock of a number that another process has now is taken over', () => {
  write({ ...ownText(), start: '1' })
  expect(takeAndRelease()).toBe(process.platform === 'linux')
})

test('the lock of another machine counts only while somebody touches it', () => {
  const elsewhere = { ...ownText(), place: 'another machine', host: 'elsewhere' }
  write(elsewhere, 60_000)
  expect(takeAndRelease()).toBe(true)
})

test('what is no lock holds nobody up', () => {
  for (const text of ['', 'no JSON', '{}', '[]', 'null', '{"pid":"1"}', '{"pid":1.5}']) {
    writeFileSync(lockFile(), text)
    expect(takeAndRelease()).toBe(true)
  }
})

test('who lets go of a lock that became another one leaves that alone', () => {
  const lock = FolderLock.take(folder, 'boot') as FolderLock
  writeFileSync(lockFile(), 'of somebody else')
  lock.release()
  expect(readFileSync(lockFile(), 'utf8')).toBe('of somebody else')
})
