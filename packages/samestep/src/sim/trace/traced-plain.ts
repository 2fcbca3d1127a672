import { isStandIn, standsFor, unwrap } from '../guard/stand-ins.ts'
import type { Recorder } from './recorder.ts'
import type { TraceKind } from './trace-entry.ts'
import { valueJson } from './value-json.ts'

/**
 * Nested objects, arrays, Maps and Sets that record writes. Stand-ins are made as they are reached and
 * kept, so that the same object is the same stand-in every time; game code that compares two things it
 * got from `state` gets the same answer as without tracing.
 *
 * A list that the game made of stand-ins, as `filter` does, is put into the state as it is: what is in
 * it still has to be what the game knows. An object that the game made itself, put into the state and
 * still holds is not its stand-in: writes through it are found at the end of the system only, and
 * `===` between the two is false.
 */

/** How an object was reached last: objects move inside lists, and a name from last tick misleads. */
interface Reached {
  parent: Reached | undefined
  /** Text behind the parent's path: `.cards`, `[3]`, `.get(7)`. */
  step: string
  /** Whether the parent is a Map or Set, whose contents have no path of their own in a diff. */
  isInside: boolean
}

/** The stand-ins for one plain value. */
export class TracedPlain {
  readonly #recorder: Recorder
  readonly #part: string
  /** By the real object, and by its stand-in, which lists of the game's may hold. */
  readonly #known = new WeakMap<object, { readonly standIn: object; readonly reached: Reached }>()

  constructor(recorder: Recorder, part: string) {
    this.#recorder = recorder
    this.#part = part
  }

  /** The stand-in for the outermost object. */
  wrap<T extends object>(value: T): T {
    return this.#standIn(value, undefined, '', false)
  }

  #standIn<T>(value: T, parent: Reached | undefined, step: string, isInside: boolean): T {
    if (typeof value !== 'object' || value === null) return value
    const known = this.#known.get(value)
    if (known !== undefined) {
      known.reached.parent = parent
      known.reached.step = step
      known.reached.isInside = isInside
      return known.standIn as T
    }
    // One of another part: it records under its own name.
    if (isStandIn(value)) return value
    const reached: Reached = { parent, step, isInside }
    const standIn = standsFor(this.#make(value, reached), value)
    const made = { standIn, reached }
    this.#known.set(value, made)
    this.#known.set(standIn, made)
    return standIn as T
  }

