/**
 * Whether bits of a NaN are in what is hashed. A machine may hold any of 2⁵² patterns for "not a
 * number" and none of them means anything; in tables and plain values the engine makes them one, but
 * a custom part that saves the bytes of a Float64Array saves the pattern too.
 */

/** Objects to look into, and how deep: a custom part with more is mostly one large typed array. */
const objectsMax = 2_000

/**
 * Turns over a bit in one NaN after the other, in place, and asks whether the state is still the
 * same. Gives the path of the first one that mattered. Every bit is put back.
 */
export function changesWithNaNBits(root: unknown, isSame: () => boolean): string | undefined {
  const seen = new Set<object>()
  const queue: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: root }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, value } = next
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    if (seen.size >= objectsMax) return undefined
    seen.add(value)
    if (value instanceof Float32Array || value instanceof Float64Array) {
      const index = findTelling(value, isSame)
      if (index >= 0) return `${path}[${index}]`
    } else if (!ArrayBuffer.isView(value)) {
      for (const [key, inner] of entriesOf(value))
        queue.push({ path: `${path}${key}`, value: inner })
    }
  }
  return undefined
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Map) return [...value].map(([key, inner]) => [`.get(${String(key)})`, inner])
  if (value instanceof Set) return [...value].map((inner, index) => [`[${index}]`, inner])
  // Arrays may have holes, which map would leave.
  if (Array.isArray(value)) return Array.from(value, (inner, index) => [`[${index}]`, inner])
  return Object.entries(value).map(([key, inner]) => [`.${key}`, inner])
}

/** The first NaN of an array whose bits matter; only one is tried, since all are saved alike. */
function findTelling(cells: Float32Array | Float64Array, isSame: () => boolean): number {
  const index = cells.findIndex((cell) => Number.isNaN(cell))
  if (index < 0) return -1
  const bytes = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)
  const at = index * cells.BYTES_PER_ELEMENT
  const before = bytes[at] as number
  // The lowest bit of what a NaN carries beside being one.
  bytes[at] = before ^ 1
  const isTelling = !isSame()
  bytes[at] = before
  return isTelling ? index : -1
}
