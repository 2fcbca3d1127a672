import { constants, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { deflate } from './deflate.ts'
import { inflate } from './inflate.ts'
import { SampleRandom } from './testing/sample.ts'

const random = new SampleRandom(8)
const sample = Uint8Array.from({ length: 20_000 }, (_, index) =>
  index % 100 < 60 ? index % 7 : Math.clz32(random.word()) * 3,
)

/** Bits, lowest first, as a deflate stream has them. */
function bits(text: string): Uint8Array {
  const digits = text.replaceAll(' ', '')
  const bytes = new Uint8Array(Math.ceil(digits.length / 8))
  for (let index = 0; index < digits.length; index++) {
    if (digits[index] === '1') bytes[index >> 3]! |= 1 << (index & 7)
  }
  return bytes
}

function expectCode(input: Uint8Array, length: number, code: string): void {
  expect(() => inflate(input, length)).toThrow(expect.objectContaining({ name: 'WireError', code }))
}

const strategies = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
]

test('reads what zlib writes, at every level and with every strategy', () => {
  for (let level = 0; level <= 9; level++) {
    for (const strategy of strategies) {
      const packed = deflateRawSync(sample, { level, strategy, memLevel: 1 + (level % 9) })
      expect(Buffer.compare(inflate(packed, sample.length), sample)).toBe(0)
    }
  }
})

test('any bytes that zlib packed are read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), (input) => {
      expect(inflate(deflateRawSync(input), input.length)).toEqual(input)
    }),
  )
})

test('refuses every strict prefix', () => {
  const packed = deflate(sample.subarray(0, 700))
  for (let length = 0; length < packed.length; length++) {
    expectCode(packed.subarray(0, length), 700, 'SS_WIRE_TRUNCATED')
  }
})

test('refuses bytes left over', () => {
  expectCode(Uint8Array.of(...deflate(sample), 0), sample.length, 'SS_WIRE_TRAILING_BYTES')
})

test('a bomb ends at the announced length', () => {
  const bomb = deflateRawSync(new Uint8Array(30_000_000), { level: 9 })
  expect(bomb.length).toBeLessThan(30_000)
  expectCode(bomb, 1000, 'SS_WIRE_TOO_LARGE')
})

test('refuses less than the announced length', () => {
  expectCode(deflate(sample), sample.length + 1, 'SS_WIRE_TRUNCATED')
})

test('refuses blocks without end that make nothing', () => {
  // 10 bits each: fixed code, end of block. Reading them all would take time, and never a byte.
  expectCode(bits('0100000000'.repeat(4000)), 100, 'SS_WIRE_TOO_LARGE')
})

test('refuses blocks without end that bring a code of 15 bits each, and nothing else', () => {
  // A reader that builds a table of 2 ** 15 entries per block takes seconds for each megabyte.
  const fourBits = (value: number) => value.toString(2).padStart(4, '0')
  // The code for code lengths: 4 bits for each of 1 to 15, and for 18, which is a run of zeros.
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  const lengthLengths = order.map((symbol) =>
    symbol === 18 || (symbol >= 1 && symbol <= 15) ? '001' : '000',
  )
  // Literals 0 to 14 have 2 to 15 bits and 15 again, the end has one bit, and so has the only distance.
  const literals = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15].map((length) =>
    fourBits(length - 1),
  )
  const zeros = '1111 1111111 1111 0011101' // 138, and 92 + 11.
  const block = `0 01 00000 00000 1111 ${lengthLengths.join('')} ${literals.join('')} ${zeros} 0000 0000 0`
  expect(inflate(bits(`${block.repeat(9)} 1 10 0000000`), 0)).toHaveLength(0)
  expectCode(bits(block.repeat(4000)), 100, 'SS_WIRE_TOO_LARGE')
})

test('any change of one byte gives bytes of the announced length, or a WireError', () => {
  const packed = deflate(sample.subarray(0, 900))
  for (let at = 0; at < packed.length; at++) {
    for (const change of [1, 0x10, 0x80, 0xff]) {
      const changed = packed.slice()
      changed[at]! ^= change
      expectBytesOrWireError(changed, 900)
    }
  }
})

test('any bytes at all give bytes of the announced length, or a WireError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(5000), (input, length) => {
      expectBytesOrWireError(input, length)
    }),
    { numRuns: 2000 },
  )
})

const head = '1 01' // Last block, own codes.
// Codes of one bit for the lengths 1 and "many zeros"; 256 zeros, a one, and zeros for one that is left.
const lengthCodes = `00000 00000 0111 000 000 100 ${'000'.repeat(14)} 100`
const runBeyond = `${lengthCodes} 1 1111111 1 1101011 0 1 0000000`
test.each([
  ['a block of the fourth kind', '1 11', 'SS_WIRE_OUT_OF_RANGE'],
  [
    'a stored block that contradicts its length',
    '1 00 00000 1000000000000000 1111111111111111',
    'SS_WIRE_OUT_OF_RANGE',
  ],
  [
    'a stored block without its bytes',
    '1 00 00000 0100000000000000 1011111111111111',
    'SS_WIRE_TRUNCATED',
  ],
  ['more literals than there are', `${head} 11111 00000 0000`, 'SS_WIRE_OUT_OF_RANGE'],
  ['more distances than there are', `${head} 00000 11111 0000`, 'SS_WIRE_OUT_OF_RANGE'],
  ['codes that overlap', `${head} 00000 00000 0000 100 100 100 000`, 'SS_WIRE_OUT_OF_RANGE'],
  ['codes with a gap', `${head} 00000 00000 0000 010 010 000 000`, 'SS_WIRE_OUT_OF_RANGE'],
  ['a repetition of nothing', `${head} 00000 00000 0000 100 100 000 000 0`, 'SS_WIRE_OUT_OF_RANGE'],
  ['a run of lengths beyond the last', `${head} ${runBeyond}`, 'SS_WIRE_OUT_OF_RANGE'],
  ['a copy from before the first byte', '1 10 0000001 00000', 'SS_WIRE_OUT_OF_RANGE'],
  ['a length symbol that does not exist', '1 10 11000110', 'SS_WIRE_OUT_OF_RANGE'],
  ['set bits behind the end', '1 10 0000000 1', 'SS_WIRE_NOT_CANONICAL'],
])('refuses %s', (_what, stream, code) => {
  // Followed by zeros, so that nothing is refused only because it breaks off.
  const input =
    code === 'SS_WIRE_OUT_OF_RANGE' ? Uint8Array.of(...bits(stream), 0, 0, 0) : bits(stream)
  expectCode(input, code === 'SS_WIRE_NOT_CANONICAL' ? 0 : 2, code)
})

function expectBytesOrWireError(input: Uint8Array, length: number): void {
  try {
    expect(inflate(input, length)).toHaveLength(length)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
}
