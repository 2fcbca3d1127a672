import type { Json } from '../schema/field.ts'

/** Nesting that is followed: deeper than any plain state, and it ends objects that hold themselves. */
const depthMax = 32

/**
 * Any value as JSON that tells every two values apart which a state tells apart: NaN, infinities and
 * negative zero by name when nested, Maps as lists of pairs, Sets and bytes as lists. A number alone
 * stays the number that it is.
 */
export function valueJson(value: unknown): Json {
  return typeof value === 'number' ? value : nestedJson(value, 0)
}

function nestedJson(value: unknown, depth: number): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return '-0'
    return Number.isFinite(value) ? value : String(value)
  }
  if (typeof value !== 'object') return String(value)
  if (depth === depthMax) return '…'
  const inner = (item: unknown): Json => nestedJson(item, depth + 1)
  if (value instanceof Map) return [...value].map(([key, item]) => [inner(key), inner(item)])
  if (value instanceof Set) return [...value].map(inner)
  if (Array.isArray(value)) return value.map(inner)
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array, inner)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))
}
