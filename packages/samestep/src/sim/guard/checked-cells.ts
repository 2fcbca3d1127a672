import type { Cells } from '../snapshot/section.ts'
import type { Column } from '../state/columns.ts'
import { handing, standsFor, unwrap } from './stand-ins.ts'

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that game code called.
type Any = Function

/** A cell that was written: its column, and its row where there are rows. */
export interface WrittenCell {
  readonly part: string
  readonly column: Column
  readonly row: number | undefined
}

/** Where checked columns, rows and queues report to. */
export interface CellListener {
  /** Cells that were read or written through a stand-in, for bounding what that costs. */
  accesses: number
  /** Whether a value may stand in a column as it is. Allocates nothing, because every write asks. */
  fits(column: Column, given: unknown): boolean
  /** A value was written that does not fit. `above` is the function that game code called. */
  wrote(above: Any, at: WrittenCell, given: unknown, kept: number): void
}

/** A column, or a run of its rows that `subarray` cut out. */
interface CheckedRun {
  readonly part: string
  readonly column: Column
  readonly cells: Cells
  /** The row of the first cell. */
  readonly firstRow: number
}

/**
 * A column that tells what was written to it, before the typed array behind it made a number of it
 * that fits: 300 in a column of bytes is 44 a moment later, and nobody could tell.
 */
export function checkCells(listener: CellListener, part: string, column: Column): Cells {
  return checkRun(listener, { part, column, cells: column.cells, firstRow: 0 })
}

function checkRun(listener: CellListener, run: CheckedRun): Cells {
  const { part, column, cells, firstRow } = run
  const methods = new Map<PropertyKey, unknown>()

  function samestepCheckedSet(target: Cells, key: string | symbol, value: unknown): boolean {
    if (typeof key !== 'string' || !isIndex(key)) return Reflect.set(target, key, value)
    const index = Number(key)
    listener.accesses += 1
    // Outside of the column a write changes nothing, as with any typed array.
    target[index] = value as number
    if (index < target.length && !listener.fits(column, value)) {
      const at = { part, column, row: firstRow + index }
      listener.wrote(samestepCheckedSet, at, value, target[index] as number)
    }
    return true
  }

  const proxy: Cells = new Proxy(cells, {
    get(target, key) {
      if (typeof key === 'string' && isIndex(key)) {
        listener.accesses += 1
        return target[key as never]
      }
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function' || key === 'constructor') return value
      let method = methods.get(key)
      if (method === undefined) {
        method = checkedMethod(listener, run, proxy, key, value)
        methods.set(key, method)
      }
      return method
    },
    set: samestepCheckedSet,
  })
  return standsFor(proxy, cells)
}

/** Whether a key names a row. Cheap, because every access asks. */
function isIndex(key: string): boolean {
  const first = key.charCodeAt(0)
  return first >= 48 && first <= 57
}

/** A method of the column, run on the real cells. */
function checkedMethod(
  listener: CellListener,
  run: CheckedRun,
  proxy: Cells,
  key: PropertyKey,
  method: Any,
): unknown {
  const { cells, firstRow } = run
  const plain = (...given: unknown[]): unknown => {
    const args = given.map((value) =>
      typeof value === 'function' ? handing(value, cells, proxy) : unwrap(value),
    )
    const result: unknown = Reflect.apply(method, cells, args)
    return result === cells ? proxy : result
  }
  if (key === 'subarray') {
    return (from?: number, to?: number) => {
      const cut = cells.subarray(from, to)
      const skipped = (cut.byteOffset - cells.byteOffset) / cells.BYTES_PER_ELEMENT
      return checkRun(listener, { ...run, cells: cut, firstRow: firstRow + skipped })
    }
  }
  if (key === 'fill') return filling(listener, run, plain)
  return key === 'set' ? setting(listener, run, plain) : plain
}

type Plain = (...given: unknown[]) => unknown

function filling(listener: CellListener, run: CheckedRun, fill: Plain): unknown {
  const { part, column, cells, firstRow } = run
  return function samestepCheckedFill(value: unknown, from?: number, to?: number): unknown {
    const result = fill(value, from, to)
    const filled = cells.subarray(from, to)
    const skipped = (filled.byteOffset - cells.byteOffset) / cells.BYTES_PER_ELEMENT
    // One value for all of them: the first stands for the rest.
    if (filled.length > 0 && !listener.fits(column, value)) {
      const at = { part, column, row: firstRow + skipped }
      listener.wrote(samestepCheckedFill, at, value, filled[0] as number)
    }
    return result
  }
}

function setting(listener: CellListener, run: CheckedRun, set: Plain): unknown {
  const { part, column, cells, firstRow } = run
  return function samestepCheckedSetAll(source: ArrayLike<unknown>, offset = 0): void {
    // A column may be set from itself: what it held is gone behind the call.
    const given = Array.from(unwrap(source))
    set(source, offset)
    for (const [index, value] of given.entries()) {
      if (listener.fits(column, value)) continue
      const at = { part, column, row: firstRow + offset + index }
      listener.wrote(samestepCheckedSetAll, at, value, cells[offset + index] as number)
    }
  }
}
