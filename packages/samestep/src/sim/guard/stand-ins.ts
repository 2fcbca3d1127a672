/**
 * What game code has in place of a column, a row or a table while somebody looks at what it writes:
 * who checks the values of cells, and who records them.
 */
import type { TablePart } from '../state/table.ts'
import type { TableFields } from '../state/table-rows.ts'

// biome-ignore lint/complexity/noBannedTypes: any function that game code has, or calls.
type Any = Function

/** What a stand-in stands for. One registry, because a column may be written into another one. */
const originals = new WeakMap<object, object>()

/** Notes that `standIn` is what game code has in place of `original`. */
export function standsFor<T extends object>(standIn: T, original: object): T {
  originals.set(standIn, original)
  return standIn
}

/** Whether game code got this value in place of another. */
export function isStandIn(value: object): boolean {
  return originals.has(value)
}

/** The real thing behind a stand-in; anything else as it is. */
export function unwrap<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  return (originals.get(value) as T | undefined) ?? value
}

/** A callback that is handed the stand-in, not the real cells. */
export function handing(callback: Any, cells: object, proxy: object): unknown {
  return function handed(this: unknown, ...args: unknown[]): unknown {
    const traced = args.map((value) => (value === cells ? proxy : value))
    return Reflect.apply(callback, this, traced)
  }
}

/** What a table can be asked, as it is on the real one. */
export function rowMethods(rows: TablePart<TableFields>['rows']): object {
  return {
    get count() {
      return rows.count
    },
    get rowsMax() {
      return rows.rowsMax
    },
    get rowsUsed() {
      return rows.rowsUsed
    },
    isAlive: (row: number) => rows.isAlive(row),
    first: () => rows.first(),
    next: (row: number) => rows.next(row),
    refOf: (row: number) => rows.refOf(row),
    rowOf: (ref: number) => rows.rowOf(ref),
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  }
}
