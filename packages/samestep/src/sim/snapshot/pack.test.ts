import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ColumnType } from '../schema/field.ts'
import { cellBytes, columnTypes, makeCells } from './cells.ts'
import { blockCells, MaskPool, maskWords } from './masks.ts'
import { packCells, packedWordsMax, packedWordsMin, unpackCells } from './pack.ts'
import type { Cells } from './section.ts'
import { expectBits, expectCode, isValueOrWireError } from './testing/files.ts'
import { makeColumn, SampleRandom, shapes } from './testing/sample.ts'

type Packed = { readonly words: Int32Array; readonly masks: Int32Array }

function pack(type: ColumnType, cells: Cells, rows = cells.length, pool = new MaskPool()): Packed {
  const words = new Int32Array(packedWordsMax(type, rows))
  const end = packCells(type, cells, rows, pool, words, 0)
  return { words: words.slice(0, end), masks: pool.words.slice(0, pool.count * maskWords) }
}

function unpack(type: ColumnType, packed: Packed, rows: number): Cells {
  const cells = makeCells(type, rows)
  unpackCells(type, { ...packed, at: 0, offset: 0 }, rows, cells)
  return cells
}

function bits(cells: Cells): Uint8Array {
  return new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)
}

const anyType = fc.constantFrom(...columnTypes)

describe('packCells', () => {
  test.each(columnTypes)('every bit pattern of %s survives', (type) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9000 }), (noise) => {
        const size = cellBytes[type]
        const rows = Math.floor(noise.length / size)
        const cells = makeCells(type, rows)
        bits(cells).set(noise.subarray(0, rows * size))
        expectBits(unpack(type, pack(type, cells), rows), cells)
      }),
      { numRuns: 40 },
    )
  })

  test.each(Object.keys(shapes))('data that is %s survives in every type', (name) => {
    const random = new SampleRandom(5)
    for (const type of columnTypes) {
      for (const rows of [0, 1, 2, 31, 32, 33, blockCells - 1, blockCells, blockCells + 1, 3000]) {
        const { cells } = makeColumn(name, type, shapes[name]!, rows, random)
        expectBits(unpack(type, pack(type, cells), rows), cells)
      }
    }
  })

  test('runs of any range and spread survive', () => {
    const word = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff })
    const run = fc.record({
      base: word,
      step: fc.oneof(fc.integer({ min: -70_000, max: 70_000 }), word),
      noiseBits: fc.integer({ min: 0, max: 32 }),
      shift: fc.integer({ min: 0, max: 31 }),
      zeroPercent: fc.constantFrom(0, 5, 40, 99, 100),
      rows: fc.integer({ min: 1, max: 1300 }),
      seed: word,
    })
    fc.assert(
      fc.property(run, ({ base, step, noiseBits, shift, zeroPercent, rows, seed }) => {
        const random = new SampleRandom(seed)
        const cells = new Int32Array(rows)
        for (let row = 0; row < rows; row++) {
          const noise = noiseBits === 0 ? 0 : random.word() >>> (32 - noiseBits)
          const value = (base + Math.imul(step, row) + (noise << shift)) | 0
          cells[row] = random.below(100) < zeroPercent ? 0 : value
        }
        expectBits(unpack('i32', pack('i32', cells), rows), cells)
      }),
      { numRuns: 300 },
    )
  })

  test('only the given rows are packed', () => {
    const cells = Int32Array.of(5, 6, 7, 1_000_000)
    expect(unpack('i32', pack('i32', cells, 3), 3)).toEqual(Int32Array.of(5, 6, 7))
  })

  test('no column is larger or smaller than announced', () => {
    const random = new SampleRandom(9)
    for (const type of columnTypes) {
      for (const shape of Object.values(shapes)) {
        for (const rows of [1, 33, blockCells, 2000]) {
          const { words } = pack(type, makeColumn('', type, shape, rows, random).cells)
          expect(words.length).toBeLessThanOrEqual(packedWordsMax(type, rows))
          expect(words.length).toBeGreaterThanOrEqual(packedWordsMin(type, rows))
        }
      }
    }
  })

  test.each([
    ['a constant', (row: number) => row * 0 + 123_456, 2],
    ['a sequence', (row: number) => 1_000_000 + row * 3, 3],
    ['whole tiles in Q16.16', (row: number) => ((row * 7) % 16) * 65_536, 2 + 64],
    ['ten bits', (row: number) => 500_000 + ((row * 389) % 1024), 2 + 160],
  ])('%s takes a block of known size', (_what, make, words) => {
    const cells = Int32Array.from({ length: blockCells }, (_, row) => make(row))
    expect(pack('i32', cells).words).toHaveLength(words)
  })

  test('whole numbers in f64 take less than a third of their bytes', () => {
    const cells = Float64Array.from({ length: blockCells }, (_, row) => (row * 37) % 200)
    expect(pack('f64', cells).words.length * 4).toBeLessThan(cells.byteLength / 3)
  })

  test('a mask is weighed against what the zeros really cost without it', () => {
    // Odd numbers 16 apart: the zeros among them would cost their four low bits too.
    const cells = Int32Array.from({ length: blockCells }, (_, row) =>
      row % 16 === 0 ? 0 : 1 + ((row * 40_503) % 65_536) * 16,
    )
    cells[1] = 1
    cells[2] = 1 + 65_535 * 16
    const { words, masks } = pack('i32', cells)
    expect(masks).toHaveLength(maskWords)
    expect(words).toHaveLength(2 + (480 * 16) / 32)
  })

  test('columns whose zeros are in the same rows share their masks', () => {
    const random = new SampleRandom(3)
    const isUsed = Array.from({ length: 2000 }, () => random.below(10) < 7)
    const pool = new MaskPool()
    for (let column = 0; column < 8; column++) {
      const cells = Int32Array.from(isUsed, (used) => (used ? 1 + (random.word() >>> 1) : 0))
      pack('i32', cells, 2000, pool)
    }
    expect(pool.count).toBe(4)
  })
})

