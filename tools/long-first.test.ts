import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longFiles, placeOf } from './long-first.ts'
import { root } from './programs.ts'

test('every long file is there, and comes before all others', () => {
  expect(longFiles.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const places = longFiles.map((path) => placeOf(join(root, path)))
  expect(places).toEqual(longFiles.map((_, index) => index))
  expect(placeOf(join(root, 'tools/long-first.test.ts'))).toBe(longFiles.length)
})
