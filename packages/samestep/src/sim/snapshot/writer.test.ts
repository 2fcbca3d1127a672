import { describe, expect, test } from 'vitest'
import { SnapshotBuffer } from './buffer.ts'
import { snapshotEncodings } from './format.ts'
import { readSnapshot } from './reader.ts'
import type { SectionWriter } from './section.ts'
import { decodeAll } from './testing/decode.ts'
import { expectBits } from './testing/files.ts'
import { SampleRandom, sampleHeader, saveSample } from './testing/sample.ts'
import { writeSnapshot } from './writer.ts'

const save = (out: SectionWriter): void => saveSample(out, 600)
const bug = expect.objectContaining({ name: 'InvariantError' })
const misuse = expect.objectContaining({ name: 'UsageError', code: 'SS_BAD_ARGUMENT' })

describe('writeSnapshot', () => {
  test.each(snapshotEncodings)('gives the same %s bytes for the same state', (encoding) => {
    const first = writeSnapshot(sampleHeader, save, { encoding })
    expectBits(writeSnapshot(sampleHeader, save, { encoding }), first)
  })

  test.each(snapshotEncodings)('leaves no trace of earlier use in a %s buffer', (encoding) => {
    const into = new SnapshotBuffer(16)
    const fresh = writeSnapshot(sampleHeader, save, { encoding })
    writeSnapshot(sampleHeader, (out) => out.bytes('x', new Uint8Array(500_000).fill(0xee)), {
      encoding: 'raw',
      into,
    })
    writeSnapshot(sampleHeader, (out) => saveSample(out, 3000), { into })
    expectBits(writeSnapshot(sampleHeader, save, { encoding, into }), fresh)
  })

  test('packs by default', () => {
    expect(readSnapshot(writeSnapshot(sampleHeader, save)).header.encoding).toBe('packed')
  })

  test('with a buffer gives a view of it, without one an array of its own length', () => {
    const into = new SnapshotBuffer()
    const borrowed = writeSnapshot(sampleHeader, save, { into })
    expect(borrowed.buffer).toBe(into.bytes.buffer)
    const own = writeSnapshot(sampleHeader, save)
    expect(own.buffer.byteLength).toBe(own.length)
  })

  test('does not grow a buffer that is large enough', () => {
    const into = new SnapshotBuffer()
    writeSnapshot(sampleHeader, save, { into })
    const { buffer } = into.bytes
    for (let round = 0; round < 3; round++) writeSnapshot(sampleHeader, save, { into })
    expect(into.bytes.buffer).toBe(buffer)
  })

  test('copies cells and bytes at once', () => {
    const cells = Int32Array.of(1, 2, 3)
    const content = Uint8Array.of(4)
    const bytes = writeSnapshot(sampleHeader, (out) => {
      out.beginTable('t', 3)
      out.column('a', 'i32', cells)
      cells.fill(9)
      out.endTable()
      out.bytes('b', content)
      content.fill(9)
    })
    expect(decodeAll(bytes)).toMatchObject([
      { columns: { a: Int32Array.of(1, 2, 3) } },
      { content: Uint8Array.of(4) },
    ])
  })

  test('equal tables take equal room, whatever was written before them', () => {
    const cells = Int32Array.from({ length: 512 }, (_, row) => (row % 3) * 1_000_000)
    const { sections } = readSnapshot(
      writeSnapshot(sampleHeader, (out) => {
        for (const name of ['one', 'two', 'six', 'ten']) {
          out.beginTable(name, cells.length)
          out.column('a', 'i32', cells)
          out.endTable()
        }
      }),
    )
    const steps = sections.slice(1).map(({ offset }, index) => offset - sections[index]!.offset)
    expect(new Set(steps).size).toBe(1)
  })

  test('a column that is not packed after all leaves no masks behind', () => {
    // 16 bits of noise with so few zeros that masks pay, but not also for the heads of the blocks.
    const random = new SampleRandom(1)
    const save = (zeroEvery: number) => (out: SectionWriter) => {
      out.beginTable('t', 512)
      const cells = Uint16Array.from({ length: 512 }, (_, row) =>
        row % zeroEvery === 1 ? 0 : 1 + random.below(65_535),
      )
      out.column('a', 'u16', cells)
      out.endTable()
    }
    const dense = writeSnapshot(sampleHeader, save(1000))
    expect(writeSnapshot(sampleHeader, save(15)).length).toBe(dense.length)
  })

  test('keeps names in any script', () => {
    const names = ['ascii', 'Höhe', '高さ', '𝕏', 'a'.repeat(255)]
    const bytes = writeSnapshot({ ...sampleHeader, matchId: 'Müller ⚔ 高' }, (out) => {
      for (const name of names) out.bytes(name, new Uint8Array(1))
    })
    const { header, sections } = readSnapshot(bytes)
    expect(sections.map(({ name }) => name)).toEqual(names)
    expect(header.matchId).toBe('Müller ⚔ 高')
  })

  test('writes raw cells on cache lines', () => {
    const bytes = writeSnapshot(sampleHeader, save, { encoding: 'raw' })
    for (const section of readSnapshot(bytes).sections) {
      if (section.kind === 'bytes') continue
      for (const { offset } of section.columns) expect(offset % 64).toBe(0)
    }
  })
})