describe('MaskPool', () => {
  const mask = (value: number) => new Int32Array(maskWords).fill(value)

  test('finds a mask only for its own block, and only among the last four', () => {
    const pool = new MaskPool()
    for (let value = 0; value < 5; value++) pool.add(7, mask(value))
    expect(pool.find(7, mask(4))).toBe(4)
    expect(pool.find(7, mask(1))).toBe(1)
    expect(pool.find(7, mask(0))).toBe(-1)
    expect(pool.find(6, mask(4))).toBe(-1)
  })

  test('forgets what is truncated, also when the number is given again', () => {
    const pool = new MaskPool()
    pool.add(0, mask(1))
    pool.add(1, mask(2))
    pool.truncate(1)
    expect(pool.find(1, mask(2))).toBe(-1)
    expect(pool.add(2, mask(3))).toBe(1)
    expect(pool.find(1, mask(2))).toBe(-1)
    expect(pool.find(0, mask(1))).toBe(0)
  })

  test('grows with the table', () => {
    const pool = new MaskPool()
    for (let block = 0; block < 1000; block++) pool.add(block, mask(block))
    for (let block = 0; block < 1000; block++) expect(pool.find(block, mask(block))).toBe(block)
  })
})

describe('unpackCells', () => {
  const sparse = Int32Array.from({ length: 700 }, (_, row) => (row % 3 === 0 ? 0 : row * 1001))

  test.each(columnTypes)('gives %s or a WireError for any change of one word', (type) => {
    const { cells } = makeColumn('', type, shapes.scattered!, 600, new SampleRandom(2))
    const packed = pack(type, cells)
    fc.assert(
      fc.property(fc.nat(packed.words.length - 1), fc.integer(), (at, word) => {
        const words = packed.words.slice()
        words[at] = word
        expectCellsOrWireError(type, { ...packed, words }, 600)
      }),
      { numRuns: 200 },
    )
  })

  test('gives cells or a WireError for any words at all', () => {
    const anyWords = fc.array(fc.integer(), { maxLength: 40 })
    fc.assert(
      fc.property(anyType, anyWords, anyWords, fc.nat(1200), (type, words, masks, rows) => {
        const packed = { words: Int32Array.from(words), masks: Int32Array.from(masks) }
        expectCellsOrWireError(type, packed, rows)
      }),
      { numRuns: 500 },
    )
  })

  test('refuses every strict prefix', () => {
    const packed = pack('i32', sparse)
    for (let length = 0; length < packed.words.length; length++) {
      const words = packed.words.subarray(0, length)
      expectCode(() => unpack('i32', { ...packed, words }, 700), 'SS_WIRE_TRUNCATED')
    }
  })

  test.each([
    ['words left over', 'i32', [0, 5, 0], 'SS_WIRE_TRAILING_BYTES'],
    ['more than 32 bits', 'i32', [33, 0, 0, 0], 'SS_WIRE_OUT_OF_RANGE'],
    ['a shift beyond the word', 'i32', [8 | (25 << 6), 0, 0], 'SS_WIRE_OUT_OF_RANGE'],
    ['shifted differences', 'i32', [2 | (1 << 6) | (1 << 11), 0, 0, 0], 'SS_WIRE_OUT_OF_RANGE'],
    ['a mask number without a mask', 'i32', [1 << 13, 0], 'SS_WIRE_NOT_CANONICAL'],
    ['a mask that does not exist', 'i32', [1 << 12, 0], 'SS_WIRE_OUT_OF_RANGE'],
    ['bits behind the last number', 'i32', [8, 0, 0x0100], 'SS_WIRE_NOT_CANONICAL'],
    ['300 in u8', 'u8', [0, 300], 'SS_WIRE_OUT_OF_RANGE'],
    ['-1 in u16', 'u16', [0, -1], 'SS_WIRE_OUT_OF_RANGE'],
    ['128 in i8', 'i8', [0, 128], 'SS_WIRE_OUT_OF_RANGE'],
    ['-32769 in i16', 'i16', [0, -32_769], 'SS_WIRE_OUT_OF_RANGE'],
  ] as const)('refuses %s', (_what, type, words, code) => {
    const packed = { words: Int32Array.from(words), masks: new Int32Array(0) }
    expectCode(() => unpack(type, packed, 1), code)
  })

  test('refuses a mask that marks rows behind the last', () => {
    const masks = new Int32Array(maskWords)
    masks[0] = 0b11
    const words = Int32Array.of(8 | (1 << 12), 1, 0x0201)
    expect(unpack('i32', { words, masks }, 2)).toEqual(Int32Array.of(2, 3))
    expectCode(() => unpack('i32', { words, masks }, 1), 'SS_WIRE_OUT_OF_RANGE')
  })

  test('refuses differences of nothing', () => {
    const words = Int32Array.of((1 << 12) | (1 << 11), 0, 0)
    const packed = { words, masks: new Int32Array(maskWords) }
    expectCode(() => unpack('i32', packed, 3), 'SS_WIRE_NOT_CANONICAL')
  })
})

function expectCellsOrWireError(type: ColumnType, packed: Packed, rows: number): void {
  isValueOrWireError(() => expect(unpack(type, packed, rows)).toHaveLength(rows))
}
