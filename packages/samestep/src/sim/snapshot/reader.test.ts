import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alignUp } from './buffer.ts'
import { makeCells } from './cells.ts'
import { snapshotEncodings } from './format.ts'
import { bodyBytesAt, contentBytesAt, sectionCountAt, storedBytesAt } from './header.ts'
import { snapshotBytesMax } from './limits.ts'
import { readSnapshot } from './reader.ts'
import type { SectionWriter } from './section.ts'
import { decodeAll } from './testing/decode.ts'
import { expectBits, expectCode, isValueOrWireError, resum } from './testing/files.ts'
import { makeColumns, sampleHeader, saveSample } from './testing/sample.ts'
import { writeSnapshot } from './writer.ts'

const smallRows = 90

/** A file small enough to try every damage on it, with one of everything in it: also a mask. */
function saveSmall(out: SectionWriter): void {
  const rows = Array.from({ length: smallRows }, (_, row) => row)
  const a = Int32Array.from(rows, (row) => (row % 3) * (row + 70) * 100_003)
  const b = Float64Array.from(rows, (row) => (row % 7) / 4)
  const c = Uint8Array.from(rows, (row) => row * 5)
  out.beginTable('t', smallRows)
  out.column('a', 'i32', a)
  out.column('b', 'f64', b)
  out.column('c', 'u8', c)
  out.endTable()
  out.bytes('p', Uint8Array.of(1, 2, 3))
}

const small = Object.fromEntries(
  snapshotEncodings.map((encoding) => [
    encoding,
    writeSnapshot(sampleHeader, saveSmall, { encoding }),
  ]),
) as { [encoding in (typeof snapshotEncodings)[number]]: Uint8Array }

/** The small packed file with a word of its head changed, and its checksum made right. */
function withHead(at: number, value: number, file = small.packed): Uint8Array {
  const copy = file.slice()
  new DataView(copy.buffer).setUint32(at, value, true)
  return resum(copy)
}

describe.each(snapshotEncodings)('a %s snapshot', (encoding) => {
  test.each([0, 1, 40, 511, 512, 513, 1500])('of %i rows gives back every section', (rows) => {
    const bytes = writeSnapshot(sampleHeader, (out) => saveSample(out, rows), { encoding })
    const [units, nobody, plain, empty] = decodeAll(bytes)
    expect(units).toMatchObject({ name: 'units', rows })
    const columns = units !== undefined && 'columns' in units ? units.columns : {}
    const wanted = makeColumns(rows, 1)
    expect(Object.keys(columns)).toEqual(wanted.map(({ name }) => name))
    for (const { name, cells } of wanted) expectBits(columns[name], cells)
    expect(nobody).toEqual({ name: 'nobody', rows: 0, columns: { x: new Int32Array(0) } })
    const content = Uint8Array.from({ length: 333 }, (_, index) => index % 50)
    expect(plain).toEqual({ name: 'plain', content })
    expect(empty).toEqual({ name: 'empty', content: new Uint8Array(0) })
  })

  test('says what it is of', () => {
    const { header } = readSnapshot(small[encoding])
    expect(header).toMatchObject({ ...sampleHeader, encoding, sectionCount: 2 })
    expect(header.contentBytes).toBe(smallRows * 13 + 3)
  })

  test('with nothing in it is read back', () => {
    const bytes = writeSnapshot(sampleHeader, () => {}, { encoding })
    expect(readSnapshot(bytes).sections).toEqual([])
  })

  test('is read from any place in memory', () => {
    const file = small[encoding]
    for (let shift = 0; shift < 9; shift++) {
      const moved = Buffer.alloc(file.length + 9, 0xee).subarray(shift, shift + file.length)
      moved.set(file)
      expect(decodeAll(moved)).toEqual(decodeAll(file))
    }
  })

  test('is refused at every strict prefix', () => {
    const file = small[encoding]
    for (let length = 0; length < file.length; length++) {
      expectCode(() => readSnapshot(file.subarray(0, length)), 'SS_WIRE_TRUNCATED')
    }
  })

  test('is refused with bytes left over', () => {
    const file = Uint8Array.of(...small[encoding], ...new Uint8Array(8))
    expectCode(() => readSnapshot(file), 'SS_WIRE_TRAILING_BYTES')
  })

  test('with one byte changed is refused, unless it is a byte of raw content', () => {
    const file = small[encoding]
    let accepted = 0
    for (let at = 0; at < file.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const damaged = file.slice()
        damaged[at]! ^= change
        if (isValueOrWireError(() => decodeAll(damaged))) accepted++
      }
    }
    const contents = encoding === 'raw' ? readSnapshot(file).header.contentBytes : 0
    expect(accepted).toBe(contents * 3)
  })
})

