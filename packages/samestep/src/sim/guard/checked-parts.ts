/** What game code gets in place of tables, singles and queues while values are checked. */
import type { Column } from '../state/columns.ts'
import type { QueuePart } from '../state/queue.ts'
import type { SinglePart } from '../state/single.ts'
import type { TablePart } from '../state/table.ts'
import type { TableFields } from '../state/table-rows.ts'
import type { CellListener, WrittenCell } from './checked-cells.ts'
import { checkCells } from './checked-cells.ts'
import { rowMethods, standsFor } from './stand-ins.ts'

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that game code called.
type Any = Function

type Values = { readonly [name: string]: unknown }

/** Hears of values that belong to a field, not to a cell: those of `add`, `push` and singles. */
export interface ValueListener extends CellListener {
  /** False while the function that runs is not checked: it then gets the columns themselves. */
  readonly isOn: boolean
  /** A value was given for a name that no field has. `above` is the function that game code called. */
  named(above: Any, at: StrayName, value: unknown): void
}

/** A name that no field of a part has. */
export interface StrayName {
  readonly part: string
  readonly columns: readonly Column[]
  readonly row: number
  readonly name: string
}

/** A table whose columns tell of what is written to them. */
export function checkTable(listener: ValueListener, table: TablePart<TableFields>): object {
  const { rows, columns, name } = table

  function samestepCheckedAdd(values?: Values): number {
    const row = rows.add(values)
    if (values === undefined) return row
    for (const column of columns) {
      const at = { part: name, column, row }
      tell(listener, samestepCheckedAdd, at, values[column.name], column.cells[row])
    }
    tellStrayNames(listener, samestepCheckedAdd, { part: name, columns, row }, values)
    return row
  }

  const methods = rowMethods(rows) as { [key: PropertyKey]: unknown }
  methods.add = samestepCheckedAdd
  methods.remove = (row: number) => rows.remove(row)
  const checked = Object.create(methods) as object
  for (const column of columns) {
    const cells = checkCells(listener, name, column)
    Object.defineProperty(checked, column.name, {
      enumerable: true,
      get: () => (listener.isOn ? cells : column.cells),
    })
  }
  return standsFor(checked, rows)
}

/** The single row, with properties that tell of what is written to them. */
export function checkSingle(listener: ValueListener, part: SinglePart<TableFields>): object {
  const live = part.live as { [name: string]: unknown }
  const row = {}
  for (const column of part.columns) {
    const { name, cells } = column
    const set = function samestepCheckedSet(value: unknown): void {
      live[name] = value
      tell(
        listener,
        samestepCheckedSet,
        { part: part.name, column, row: undefined },
        value,
        cells[0],
      )
    }
    Object.defineProperty(row, name, { enumerable: true, get: () => live[name], set })
  }
  return standsFor(Object.seal(row), live)
}

/** A queue that tells of what is pushed. */
export function checkQueue(listener: ValueListener, part: QueuePart<TableFields>): object {
  function samestepCheckedPush(values: Values): boolean {
    const row = part.count
    const isTaken = part.push(values as never)
    if (!isTaken) return false
    const { name, columns } = part
    for (const column of columns) {
      const at = { part: name, column, row }
      tell(listener, samestepCheckedPush, at, values[column.name], part.cellAt(column, row))
    }
    tellStrayNames(listener, samestepCheckedPush, { part: name, columns, row }, values)
    return true
  }
  const checked = {
    get count() {
      return part.count
    },
    itemsMax: part.itemsMax,
    push: samestepCheckedPush,
    run: (budget: number, work: (item: never) => number) => part.run(budget, work as never),
    clear: () => part.clear(),
  }
  return standsFor(checked, part)
}

/** A field that was left out has its default; words and yes or no are for their field to judge. */
function tell(
  listener: ValueListener,
  above: Any,
  at: WrittenCell,
  value: unknown,
  kept: number | undefined,
): void {
  const { column } = at
  if (value === undefined || column.field.accepts(value) || listener.fits(column, value)) return
  listener.wrote(above, at, value, kept as number)
}

function tellStrayNames(
  listener: ValueListener,
  above: Any,
  at: Omit<StrayName, 'name'>,
  values: Values,
): void {
  for (const name of Object.keys(values)) {
    if (at.columns.some((column) => column.name === name)) continue
    listener.named(above, { ...at, name }, values[name])
  }
}