describe('writeSnapshot refuses', () => {
  const table = (fill: (out: SectionWriter) => void) => () =>
    writeSnapshot(sampleHeader, (out) => {
      out.beginTable('t', 2)
      fill(out)
      out.endTable()
    })

  test.each([
    [
      'a column outside a table',
      () => writeSnapshot(sampleHeader, (out) => out.column('a', 'u8', new Uint8Array(1))),
    ],
    ['an end without a table', () => writeSnapshot(sampleHeader, (out) => out.endTable())],
    ['a table without an end', () => writeSnapshot(sampleHeader, (out) => out.beginTable('t', 1))],
    ['a table in a table', table((out) => out.beginTable('u', 1))],
    ['bytes in a table', table((out) => out.bytes('b', new Uint8Array(1)))],
    ['too few cells', table((out) => out.column('a', 'u8', new Uint8Array(1)))],
    ['cells of another type', table((out) => out.column('a', 'u8', new Int8Array(2)))],
    ['a tick beyond 32 bits', () => writeSnapshot({ ...sampleHeader, tick: 2 ** 32 }, save)],
    [
      'a short fingerprint',
      () => writeSnapshot({ ...sampleHeader, fingerprint: new Uint8Array(31) }, save),
    ],
    [
      'a column twice',
      table((out) => {
        out.column('a', 'u8', new Uint8Array(2))
        out.column('a', 'u8', new Uint8Array(2))
      }),
    ],
    [
      'a section twice',
      () =>
        writeSnapshot(sampleHeader, (out) => {
          out.bytes('a', new Uint8Array(1))
          out.bytes('a', new Uint8Array(1))
        }),
    ],
  ])('%s, as a bug of ours', (_what, run) => {
    expect(run).toThrow(bug)
  })

  test.each([
    ['no name', () => writeSnapshot(sampleHeader, (out) => out.bytes('', new Uint8Array(1)))],
    [
      'a name of 256 bytes',
      () => writeSnapshot(sampleHeader, (out) => out.bytes('é'.repeat(128), new Uint8Array(1))),
    ],
    [
      'a match id of 65 bytes',
      () => writeSnapshot({ ...sampleHeader, matchId: 'x'.repeat(65) }, save),
    ],
    [
      'a state of more than 64 MiB',
      () => writeSnapshot(sampleHeader, (out) => out.bytes('b', new Uint8Array(2 ** 26 + 1))),
    ],
  ])('%s, as a mistake of the caller', (_what, run) => {
    expect(run).toThrow(misuse)
  })

  test('a buffer that is being written into', () => {
    const into = new SnapshotBuffer()
    const nested = () =>
      writeSnapshot(sampleHeader, () => writeSnapshot(sampleHeader, save, { into }), { into })
    expect(nested).toThrow(misuse)
    // The failure leaves the buffer usable.
    expectBits(writeSnapshot(sampleHeader, save, { into }), writeSnapshot(sampleHeader, save))
  })
})