describe.each(['packed', 'deflate'] as const)(
  'a %s snapshot with its checksum forged',
  (encoding) => {
    test('and one byte changed gives sections or a WireError', () => {
      const file = small[encoding]
      for (let at = 0; at < file.length - 8; at++) {
        for (const change of [0x01, 0x02, 0x10, 0x80, 0xff]) {
          const damaged = file.slice()
          damaged[at]! ^= change
          isValueOrWireError(() => decodeAll(resum(damaged)))
        }
      }
    })

    test('and any number of words changed gives sections or a WireError', () => {
      const file = small[encoding]
      const words = (file.length - 8) / 4
      const change = fc.tuple(fc.nat(words - 1), fc.oneof(fc.nat(70), fc.integer()))
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
          const damaged = file.slice()
          const view = new DataView(damaged.buffer)
          for (const [word, value] of changes) view.setInt32(word * 4, value, true)
          isValueOrWireError(() => decodeAll(resum(damaged)))
        }),
        { numRuns: 1500 },
      )
    })
  },
)

describe('readSnapshot refuses', () => {
  /** The file with one byte changed by `change`, at a place counted from a text in it. */
  function withByte(file: Uint8Array, text: string, at: number, change: number): Uint8Array {
    const copy = file.slice()
    copy[Buffer.from(file).indexOf(text) + at]! += change
    return copy
  }

  test('a section of bytes with columns', () => {
    const file = writeSnapshot(sampleHeader, (out) => out.bytes('plain', new Uint8Array(1)))
    const forged = resum(withByte(file, 'plain', -6, 1))
    expectCode(() => readSnapshot(forged), 'SS_WIRE_NOT_CANONICAL')
  })

  test('a packed column or a mask in a raw snapshot', () => {
    const file = writeSnapshot(
      sampleHeader,
      (out) => {
        out.beginTable('table', 64)
        out.column('column', 'u8', new Uint8Array(64))
        out.endTable()
      },
      { encoding: 'raw' },
    )
    expectCode(() => readSnapshot(withByte(file, 'column', -7, 1)), 'SS_WIRE_UNKNOWN')
    expectCode(() => readSnapshot(withByte(file, 'table', 12, 1)), 'SS_WIRE_NOT_CANONICAL')
  })

  test('a table that ends within a word, where its masks should be', () => {
    const name = 't\0\0\0\0\0\0\0'
    for (const change of [-1, -2, -4]) {
      const file = resum(withByte(small.packed, name, -4, change))
      expectCode(() => readSnapshot(file), 'SS_WIRE_NOT_CANONICAL')
    }
  })

  test.each([
    ['other bytes', 0, 0x0403_0201, 'SS_WIRE_BAD_MAGIC'],
    ['another format', 4, 0x0001_0002, 'SS_WIRE_BAD_VERSION'],
    ['an encoding that does not exist', 4, 0x0003_0001, 'SS_WIRE_UNKNOWN'],
    ['a head of another size', 8, 8, 'SS_WIRE_OUT_OF_RANGE'],
    ['more sections than the limit', sectionCountAt, 1025, 'SS_WIRE_TOO_LARGE'],
    ['more sections than there are', sectionCountAt, 3, 'SS_WIRE_TRUNCATED'],
    ['fewer sections than there are', sectionCountAt, 1, 'SS_WIRE_TRAILING_BYTES'],
    ['a body of 4 GB', storedBytesAt, 0xffff_fff0, 'SS_WIRE_TOO_LARGE'],
    ['4 GB once inflated', bodyBytesAt, 0xffff_fff0, 'SS_WIRE_TOO_LARGE'],
    ['4 GB once unpacked', contentBytesAt, 0xffff_fff0, 'SS_WIRE_TOO_LARGE'],
    ['more contents than it says', contentBytesAt, smallRows * 13 + 2, 'SS_WIRE_OUT_OF_RANGE'],
    ['fewer contents than it says', contentBytesAt, smallRows * 13 + 4, 'SS_WIRE_OUT_OF_RANGE'],
    ['a packed body that grows', bodyBytesAt, 1 << 20, 'SS_WIRE_OUT_OF_RANGE'],
  ] as const)('%s', (_what, at, value, code) => {
    expectCode(() => readSnapshot(withHead(at, value)), code)
  })

  test('a deflated body that claims to grow more than deflate can', () => {
    const file = withHead(bodyBytesAt, snapshotBytesMax, small.deflate)
    expectCode(() => readSnapshot(file), 'SS_WIRE_OUT_OF_RANGE')
  })

  test('what is larger than the caller allows', () => {
    const bytes = writeSnapshot(sampleHeader, (out) => {
      out.beginTable('t', 10_000)
      out.column('a', 'i32', new Int32Array(10_000))
      out.endTable()
    })
    expect(bytes.length).toBeLessThan(1000)
    expect(readSnapshot(bytes, { maxBytes: 40_000 }).sections).toHaveLength(1)
    expectCode(() => readSnapshot(bytes, { maxBytes: 39_999 }), 'SS_WIRE_TOO_LARGE')
    expect(() => readSnapshot(bytes, { maxBytes: snapshotBytesMax + 1 })).toThrow(
      expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }),
    )
  })

  test('a bomb, before it has grown beyond what it announced', () => {
    const honest = readSnapshot(small.deflate).header
    const bomb = deflateRawSync(new Uint8Array(20_000_000), { level: 9 })
    const file = new Uint8Array(honest.headBytes + alignUp(bomb.length) + 8)
    file.set(small.deflate.subarray(0, honest.headBytes))
    file.set(bomb, honest.headBytes)
    const view = new DataView(file.buffer)
    view.setUint32(storedBytesAt, bomb.length, true)
    expectCode(() => readSnapshot(resum(file)), 'SS_WIRE_TOO_LARGE')
  })

  test('two sections or two columns of one name', () => {
    // Equal lengths, so that a name can be written over another.
    const file = writeSnapshot(sampleHeader, (out) => {
      out.beginTable('table', 1)
      out.column('left', 'u8', new Uint8Array(1))
      out.column('rest', 'u8', new Uint8Array(1))
      out.endTable()
      out.bytes('other', new Uint8Array(1))
    })
    const text = Buffer.from(file).toString('latin1')
    const renamed = (from: string, to: string) =>
      resum(Uint8Array.from(Buffer.from(text.replace(from, to), 'latin1')))
    expect(decodeAll(renamed('rest', 'best'))).toHaveLength(2)
    expectCode(() => readSnapshot(renamed('rest', 'left')), 'SS_WIRE_NOT_CANONICAL')
    expectCode(() => readSnapshot(renamed('other', 'table')), 'SS_WIRE_NOT_CANONICAL')
    expectCode(() => readSnapshot(renamed('rest', 're\xfft')), 'SS_WIRE_NOT_CANONICAL')
  })
})

