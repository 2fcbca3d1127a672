import { handing, standsFor, unwrap } from '../guard/stand-ins.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Column } from '../state/columns.ts'
import type { Recorder } from './recorder.ts'

/** Methods of a typed array that change it. All others are run as they are. */
const changingMethods: ReadonlySet<PropertyKey> = new Set([
  'set',
  'fill',
  'sort',
  'reverse',
  'copyWithin',
])

/** What is traced: a column, or a run of its rows that `subarray` cut out. */
interface TracedRun {
  readonly part: string
  readonly column: Column
  readonly cells: Cells
  /** The row of the first cell. */
  readonly firstRow: number
}

/**
 * A column that records writes. It reads, converts and rounds like the typed array behind it, because
 * that array does all of it.
 *
 * What it is not is a typed array for functions that look behind the surface: `Atomics`, or a method
 * borrowed from another array. Views made on its `buffer` write to the state unseen; the trace finds
 * that out at the end of the system, without the line.
 */
export function traceCells(recorder: Recorder, part: string, column: Column): Cells {
  return traceRun(recorder, { part, column, cells: column.cells, firstRow: 0 })
}

function traceRun(recorder: Recorder, run: TracedRun): Cells {
  const { part, column, cells, firstRow } = run
  const methods = new Map<PropertyKey, unknown>()

  function samestepTracedSet(target: Cells, key: string | symbol, value: unknown): boolean {
    const index = indexOf(key)
    // Outside of the column a write changes nothing, as with any typed array.
    if (index < 0 || index >= target.length) return Reflect.set(target, key, value)
    const before = target[index] as number
    target[index] = value as number
    recorder.writeCell(samestepTracedSet, part, column, firstRow + index, before)
    return true
  }

  function samestepTracedDefine(
    target: Cells,
    key: string | symbol,
    descriptor: PropertyDescriptor,
  ): boolean {
    const index = indexOf(key)
    const before = index < 0 ? 0 : (target[index] as number)
    const isDone = Reflect.defineProperty(target, key, descriptor)
    if (isDone && index >= 0) {
      recorder.writeCell(samestepTracedDefine, part, column, firstRow + index, before)
    }
    return isDone
  }

  const proxy: Cells = new Proxy(cells, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function' || key === 'constructor') return value
      let method = methods.get(key)
      if (method === undefined) {
        method = changingMethods.has(key)
          ? changingMethod(recorder, run, proxy, value)
          : readingMethod(recorder, run, proxy, key, value)
        methods.set(key, method)
      }
      return method
    },
    set: samestepTracedSet,
    defineProperty: samestepTracedDefine,
  })
  return standsFor(proxy, cells)
}

/** A row number written as a key; -1 for any other key. */
function indexOf(key: string | symbol): number {
  if (typeof key !== 'string') return -1
  const index = Number(key)
  return Number.isInteger(index) && index >= 0 && String(index) === key ? index : -1
}

// biome-ignore lint/complexity/noBannedTypes: a method of a typed array, whichever.
type Method = Function

/** Runs a method on the real cells, and records every cell that is another one afterwards. */
function changingMethod(recorder: Recorder, run: TracedRun, proxy: Cells, method: Method): unknown {
  const { part, column, cells, firstRow } = run
  return function samestepTracedMethod(...given: unknown[]): unknown {
    const before = cells.slice()
    try {
      const result: unknown = Reflect.apply(method, cells, given.map(unwrap))
      return result === cells ? proxy : result
    } finally {
      // Also when it threw: what a comparator's throw left behind stays.
      for (let index = 0; index < cells.length; index++) {
        const old = before[index] as number
        if (Object.is(old, cells[index])) continue
        recorder.writeCell(samestepTracedMethod, part, column, firstRow + index, old)
      }
    }
  }
}

/** Runs a method on the real cells. Callbacks are handed the traced column, not the real one. */
function readingMethod(
  recorder: Recorder,
  run: TracedRun,
  proxy: Cells,
  key: PropertyKey,
  method: Method,
): unknown {
  const { cells, firstRow } = run
  if (key === 'subarray') {
    return (from?: number, to?: number) => {
      const cut = cells.subarray(from, to)
      const skipped = (cut.byteOffset - cells.byteOffset) / cells.BYTES_PER_ELEMENT
      return traceRun(recorder, { ...run, cells: cut, firstRow: firstRow + skipped })
    }
  }
  return (...given: unknown[]): unknown => {
    const args = given.map((value) =>
      typeof value === 'function' ? handing(value, cells, proxy) : unwrap(value),
    )
    return Reflect.apply(method, cells, args)
  }
}
