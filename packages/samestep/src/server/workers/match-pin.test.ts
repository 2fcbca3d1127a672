import { expect, test } from 'vitest'
import { makePinKey, matchOf, workerOf } from './match-pin.ts'

test('the match of a request is that of its query, in normal form', () => {
  expect(matchOf('/?match=friday')).toBe('friday')
  expect(matchOf('/?a=1&match=caf%C3%A9')).toBe('café')
  expect(matchOf('/?match=cafe%CC%81')).toBe('café')
  expect([matchOf('/'), matchOf('/?a=1'), matchOf(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a match has the same worker for whoever has the key, and matches are spread', () => {
  const key = makePinKey()
  const workers = Array.from({ length: 200 }, (_, at) => workerOf(`m${at}`, 4, key))
  expect(workers).toEqual(Array.from({ length: 200 }, (_, at) => workerOf(`m${at}`, 4, key)))
  expect(new Set(workers).size).toBe(4)
  const others = Array.from({ length: 200 }, (_, at) => workerOf(`m${at}`, 4, makePinKey()))
  expect(others).not.toEqual(workers)
})
