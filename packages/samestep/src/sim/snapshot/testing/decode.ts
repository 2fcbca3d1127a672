/** Reads snapshots to the last cell, for tests. */
import { makeCells } from '../cells.ts'
import { type ReadOptions, readSnapshot } from '../reader.ts'
import type { Cells, Section } from '../section.ts'

/** Everything that a section holds, decoded. */
export type Decoded =
  | { readonly name: string; readonly content: Uint8Array }
  | { readonly name: string; readonly rows: number; readonly columns: { [name: string]: Cells } }

/** Reads a snapshot to the last cell. */
export function decodeAll(bytes: Uint8Array, options: ReadOptions = {}): Decoded[] {
  return readSnapshot(bytes, options).sections.map(decodeSection)
}

function decodeSection(section: Section): Decoded {
  if (section.kind === 'bytes') return { name: section.name, content: section.content.slice() }
  const columns: { [name: string]: Cells } = {}
  for (const column of section.columns) {
    const cells = makeCells(column.type, section.rows)
    column.readInto(cells)
    columns[column.name] = cells
  }
  return { name: section.name, rows: section.rows, columns }
}
