import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitWriter } from './bit-writer.ts'
import { WireError } from './errors.ts'
import { decodeUtf8, encodeUtf8, isWellFormed, utf8Length, writeUtf8 } from './utf8.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 40 })
/** Strings of arbitrary code units, halves of surrogate pairs among them. */
const anyUnits = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 8 })
  .map((units) => String.fromCharCode(...units))

function decodeOrRefuse(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(WireError)
    return undefined
  }
}

describe('UTF-8', () => {
  test('well-formed texts encode as the platform does, and read back', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const bytes = encodeUtf8(text)
        expect(Buffer.from(bytes).equals(Buffer.from(text, 'utf8'))).toBe(true)
        expect(utf8Length(text)).toBe(bytes.length)
        expect(decodeUtf8(bytes)).toBe(text)
      }),
    )
  })

  test('a writer gets the same bytes at any alignment', () => {
    fc.assert(
      fc.property(anyText, fc.nat(7), (text, lead) => {
        const [direct, copied] = [new BitWriter(), new BitWriter()]
        direct.bits(0, lead)
        copied.bits(0, lead)
        writeUtf8(direct, text)
        copied.bytes(encodeUtf8(text))
        expect(direct.finish()).toEqual(copied.finish())
      }),
    )
  })

  test('every code point at the edges of a length survives', () => {
    const points = [
      0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x1_0000, 0x10_ffff,
    ]
    for (const point of points) {
      const text = String.fromCodePoint(point)
      expect(decodeUtf8(encodeUtf8(text))).toBe(text)
    }
  })

  test('texts longer than one piece survive, pairs across its edge included', () => {
    for (const length of [509, 510, 511, 512, 513, 5000]) {
      const text = `${'a'.repeat(length)}😀€${'é'.repeat(length)}`
      expect(decodeUtf8(encodeUtf8(text))).toBe(text)
    }
  })

  test('decodes from start to before end only', () => {
    const bytes = encodeUtf8('xxhé!yy')
    expect(decodeUtf8(bytes, 2, 6)).toBe('hé!')
  })

  test.each([
    ['an overlong slash of two bytes', 'c0af', 'SS_WIRE_NOT_CANONICAL'],
    ['an overlong delete', 'c1bf', 'SS_WIRE_NOT_CANONICAL'],
    ['an overlong slash of three bytes', 'e080af', 'SS_WIRE_NOT_CANONICAL'],
    ['the largest overlong of three bytes', 'e09fbf', 'SS_WIRE_NOT_CANONICAL'],
    ['an overlong slash of four bytes', 'f08080af', 'SS_WIRE_NOT_CANONICAL'],
    ['the largest overlong of four bytes', 'f08fbfbf', 'SS_WIRE_NOT_CANONICAL'],
    ['the first surrogate', 'eda080', 'SS_WIRE_NOT_CANONICAL'],
    ['the last surrogate', 'edbfbf', 'SS_WIRE_NOT_CANONICAL'],
    ['a surrogate pair', 'eda0bdedb880', 'SS_WIRE_NOT_CANONICAL'],
    ['U+110000', 'f4908080', 'SS_WIRE_NOT_CANONICAL'],
    ['a first byte of five bytes', 'f888808080', 'SS_WIRE_NOT_CANONICAL'],
    ['the byte ff', 'ff', 'SS_WIRE_NOT_CANONICAL'],
    ['a stray continuation', '80', 'SS_WIRE_NOT_CANONICAL'],
    ['a broken-off character', 'e28241', 'SS_WIRE_NOT_CANONICAL'],
    ['a missing last byte of two', 'c3', 'SS_WIRE_TRUNCATED'],
    ['a missing last byte of three', 'e282', 'SS_WIRE_TRUNCATED'],
    ['a missing last byte of four', 'f09f98', 'SS_WIRE_TRUNCATED'],
  ])('refuses %s', (_what, hex, code) => {
    const bytes = Uint8Array.of(0x41, ...Buffer.from(hex, 'hex'))
    expect(() => decodeUtf8(bytes)).toThrow(expect.objectContaining({ code }))
  })

  test('the error says where the text breaks', () => {
    const bytes = Uint8Array.of(0x00, 0x41, 0x42, 0xc3, 0x28)
    expect(() => decodeUtf8(bytes, 1)).toThrow(expect.objectContaining({ offset: 3 }))
  })

  test('accepts exactly what the strict decoder of the platform accepts', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const lead = fc.constantFrom(0x41, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5)
    const tail = fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0)
    const bytes = fc.array(fc.oneof(lead, tail, fc.nat(255)), { maxLength: 8 })
    fc.assert(
      fc.property(bytes, (numbers) => {
        const source = Uint8Array.from(numbers)
        let expected: string | undefined
        try {
          expected = strict.decode(source)
        } catch {
          expected = undefined
        }
        expect(decodeOrRefuse(source)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test('half a surrogate pair is misuse, in every function alike', () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        const isFine = Buffer.from(text, 'utf8').toString('utf8') === text
        expect(isWellFormed(text)).toBe(isFine)
        for (const use of [
          utf8Length,
          encodeUtf8,
          (it: string) => writeUtf8(new BitWriter(), it),
        ]) {
          if (isFine) use(text)
          else expect(() => use(text)).toThrow(expect.objectContaining({ code: 'SS_BAD_VALUE' }))
        }
      }),
      { numRuns: 300 },
    )
  })
})
