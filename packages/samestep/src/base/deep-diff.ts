/**
 * Compares two values of any shape, by structure. Derived data and custom parts are the game's own
 * objects, of which nothing else is known: fields, elements, members of Maps and Sets in their
 * sequence, cells of typed arrays. What a class keeps private (`#field`) cannot be seen and is not
 * compared.
 */

/** One place in which two values differ. */
export interface DeepDifference {
  /** `.heat[3]`, from the outermost value on. */
  readonly path: string
  readonly a: unknown
  readonly b: unknown
  /** `sequence`: a Map or Set has the same members in another sequence. */
  readonly kind: 'value' | 'sequence'
}

/** A world of objects is compared every tick: this much of it, about a millisecond. */
const nodesMax = 50_000
const differencesMax = 8

/** The places in which two values differ, at most eight. */
export function deepDiff(a: unknown, b: unknown): DeepDifference[] {
  const walk = new Walk()
  walk.compare('', a, b)
  return walk.found
}

class Walk {
  readonly found: DeepDifference[] = []
  /** Pairs on the way: values that contain themselves end. */
  readonly #seen = new Map<object, Set<object>>()
  #nodes = 0

  compare(path: string, a: unknown, b: unknown): void {
    this.#nodes += 1
    if (this.found.length >= differencesMax || this.#nodes > nodesMax || isSame(a, b)) return
    if (!isObject(a) || !isObject(b) || tagOf(a) !== tagOf(b)) this.#report(path, a, b)
    else if (!this.#isVisited(a, b)) this.#compareObjects(path, a, b)
  }

  #compareObjects(path: string, a: object, b: object): void {
    if (typeof a === 'function') return
    if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) this.#compareCells(path, a, b)
    else if (Array.isArray(a) && Array.isArray(b)) this.#compareLists(path, a, b)
    else if (a instanceof Map && b instanceof Map) this.#compareMaps(path, a, b)
    else if (a instanceof Set && b instanceof Set) this.#compareSets(path, a, b)
    else this.#compareFields(path, a, b)
  }

  #compareCells(path: string, a: ArrayBufferView, b: ArrayBufferView): void {
    if (a instanceof DataView || b instanceof DataView) return
    const left = a as Uint8Array
    const right = b as Uint8Array
    if (left.length !== right.length) this.#report(`${path}.length`, left.length, right.length)
    const length = Math.min(left.length, right.length)
    for (let index = 0; index < length; index++) {
      if (isSame(left[index], right[index])) continue
      this.#report(`${path}[${index}]`, left[index], right[index])
      return
    }
  }

  #compareLists(path: string, a: readonly unknown[], b: readonly unknown[]): void {
    if (a.length !== b.length) this.#report(`${path}.length`, a.length, b.length)
    const length = Math.min(a.length, b.length)
    for (let index = 0; index < length; index++) {
      this.compare(`${path}[${index}]`, a[index], b[index])
    }
  }

  #compareMaps(path: string, a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>) {
    if (!this.#compareSequences(path, [...a.keys()], [...b.keys()])) return
    for (const [key, value] of a) this.compare(`${path}.get(${show(key)})`, value, b.get(key))
  }

  #compareSets(path: string, a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): void {
    this.#compareSequences(path, [...a], [...b])
  }

  /** False when the members themselves differ, so that looking into them says nothing more. */
  #compareSequences(path: string, a: readonly unknown[], b: readonly unknown[]): boolean {
    // Members that are objects have no identity across two copies; their places stand for them.
    if (a.some(isObject) || b.some(isObject)) {
      this.#compareLists(path, a, b)
      return false
    }
    if (a.length === b.length && a.every((member, index) => isSame(member, b[index]))) return true
    const members = new Set(b)
    const isReordered = a.length === b.length && a.every((member) => members.has(member))
    if (isReordered) this.found.push({ path, a, b, kind: 'sequence' })
    else this.#report(path, a, b)
    return isReordered
  }

  #compareFields(path: string, a: object, b: object): void {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)])
    for (const key of keys) this.compare(`${path}.${key}`, fieldOf(a, key), fieldOf(b, key))
  }

  #isVisited(a: object, b: object): boolean {
    const seen = this.#seen.get(a) ?? new Set()
    this.#seen.set(a, seen)
    if (seen.has(b)) return true
    seen.add(b)
    return false
  }

  #report(path: string, a: unknown, b: unknown): void {
    this.found.push({ path, a, b, kind: 'value' })
  }
}

function fieldOf(object: object, key: string): unknown {
  return (object as { readonly [key: string]: unknown })[key]
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** As state is compared: all NaNs are one, and -0 is 0. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value)
}

/** A value in few words. */
export function show(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'function') return 'a function'
  if (value instanceof Map) return `Map ${show([...value.keys()])}`
  if (value instanceof Set) return `Set ${show([...value])}`
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
