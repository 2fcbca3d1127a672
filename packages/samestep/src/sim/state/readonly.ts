import { UsageError } from '../../base/errors.ts'
import type { Cells } from '../snapshot/section.ts'
import type { Column } from './columns.ts'
import type { TableRows } from './table-rows.ts'

/**
 * Views that throw when they are written to. Only made in development: a proxied cell costs some
 * hundred times a plain one, and in production the compiler has already refused the write.
 */

function refuse(what: string): never {
  throw new UsageError(
    'SS_READONLY_VIEW',
    `Cannot write ${what} from outside a tick: the simulation's state changes only in step; issue an order instead`,
  )
}

const mutatingMethods: ReadonlySet<PropertyKey> = new Set([
  'set',
  'fill',
  'sort',
  'reverse',
  'copyWithin',
])

/** A column that can be read like the real one; every write throws `SS_READONLY_VIEW`. */
export function readonlyCells(name: string, cells: Cells): Cells {
  return new Proxy(cells, {
    get(target, key) {
      if (mutatingMethods.has(key)) return () => refuse(name)
      // A view made by subarray, or the buffer itself, would be a way round the guard.
      if (key === 'buffer') return target.slice().buffer
      if (key === 'subarray') return (from?: number, to?: number) => target.slice(from, to)
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (_target, key) => refuse(`${name}[${String(key)}]`),
    defineProperty: (_target, key) => refuse(`${name}[${String(key)}]`),
    deleteProperty: (_target, key) => refuse(`${name}[${String(key)}]`),
  })
}

/** A table whose columns and rows cannot be changed through it. */
export function readonlyTable(
  name: string,
  rows: TableRows,
  columns: readonly Column[],
): TableRows {
  const wrapped = new Map<PropertyKey, unknown>()
  for (const column of columns) {
    wrapped.set(column.name, readonlyCells(`${name}.${column.name}`, column.cells))
  }
  wrapped.set('add', () => refuse(`a new row of ${name}`))
  wrapped.set('remove', () => refuse(`a row of ${name}`))
  // The target is an empty object: a proxy may not answer with another value for a property that its
  // target has and cannot change, and the real columns are exactly that.
  return new Proxy({} as TableRows, {
    get(_target, key) {
      if (wrapped.has(key)) return wrapped.get(key)
      const value: unknown = Reflect.get(rows, key, rows)
      return typeof value === 'function' ? value.bind(rows) : value
    },
    has: (_target, key) => key in rows,
    ownKeys: () => Reflect.ownKeys(rows),
    getOwnPropertyDescriptor: (_target, key) =>
      Object.hasOwn(rows, key)
        ? { value: wrapped.get(key), enumerable: true, configurable: true, writable: false }
        : undefined,
    set: (_target, key) => refuse(`${name}.${String(key)}`),
    defineProperty: (_target, key) => refuse(`${name}.${String(key)}`),
    deleteProperty: (_target, key) => refuse(`${name}.${String(key)}`),
  })
}

/**
 * Nested objects, arrays, Maps and Sets that cannot be changed through the wrapper. Wrappers are made
 * as they are reached, so that an untouched branch costs nothing.
 */
export function readonlyDeep<T>(name: string, value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map || value instanceof Set) return readonlyCollection(name, value) as T
  if (ArrayBuffer.isView(value)) return readonlyCells(name, value as unknown as Cells) as T
  return new Proxy(value, {
    get(target, key) {
      const inner: unknown = Reflect.get(target, key)
      if (typeof inner === 'function') return guardArrayMethod(name, target, key, inner)
      return readonlyDeep(`${name}.${String(key)}`, inner)
    },
    set: (_target, key) => refuse(`${name}.${String(key)}`),
    defineProperty: (_target, key) => refuse(`${name}.${String(key)}`),
    deleteProperty: (_target, key) => refuse(`${name}.${String(key)}`),
    setPrototypeOf: () => refuse(name),
  })
}

function guardArrayMethod(
  name: string,
  target: object,
  key: PropertyKey,
  method: unknown,
): unknown {
  // Array methods run on the proxy, so that a mutating one meets its set trap; and so that a callback
  // is handed guarded elements.
  return Array.isArray(target)
    ? method
    : () => refuse(`${name}.${String(key)} (a method of a state object)`)
}

function readonlyCollection<T extends Map<unknown, unknown> | Set<unknown>>(
  name: string,
  collection: T,
): T {
  return new Proxy(collection, {
    get(target, key) {
      if (key === 'set' || key === 'add' || key === 'delete' || key === 'clear') {
        return () => refuse(name)
      }
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      if (key === 'get') return (item: unknown) => readonlyDeep(name, value.call(target, item))
      return value.bind(target)
    },
    set: (_target, key) => refuse(`${name}.${String(key)}`),
  })
}
