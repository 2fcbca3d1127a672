/** Arbitrary values of the fields that messages have in common. */
import fc from 'fast-check'
import { encodeUtf8 } from '../../base/utf8.ts'
import { valueOfBits } from './layouts.ts'

/** Text of so many bytes at most. */
export const texts = (max: number): fc.Arbitrary<string> =>
  fc
    .oneof(fc.string({ unit: 'binary', maxLength: max }), fc.string({ maxLength: max }))
    .filter((it) => encodeUtf8(it).length <= max)
/** So many bytes at most. */
export const bytesUpTo = (maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ maxLength })
/** Sixteen bits. */
export const u16 = valueOfBits(16)
/** Thirty-two bits. */
export const u32 = valueOfBits(32)
/** A whole number, often one of the ends. */
export const whole = (min: number, max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))
/** Something, or nothing. */
export const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined })

/** An object with these fields. */
export function record<T>(values: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(values, { noNullPrototype: true })
}

/** The number of a seat. */
export const seats = whole(0, 63)
/** Who may come late. */
export const lateJoins = fc.constantFrom('players', 'spectators', 'nobody')
/** Who sees that there is a match. */
export const visibilities = fc.constantFrom('public', 'unlisted', 'local')
