import { expect, test } from 'vitest'
import { portablePlace } from './portable-places.ts'

const at = { functionName: 'step', line: 7, column: 3 }

test.each([
  ['file:///opt/a/samestep/dist/', 'file:///opt/a/samestep/dist/storm/games/toy-game.js'],
  ['/srv/samestep/src/', '/srv/samestep/src/storm/games/toy-game.ts'],
])('a file of the library has the same path where it is in %s', (folder, file) => {
  const place = portablePlace({ ...at, file }, folder)
  expect(place).toEqual({ ...at, file: 'samestep/storm/games/toy-game.ts' })
})

test.each([
  'file:///opt/brawl/src/game.js',
  'C:\\games\\brawl\\src\\game.ts',
  '/srv/brawl/src/game.mjs',
])('%s is told by its folder and name', (file) => {
  for (const folder of ['/opt/samestep/dist/', undefined]) {
    expect(portablePlace({ ...at, file }, folder)).toEqual({ ...at, file: 'src/game.ts' })
  }
})
