/** What engines compute differently, or leave to chance. */
import { realOf } from './host-hooks.ts'
import type { MachineState, Patch } from './machine-state.ts'

/** Chance: the same for every copy on a plain machine, another on the other. */
export function randomPatches(machine: MachineState): Patch[] {
  const random = (): number => {
    machine.note('random', 'Math.random', random)
    return machine.prng().unit()
  }
  const patches: Patch[] = [{ target: Math, key: 'random', value: random, isHooked: true }]
  const crypto = (globalThis as { readonly crypto?: object }).crypto
  if (crypto === undefined) return patches
  const target = ownerOf(crypto, 'getRandomValues')
  if (target === undefined) return patches
  const fill = (array: ArrayBufferView): ArrayBufferView => {
    machine.note('random', 'crypto.getRandomValues', fill)
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    for (let index = 0; index < bytes.length; index++) bytes[index] = machine.prng().below(256)
    return array
  }
  const uuid = (): string => {
    machine.note('random', 'crypto.randomUUID', uuid)
    const digits = Array.from({ length: 32 }, () => machine.prng().below(16).toString(16)).join('')
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')
  }
  patches.push({ target, key: 'getRandomValues', value: fill, isHooked: true })
  patches.push({ target, key: 'randomUUID', value: uuid, isHooked: true })
  return patches
}

/** The object in a prototype chain that has a property itself. */
export function ownerOf(object: object, key: PropertyKey): object | undefined {
  for (let owner: object | null = object; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, key)) return owner
  }
  return undefined
}

/** What the standard leaves to the engine. */
const inexact = [
  ...(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2'] as const),
  ...(['sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const),
  ...(['exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'pow', 'cbrt', 'hypot'] as const),
]

/** Functions whose last bit another engine may have otherwise. The loader turns `**` into `pow`. */
export function mathPatches(machine: MachineState): Patch[] {
  return inexact.map((key) => {
    const real = realOf(Math[key]) as (...values: number[]) => number
    const name = key === 'pow' ? 'Math.pow or **' : `Math.${key}`
    const patched = (...values: number[]): number => {
      machine.note('math', name, patched)
      const result = real(...values)
      return machine.isOther('math') ? nextUp(result) : result
    }
    return { target: Math, key, value: patched, isHooked: true }
  })
}

const scratch = new Float64Array(1)
const words = new Uint32Array(scratch.buffer)

/** The next number away from zero. Whole results, which all engines give alike, stay as they are. */
function nextUp(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value
  scratch[0] = value
  words[0] = (words[0] as number) + 1
  if (words[0] === 0) words[1] = (words[1] as number) + 1
  return scratch[0] as number
}

type Compare = (a: unknown, b: unknown) => number

/**
 * Sorting by merging, where this engine may do it otherwise. Both are stable, so a comparator that
 * decides every pair without contradiction gives the same sequence; any other does not.
 */
export function sortPatches(machine: MachineState): Patch[] {
  const { sort, toSorted } = Array.prototype
  const patchedSort = function (this: unknown[], compare?: Compare): unknown[] {
    if (compare === undefined) return sort.call(this)
    machine.note('sort', 'Array.prototype.sort', patchedSort)
    const sorted = mergeSort(Array.from(this), compare)
    for (let index = 0; index < sorted.length; index++) this[index] = sorted[index]
    return this
  }
  const patchedToSorted = function (this: unknown[], compare?: Compare): unknown[] {
    if (compare === undefined) return toSorted.call(this)
    machine.note('sort', 'Array.prototype.toSorted', patchedToSorted)
    return mergeSort(Array.from(this), compare)
  }
  return [
    { target: Array.prototype, key: 'sort', value: patchedSort },
    { target: Array.prototype, key: 'toSorted', value: patchedToSorted },
  ]
}

function mergeSort(items: unknown[], compare: Compare): unknown[] {
  if (items.length < 2) return items
  const middle = items.length >>> 1
  const left = mergeSort(items.slice(0, middle), compare)
  const right = mergeSort(items.slice(middle), compare)
  const merged: unknown[] = []
  let l = 0
  let r = 0
  while (l < left.length && r < right.length) {
    // The later one goes first only if the earlier is more: equal ones keep their sequence. V8 asks
    // it the other way round, which is the same unless the comparator contradicts itself.
    merged.push(isMore(compare, left[l], right[r]) ? right[r++] : left[l++])
  }
  while (l < left.length) merged.push(left[l++])
  while (r < right.length) merged.push(right[r++])
  return merged
}

/** As the standard has it: what is missing comes last, and what is no number counts as equal. */
function isMore(compare: Compare, a: unknown, b: unknown): boolean {
  if (b === undefined) return false
  if (a === undefined) return true
  return Number(compare(a, b)) > 0
}
