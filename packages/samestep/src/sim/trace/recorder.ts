import type { Column } from '../state/columns.ts'
import type { StatePart } from '../state/part.ts'
import type { TraceKind } from './trace-entry.ts'
import type { RawValue } from './trace-log.ts'

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that game code called.
type Any = Function

/** One write, as the stand-in that saw it describes it. */
export interface Write {
  readonly kind: TraceKind
  readonly part: string
  readonly row?: number | undefined
  readonly field: string
  readonly before: RawValue
  readonly after: RawValue
  /** Says what the values mean, when they are cells. */
  readonly column?: Column
}

/** Where the stand-ins for tables, columns, objects and generators report to. */
export interface Recorder {
  /** A write that game code made by calling `above`. */
  write(above: Any, write: Write): void
  /**
   * A write to one cell of a column, which has happened already. `before` is what the trace last knew
   * of the cell, unless it is given.
   */
  writeCell(
    above: Any,
    part: string,
    column: Column,
    row: number,
    before?: number,
    kind?: TraceKind,
  ): void
  /**
   * A write inside a plain value. `explains` is the path below which it accounts for whatever is found
   * to have changed. `placed` is the value itself, which game code may go on to change by itself.
   */
  writePlain(above: Any, write: Write, explains: string, placed: unknown): void
  /** All of the part is accounted for: what follows from a recorded operation is not a write. */
  settle(part: StatePart): void
}
