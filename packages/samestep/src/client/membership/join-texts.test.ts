import { describe, expect, test } from 'vitest'
import { Client } from '../client.ts'
import { makeRunning } from '../run/make-running.ts'
import { counter } from '../testing/counter.ts'
import { joinTexts } from './join-texts.ts'

describe('what a client introduces itself with', () => {
  test('is in one form of Unicode, and a name has no space at its ends', () => {
    expect(joinTexts({ match: 'cafe\u0301', name: ' Zoe\u0308 ' })).toEqual({
      match: 'caf\u00E9',
      name: 'Zo\u00EB',
      token: undefined,
    })
  })

  test.each([
    [{ match: 'x'.repeat(65) }, /^Cannot use match: it is "x{40}"…; it must be .* 64 bytes/],
    [{ match: 5 }, /^Cannot use match: it is 5; it must be a well-formed text/],
    [{ name: '\uD800' }, /^Cannot use name: it is .*; it must be a well-formed text/],
    [{ name: undefined }, /^Cannot use name: it is undefined/],
    [{ name: 'é'.repeat(400) }, /^Cannot use name: it is "é{40}"…; it must be/],
    [{ token: 't'.repeat(2_049) }, /^Cannot use token: .* 2048 bytes/],
  ])('is refused at once where no message could hold it: %j', (wrong, message) => {
    const options = { match: 'friday', name: 'Ada', ...wrong } as never
    expect(() => new Client(counter, options, makeRunning)).toThrowError(message)
  })
})