  #make(value: object, reached: Reached): object {
    if (value instanceof Map) return this.#traceMap(value, reached)
    if (value instanceof Set) return this.#traceSet(value, reached)
    if (ArrayBuffer.isView(value)) return this.#traceBytes(value as Uint8Array, reached)
    return this.#traceObject(value as Members, reached)
  }

  #record(
    above: (...args: never[]) => unknown,
    kind: TraceKind,
    reached: Reached,
    step: string,
    before: unknown,
    after: unknown,
  ): void {
    const write = {
      kind,
      part: this.#part,
      field: fieldText(reached, step),
      before: valueJson(before),
      after: valueJson(after),
    }
    this.#recorder.writePlain(above, write, explainedText(reached, step), after)
  }

  #traceObject(value: Members, reached: Reached): object {
    const trace = this
    const stepTo = (key: PropertyKey): string =>
      Array.isArray(value) && key !== 'length' ? `[${String(key)}]` : `.${String(key)}`

    function samestepTracedSet(
      target: Members,
      key: string | symbol,
      given: unknown,
      receiver: unknown,
    ): boolean {
      // An object that inherits from a stand-in is written itself.
      if (unwrap(receiver) !== target) return Reflect.set(target, key, given, receiver)
      const before = target[key as string]
      const after = unwrap(given)
      const isSet = Reflect.set(target, key, after)
      if (isSet) trace.#record(samestepTracedSet, 'set', reached, stepTo(key), before, after)
      return isSet
    }

    function samestepTracedDefine(
      target: Members,
      key: string | symbol,
      descriptor: PropertyDescriptor,
    ): boolean {
      const before = target[key as string]
      const real = 'value' in descriptor ? { value: unwrap(descriptor.value) } : {}
      const isSet = Reflect.defineProperty(target, key, { ...descriptor, ...real })
      const after = target[key as string]
      if (isSet) trace.#record(samestepTracedDefine, 'set', reached, stepTo(key), before, after)
      return isSet
    }

    function samestepTracedDelete(target: Members, key: string | symbol): boolean {
      const before = target[key as string]
      const has = Object.hasOwn(target, key)
      const isGone = Reflect.deleteProperty(target, key)
      if (has && isGone) {
        trace.#record(samestepTracedDelete, 'delete', reached, stepTo(key), before, undefined)
      }
      return isGone
    }

    return new Proxy(value, {
      get(target, key, receiver) {
        const inner: unknown = Reflect.get(target, key, receiver)
        if (typeof inner === 'function') {
          return Array.isArray(target) && searchMethods.has(key) ? searching(target, inner) : inner
        }
        // What can never change must be shown as it is, or the engine refuses to show it at all.
        if (isFixed(target, key)) return inner
        return trace.#standIn(inner, reached, stepTo(key), false)
      },
      set: samestepTracedSet,
      defineProperty: samestepTracedDefine,
      deleteProperty: samestepTracedDelete,
    })
  }

  #traceBytes(bytes: Uint8Array, reached: Reached): object {
    const trace = this
    function samestepTracedSet(target: Uint8Array, key: string | symbol, value: unknown): boolean {
      const before = Reflect.get(target, key)
      const isSet = Reflect.set(target, key, value)
      const step = `[${String(key)}]`
      trace.#record(samestepTracedSet, 'set', reached, step, before, Reflect.get(target, key))
      return isSet
    }
    const proxy: object = new Proxy(bytes, {
      get(target, key) {
        const inner: unknown = Reflect.get(target, key)
        if (typeof inner !== 'function' || key === 'constructor') return inner
        return function samestepTracedMethod(...args: unknown[]): unknown {
          const before = target.slice()
          const result: unknown = Reflect.apply(inner, target, args.map(unwrap))
          target.forEach((after, index) => {
            const old = before[index]
            if (old === after) return
            trace.#record(samestepTracedMethod, 'set', reached, `[${index}]`, old, after)
          })
          return result === target ? proxy : result
        }
      },
      set: samestepTracedSet,
    })
    return proxy
  }

  #traceMap(map: Map<unknown, unknown>, reached: Reached): object {
    const trace = this
    const stepTo = (key: unknown): string => `.get(${JSON.stringify(valueJson(key))})`
    const inside = (key: unknown, value: unknown): unknown =>
      trace.#standIn(value, reached, stepTo(key), true)
    const methods: { [name: PropertyKey]: unknown } = {
      get: (key: unknown) => inside(unwrap(key), map.get(unwrap(key))),
      has: (key: unknown) => map.has(unwrap(key)),
      set: function samestepTracedSet(key: unknown, value: unknown) {
        const before = map.get(unwrap(key))
        map.set(unwrap(key), unwrap(value))
        trace.#record(samestepTracedSet, 'set', reached, stepTo(key), before, unwrap(value))
        return proxy
      },
      delete: function samestepTracedDelete(key: unknown) {
        const before = map.get(unwrap(key))
        const isGone = map.delete(unwrap(key))
        if (isGone) {
          trace.#record(samestepTracedDelete, 'delete', reached, stepTo(key), before, undefined)
        }
        return isGone
      },
      clear: function samestepTracedClear() {
        const before = map.size
        map.clear()
        trace.#record(samestepTracedClear, 'delete', reached, '.size', before, 0)
      },
      forEach(visit: (value: unknown, key: unknown, map: unknown) => void, self?: unknown) {
        map.forEach((value, key) => {
          Reflect.apply(visit, self, [inside(key, value), key, proxy])
        })
      },
      *values() {
        for (const [key, value] of map) yield inside(key, value)
      },
      *entries() {
        for (const [key, value] of map) yield [key, inside(key, value)]
      },
      *[Symbol.iterator]() {
        for (const [key, value] of map) yield [key, inside(key, value)]
      },
    }
    const proxy: object = collectionProxy(map, methods)
    return proxy
  }

  #traceSet(set: Set<unknown>, reached: Reached): object {
    const trace = this
    const stepTo = (value: unknown): string => `.has(${JSON.stringify(valueJson(value))})`
    const methods: { [name: PropertyKey]: unknown } = {
      has: (value: unknown) => set.has(unwrap(value)),
      add: function samestepTracedAdd(value: unknown) {
        const had = set.has(unwrap(value))
        set.add(unwrap(value))
        trace.#record(samestepTracedAdd, 'set', reached, stepTo(value), had, true)
        return proxy
      },
      delete: function samestepTracedDelete(value: unknown) {
        const isGone = set.delete(unwrap(value))
        if (isGone)
          trace.#record(samestepTracedDelete, 'delete', reached, stepTo(value), true, false)
        return isGone
      },
      clear: function samestepTracedClear() {
        const before = set.size
        set.clear()
        trace.#record(samestepTracedClear, 'delete', reached, '.size', before, 0)
      },
      forEach(visit: (value: unknown, again: unknown, set: unknown) => void, self?: unknown) {
        set.forEach((value) => {
          Reflect.apply(visit, self, [value, value, proxy])
        })
      },
    }
    const proxy: object = collectionProxy(set, methods)
    return proxy
  }
}

/** The members of an object, or the items of a list. */
type Members = { [key: string]: unknown }

/** Methods that find an item by identity: they run on the real list, with the real item. */
const searchMethods: ReadonlySet<PropertyKey> = new Set(['indexOf', 'lastIndexOf', 'includes'])

// biome-ignore lint/complexity/noBannedTypes: a method of a list.
function searching(target: readonly unknown[], method: Function): unknown {
  return (...args: unknown[]): unknown =>
    Reflect.apply(method, target.map(unwrap), args.map(unwrap))
}

function isFixed(target: object, key: PropertyKey): boolean {
  if (Object.isExtensible(target)) return false
  const own = Object.getOwnPropertyDescriptor(target, key)
  return own?.configurable === false && own.writable === false
}

function collectionProxy(
  collection: Map<unknown, unknown> | Set<unknown>,
  methods: { readonly [name: PropertyKey]: unknown },
): object {
  return new Proxy(collection, {
    get(target, key) {
      if (Object.hasOwn(methods, key)) return methods[key]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The path of a member, without the dot that it would begin with. */
function fieldText(reached: Reached, step: string): string {
  let text = step
  for (let at: Reached | undefined = reached; at !== undefined; at = at.parent)
    text = at.step + text
  return text.startsWith('.') ? text.slice(1) : text
}

/** The path up to the first Map or Set on the way, and without a list's length. */
function explainedText(reached: Reached, step: string): string {
  let outermost: Reached | undefined
  for (let at: Reached | undefined = reached; at !== undefined; at = at.parent) {
    if (at.isInside) outermost = at.parent
  }
  if (outermost !== undefined) return fieldText(outermost, '')
  return /^\.(?:length|size|get\(|has\()/.test(step)
    ? fieldText(reached, '')
    : fieldText(reached, step)
}
