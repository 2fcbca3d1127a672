import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePointFault, lineFault, nameFault } from './text-rules.ts'
import { isWellFormed } from './utf8.ts'

const char = (...points: number[]): string => String.fromCodePoint(...points)

describe('a line', () => {
  test.each([
    'gg',
    'Žluťoučký kůň',
    'Ελληνικά',
    'مرحبا',
    'שלום',
    'می‌خواهم',
    'क्‍ष',
    '你好，世界',
    'ก็ได้',
    '👩‍👩‍👧‍👦 ❤️ 🇪🇺',
    '  spaces are fine  ',
    '𝔊𝔊',
  ])('may be %s', (text) => {
    expect(lineFault(text, 512)).toBeUndefined()
  })

  test.each([
    ['a\nb', 'control'],
    ['\u0000', 'control'],
    ['\u001b[31mred', 'control'],
    ['\u007f', 'control'],
    ['\u0085', 'control'],
    ['\u009b31m', 'control'],
    ['\u2028', 'control'],
    ['admin\u202Enimda', 'direction'],
    ['\u2067x', 'direction'],
    ['\u200Fx', 'direction'],
    ['a\u200Bb', 'invisible'],
    ['\uFEFFx', 'invisible'],
    ['x\u00AD', 'invisible'],
    [char(0xe0041), 'invisible'],
    ['\uD800', 'no-character'],
    ['x\uDC00', 'no-character'],
    ['\uFFFE', 'no-character'],
    [char(0x1ffff), 'no-character'],
    [char(0xfdd0), 'no-character'],
    ['', 'empty'],
    ['   ', 'empty'],
    ['\u3000\u200D\uFE0F\u180B\u2800', 'empty'],
  ] as const)('may not be %j: %s', (text, fault) => {
    expect(lineFault(text, 512)).toBe(fault)
  })

  test('is measured in code points, not in units or bytes', () => {
    expect(lineFault('🂡'.repeat(32), 32)).toBeUndefined()
    expect(lineFault('🂡'.repeat(33), 32)).toBe('too-long')
    expect(lineFault('a'.repeat(33), 32)).toBe('too-long')
    expect(lineFault('a'.repeat(10_000_000), 32)).toBe('too-long')
  })
})

describe('a name', () => {
  test.each(['Ada', 'Ada Lovelace', '艾达', 'J. R.', '🦊'])('may be %s', (name) => {
    expect(nameFault(name, 32)).toBeUndefined()
  })

  test.each([' Ada', 'Ada ', 'Ada  L', 'Ada\u00A0L', 'Ada\u3000L', 'Ada\u2009L'])(
    'may not look like another by its spaces: %j',
    (name) => {
      expect(nameFault(name, 32)).toBe('spacing')
    },
  )
})

test('F17 on any text the answer is the same as going through all its characters one by one', () => {
  const control = /[\p{Cc}\p{Zl}\p{Zp}]/u
  const direction = /[\p{Bidi_Control}]/u
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const fault = lineFault(text, 40)
      if (control.test(text) || direction.test(text)) expect(fault).toBeDefined()
      if (fault === undefined) {
        expect(isWellFormed(text)).toBe(true)
        expect(text).not.toMatch(/\p{Noncharacter_Code_Point}/u)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('every code point of every version is judged as the properties of Unicode say', () => {
  const controls = /^[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}]$/u
  const hidden = /^\p{Default_Ignorable_Code_Point}$/u
  const allowedHidden = /^(?:\u200c|\u200d|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f])$/u
  const wrong: string[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    const text = String.fromCodePoint(point)
    const isRefused = codePointFault(point) !== undefined
    const mustBe = controls.test(text) || (hidden.test(text) && !allowedHidden.test(text))
    // Interlinear marks, musical controls and unassigned ones beside them go as well, on purpose.
    const may = /^[\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]$/u.test(text)
    if (mustBe !== isRefused && !(isRefused && may)) wrong.push(point.toString(16))
  }
  expect(wrong).toEqual([])
})
