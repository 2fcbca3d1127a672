import { describe, expect, test } from 'vitest'
import { bool, decodeRecord, encodeRecord, oneOf, struct } from './index.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

describe('bool', () => {
  test('takes one bit', () => {
    const two = struct({ a: bool, b: bool })
    expect([...encodeRecord(two, { a: false, b: true })]).toEqual([0b10])
  })

  test('lives in a cell of 0 or 1', () => {
    expect(bool.column).toMatchObject({ type: 'u8', min: 0, max: 1 })
    expect([bool.column.toCell(true), bool.column.toCell(false)]).toEqual([1, 0])
    expect([bool.column.fromCell(1), bool.column.fromCell(0)]).toEqual([true, false])
  })

  test.each([0, 1, 'true', null, undefined])('%s is neither true nor false', (value) => {
    expect(bool.accepts(value)).toBe(false)
  })
})

describe('oneOf', () => {
  const stance = oneOf(['idle', 'walk', 'dead'])

  test('writes the place of the word in as few bits as hold it', () => {
    expect(stance.bitsMax).toBe(2)
    expect([...encodeRecord(stance, 'dead')]).toEqual([2])
    expect(oneOf(['only']).bitsMax).toBe(0)
    expect(oneOf(['a', 'b']).bitsMax).toBe(1)
  })

  test('refuses a place without a word', () => {
    expect(() => decodeRecord(stance, Uint8Array.of(3))).toThrow(code('SS_WIRE_OUT_OF_RANGE'))
  })

  test('shows its words and their places, also after a modifier', () => {
    expect(stance.values).toEqual(['idle', 'walk', 'dead'])
    expect(stance.indexOf('walk')).toBe(1)
    expect(stance.default('dead').indexOf('dead')).toBe(2)
    expect(() => stance.indexOf('fly' as 'idle')).toThrow(code('SS_BAD_VALUE'))
  })

  test('lives in a cell that holds its places', () => {
    expect(stance.column).toMatchObject({ type: 'u8', min: 0, max: 2 })
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`)
    expect(oneOf(words(256)).column.type).toBe('u8')
    expect(oneOf(words(257)).column.type).toBe('u16')
  })

  test('the first word is the default', () => {
    expect(stance.makeDefault()).toBe('idle')
  })

  test('a later change of the given array changes nothing', () => {
    const words = ['a', 'b']
    const field = oneOf(words)
    words.push('c')
    expect(field.values).toEqual(['a', 'b'])
    expect(field.accepts('c')).toBe(false)
  })

  test.each([
    ['nothing', []],
    ['a word twice', ['a', 'b', 'a']],
    ['a number', [1 as unknown as string]],
    ['no array', 'ab' as unknown as string[]],
    ['too many', Array.from({ length: 65_537 }, (_, index) => `w${index}`)],
  ])('%s cannot be declared', (_what, words) => {
    expect(() => oneOf(words)).toThrow(code('SS_BAD_FIELD'))
  })

  test('the error names the words, the first eight of them', () => {
    const check: (value: unknown) => void = (it) => stance.check(it, 'act')
    expect(() => check('fly')).toThrow(
      'Cannot use act: it is "fly"; it must be one of "idle", "walk", "dead"',
    )
    const many = oneOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
    expect(() => many.fromJson('z', 'act')).toThrow(/"h", …$/)
  })
})