test('a refused snapshot of a few bytes takes no memory for what it announces', () => {
  // A table of 60 million rows of which no block is there.
  const file = writeSnapshot(sampleHeader, (out) => {
    out.beginTable('t', 1000)
    out.column('a', 'u8', new Uint8Array(1000))
    out.endTable()
  })
  const { headBytes } = readSnapshot(file).header
  const forged = file.slice()
  const view = new DataView(forged.buffer)
  view.setUint32(contentBytesAt, 60_000_000, true)
  view.setUint32(headBytes + 16, 60_000_000, true)
  expectCode(() => readSnapshot(resum(forged)), 'SS_WIRE_OUT_OF_RANGE')
})

test('columns of raw cells and packed columns lie side by side where packing does not pay', () => {
  const noise = Int32Array.from({ length: 600 }, (_, row) => Math.imul(row + 1, 0x9e37_79b1))
  const bytes = writeSnapshot(sampleHeader, (out) => {
    out.beginTable('t', 600)
    out.column('noise', 'i32', noise)
    out.column('constant', 'i32', new Int32Array(600).fill(9))
    out.endTable()
  })
  expect(bytes.length).toBeLessThan(2400 + 250)
  expect(decodeAll(bytes)[0]).toMatchObject({ columns: { noise } })
})

test('a column is read into the start of longer cells, and touches no others', () => {
  for (const encoding of snapshotEncodings) {
    const bytes = writeSnapshot(sampleHeader, saveSmall, { encoding })
    const section = readSnapshot(bytes).sections[0]
    if (section?.kind !== 'table') throw new Error('The first section is a table')
    for (const column of section.columns) {
      const cells = makeCells(column.type, smallRows + 10).fill(77)
      column.readInto(cells)
      expect([...cells.subarray(smallRows)]).toEqual(new Array(10).fill(77))
    }
  }
})
