import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectionsWithin, openFilesMax } from './file-limit.ts'

test('the limit of open files is read where there is one to read', () => {
  expect(openFilesMax('/nowhere/limits')).toBeUndefined()
  expect(openFilesMax(import.meta.filename)).toBeUndefined()
  expect(openFilesMax() === undefined).toBe(!existsSync('/proc/self/limits'))
})

test.each([
  [16_384, undefined, 16_384],
  [16_384, 65_536, 16_384],
  [16_384, 1_024, 960],
  [100, 1_024, 100],
  [100, 10, 16],
])('of %i connections with %s files there are %i', (wanted, files, expected) => {
  expect(connectionsWithin(wanted, files)).toBe(expected)
})
