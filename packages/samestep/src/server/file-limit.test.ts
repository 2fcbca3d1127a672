import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openFilesMax, shareFiles } from './file-limit.ts'

test('the limit of open files is read where there is one to read', () => {
  expect(openFilesMax('/nowhere/limits')).toBeUndefined()
  expect(openFilesMax(import.meta.filename)).toBeUndefined()
  expect(openFilesMax() === undefined).toBe(!existsSync('/proc/self/limits'))
})

test.each([
  [16_384, undefined, { upgraded: 16_384, http: 1_024, waiting: 512, downloads: 256 }],
  [16_384, 65_536, { upgraded: 16_384, http: 1_024, waiting: 512, downloads: 256 }],
  [16_384, 1_024, { upgraded: 660, http: 240, waiting: 120, downloads: 60 }],
  [100, 1_024, { upgraded: 100, http: 240, waiting: 120, downloads: 60 }],
  [100, 10, { upgraded: 22, http: 8, waiting: 4, downloads: 2 }],
])('of %i connections with %s files there are %j', (wanted, files, room) => {
  const total = room.upgraded + room.http
  expect(shareFiles(wanted, files)).toEqual({ ...room, total })
})

test('workers have the upgraded connections, each below its own limit', () => {
  expect(shareFiles(16_384, 1_024, 2)).toMatchObject({ upgraded: 1_920, http: 240, total: 900 })
  expect(shareFiles(1_000, 1_024, 2)).toMatchObject({ upgraded: 1_000, http: 240, total: 900 })
})

test('together they stay below the limit, and some of HTTP is always left', () => {
  for (let files = 128; files < 40_000; files += 97) {
    const { total, http, waiting, downloads } = shareFiles(16_384, files)
    expect(total + downloads).toBeLessThanOrEqual(files - 64)
    expect(waiting + downloads).toBeLessThan(http)
  }
})
