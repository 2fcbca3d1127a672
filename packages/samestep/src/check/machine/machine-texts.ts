/**
 * The words of an engine. What an engine throws by itself it says in its own words: V8's "Cannot read
 * properties of null" is "can't access property" in Firefox. A game that keeps such a text, or its
 * length, has another state there. The loader hands whatever a `catch` of the game catches to
 * {@link caughtName}, so that the other machine can have other words.
 */
import type { MachineState, Patch } from './machine-state.ts'

/** The global function that instrumented code calls. */
export const caughtName = '__samestepCaught'

const engineErrors = [
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
] as const

/** Errors by the game's own `new`: their messages are its own words. */
export function textPatches(machine: MachineState): Patch[] {
  const made = new WeakSet<object>()
  const read = (error: Error, key: PropertyKey): unknown => {
    const value: unknown = Reflect.get(error, key, error)
    if (typeof value !== 'string' || !isEngineText(error, key, made)) return value
    machine.note('texts', `error.${String(key)}`, read)
    return machine.isOther('texts') ? `${value} (in the words of another engine)` : value
  }
  const caught = (error: unknown): unknown =>
    error instanceof Error ? new Proxy(error, { get: read }) : error
  return [
    { target: globalThis, key: caughtName, value: caught },
    ...engineErrors.map((key): Patch => {
      const Real = globalThis[key]
      const value = new Proxy(Real, {
        apply: (_, __, values) => keep(made, Reflect.construct(Real, values)),
        construct: (_, values) => keep(made, Reflect.construct(Real, values)),
      })
      return { target: globalThis, key, value }
    }),
  ]
}

function keep(made: WeakSet<object>, error: object): object {
  made.add(error)
  return error
}

function isEngineText(error: Error, key: PropertyKey, made: WeakSet<object>): boolean {
  if (key === 'stack') return true
  if (key !== 'message' || made.has(error)) return false
  const prototype: unknown = Object.getPrototypeOf(error)
  return engineErrors.some((name) => globalThis[name].prototype === prototype)
}
