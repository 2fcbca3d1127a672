import type { ColumnType } from '../schema/field.ts'

/** The views that hold table columns. */
export type Cells =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array

/** Takes a state apart into tagged sections. One implementation writes every snapshot there is. */
export interface SectionWriter {
  /** Starts the section of a table; its columns follow, then {@link endTable}. */
  beginTable(name: string, rows: number): void
  /** The first `rows` cells of one column. Copied at once. */
  column(name: string, type: ColumnType, cells: Cells): void
  endTable(): void
  /** A whole section of bytes that its owner understands. Copied at once. */
  bytes(name: string, content: Uint8Array): void
}

/** One column as a file describes it. */
export interface ColumnReader {
  readonly name: string
  readonly type: ColumnType
  /** Where its content begins, for errors: see {@link TableSection.offset}. */
  readonly offset: number
  /** Decodes all rows into the start of `target`, whose type is {@link type}. Throws `WireError`. */
  readInto(target: Cells): void
}

/** A table as a file describes it: its columns decode themselves when they are asked to. */
export interface TableSection {
  readonly kind: 'table'
  readonly name: string
  /** Where the section's content begins, in bytes from the start of the snapshot were it not deflated. */
  readonly offset: number
  readonly rows: number
  readonly columns: readonly ColumnReader[]
}

/** A section that only its owner understands. */
export interface BytesSection {
  readonly kind: 'bytes'
  readonly name: string
  /** Where {@link content} begins: see {@link TableSection.offset}. */
  readonly offset: number
  /** Borrowed: read it before the snapshot's bytes change. */
  readonly content: Uint8Array
}

/** One section as a file describes it, length-checked but not yet understood. */
export type Section = TableSection | BytesSection
