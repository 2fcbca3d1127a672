/** The files that every later version must read: what is in them, and where they are kept. */
import { createHash } from 'node:crypto'
import type { ColumnType } from '../../schema/field.ts'
import type { SnapshotEncoding } from '../format.ts'
import type { Cells, SectionWriter } from '../section.ts'
import { writeSnapshot } from '../writer.ts'
import type { Decoded } from './decode.ts'
import { makeColumn, SampleRandom, sampleHeader, shapes } from './sample.ts'

/** Where golden files lie. */
export const vectorsFolder = new URL('../../../../test/vectors/', import.meta.url)

/** The name of the golden file in this encoding, in format 1. */
export function goldenName(encoding: SnapshotEncoding): string {
  return `snapshot-1-${encoding}.bin`
}

/** What a golden file holds, in short: hashes of contents, in the sequence of the file. */
export type Contents = {
  readonly [section: string]: string | { readonly [column: string]: string }
}

const types: readonly ColumnType[] = ['u8', 'i16', 'i32', 'f32', 'f64']
const shapeNames = ['narrow', 'scattered', 'rising', 'steps', 'noise']

function saveGolden(out: SectionWriter): void {
  const random = new SampleRandom(2024)
  for (const rows of [1, 600]) {
    out.beginTable(`table${rows}`, rows)
    for (const type of types) {
      for (const shape of shapeNames) {
        const name = `${type}-${shape}`
        out.column(name, type, makeColumn(name, type, shapes[shape]!, rows, random).cells)
      }
    }
    out.endTable()
  }
  out.bytes(
    'plain',
    Uint8Array.from({ length: 1000 }, (_, index) => (index * index) % 97),
  )
  out.bytes('Größe', new Uint8Array(0))
}

/** Makes the bytes of a golden file with today's writer. */
export function makeGolden(encoding: SnapshotEncoding): Uint8Array {
  return writeSnapshot(sampleHeader, saveGolden, { encoding })
}

/** Sums up what was read from a golden file. */
export function summarise(sections: readonly Decoded[]): Contents {
  return Object.fromEntries(
    sections.map((section) => [
      section.name,
      'content' in section
        ? hashOf(section.content)
        : Object.fromEntries(
            Object.entries(section.columns).map(([name, cells]) => [name, hashOf(cells)]),
          ),
    ]),
  )
}

function hashOf(cells: Cells): string {
  const bytes = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)
  return `${cells.length}:${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}
