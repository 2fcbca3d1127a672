import { rowMethods, standsFor } from '../guard/stand-ins.ts'
import type { Cells } from '../snapshot/section.ts'
import type { TablePart } from '../state/table.ts'
import type { TableFields } from '../state/table-rows.ts'
import type { Recorder } from './recorder.ts'
import { traceCells } from './traced-cells.ts'

/** A table whose columns record writes, and whose rows record births and deaths. */
export function traceTable(recorder: Recorder, table: TablePart<TableFields>): object {
  const { rows, columns, life, name } = table

  function samestepTracedAdd(values?: { readonly [name: string]: unknown }): number {
    const row = rows.add(values)
    recorder.writeCell(samestepTracedAdd, name, life, row, undefined, 'add')
    for (const column of columns) recorder.writeCell(samestepTracedAdd, name, column, row)
    return row
  }

  function samestepTracedRemove(row: number): void {
    rows.remove(row)
    recorder.writeCell(samestepTracedRemove, name, life, row, undefined, 'remove')
    for (const column of columns) recorder.writeCell(samestepTracedRemove, name, column, row)
  }

  const traced: { [key: PropertyKey]: unknown } = Object.create(rowMethods(rows))
  for (const column of columns) {
    const cells: Cells = traceCells(recorder, name, column)
    Object.defineProperty(traced, column.name, { value: cells, enumerable: true })
  }
  const methods = Object.getPrototypeOf(traced) as { [key: PropertyKey]: unknown }
  methods.add = samestepTracedAdd
  methods.remove = samestepTracedRemove
  return standsFor(traced, rows)
}
