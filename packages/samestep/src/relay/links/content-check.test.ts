import { describe, expect, test } from 'vitest'
import { utf8Length } from '../../base/utf8.ts'
import { contentDifferences, contentListFault, describeDifferences } from './content-check.ts'

const file = (name: string, byte = 0) => ({ name, hash: new Uint8Array(32).fill(byte) })

describe('a list of files', () => {
  test.each([
    ['is fine', [file('a'), file('b')], undefined],
    ['may be empty', [], undefined],
    ['has each file once', [file('a'), file('a')], 'names out of sequence'],
    ['is in sequence', [file('b'), file('a')], 'names out of sequence'],
    ['has whole hashes', [{ name: 'a', hash: new Uint8Array(31) }], 'a hash that is no SHA-256'],
    ['has names', [file('')], 'a name that no file can have'],
    ['has visible names', [file('a\u202Eb')], 'a name that no file can have'],
    ['has names in one form', [file('u\u0308')], 'a name that no file can have'],
  ])('%s', (_, list, fault) => expect(contentListFault(list)).toBe(fault))
})

test('what differs is told by name, with what is there and what is not', () => {
  const theirs = [file('a'), file('b', 1), file('c')]
  const ours = [file('a'), file('b', 2), file('d')]
  const differences = contentDifferences(theirs, ours)
  expect(differences).toEqual([
    { name: 'b', theirs: '01010101', ours: '02020202' },
    { name: 'c', theirs: '00000000', ours: 'none' },
    { name: 'd', theirs: 'none', ours: '00000000' },
  ])
  expect(describeDifferences(differences, 130, utf8Length)).toBe(
    "'b' differs; 'c' is not in the match; 'd' is missing",
  )
  expect(contentDifferences(ours, ours)).toEqual([])
})

test('the sentence has a bound, and says how many it left out', () => {
  const many = Array.from({ length: 64 }, (_, at) => file(`${'ü'.repeat(30)}${at + 10}`, 1))
  const text = describeDifferences(contentDifferences(many, []), 130, utf8Length)
  expect(text).toBe(`'${'ü'.repeat(30)}10' is not in the match; and 63 more`)
  const short = Array.from({ length: 64 }, (_, at) => file(`m${at + 10}`, 1))
  const brief = describeDifferences(contentDifferences(short, []), 130, utf8Length)
  expect(utf8Length(brief)).toBeLessThanOrEqual(130)
  expect(brief).toMatch(/^'m10' is not in the match; 'm11' is not in the match; .*; and 60 more$/)
})
