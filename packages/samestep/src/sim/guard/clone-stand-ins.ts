import { isStandIn, unwrap } from './stand-ins.ts'

type Clone = (value: unknown, options?: unknown) => unknown

/**
 * Lets `structuredClone` take stand-ins, which it refuses otherwise because it refuses every proxy: a
 * game that copies a part of its state to think ahead must be able to do so while it is traced. Gives
 * the function that puts the real one back.
 */
export function letCloneStandIns(): () => void {
  const host = globalThis as unknown as { structuredClone: Clone }
  const was = Object.getOwnPropertyDescriptor(host, 'structuredClone')
  const real = was?.value as Clone | undefined
  if (typeof real !== 'function' || was?.configurable !== true) return () => {}
  const clone: Clone = (value, options) => real(unwrapDeep(value, 0), options)
  Object.defineProperty(host, 'structuredClone', { ...was, value: clone })
  return () => {
    if (host.structuredClone === clone) Object.defineProperty(host, 'structuredClone', was)
  }
}

/** Nesting that is followed: deeper than any plain state. */
const depthMax = 32

/** The same value without stand-ins in it; a copy only where it had some. */
function unwrapDeep(given: unknown, depth: number): unknown {
  const value = unwrap(given)
  if (typeof value !== 'object' || value === null || depth === depthMax) return value
  if (!holdsStandIn(value, depth)) return value
  const inner = (item: unknown): unknown => unwrapDeep(item, depth + 1)
  if (Array.isArray(value)) return value.map(inner)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, inner(item)]))
  if (value instanceof Set) return new Set([...value].map(inner))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))
}

function holdsStandIn(value: object, depth: number): boolean {
  if (ArrayBuffer.isView(value) || depth === depthMax) return false
  const items = value instanceof Map || value instanceof Set ? value.values() : Object.values(value)
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue
    if (isStandIn(item) || holdsStandIn(item, depth + 1)) return true
  }
  return false
}
