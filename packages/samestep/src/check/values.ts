import type { Prng } from '../base/prng.ts'
import type { Json } from '../sim/schema/field.ts'

/**
 * Random values that fit a field, made from its description: what storms and checks feed to a game
 * that they know nothing else about. Edges come more often than chance would have it.
 */

/** Finds a living ref of a table, or 0: so that random orders hit something now and then. */
export type RefSource = (table: string, prng: Prng) => number

type Description = { readonly [key: string]: Json }

const integerRanges: { readonly [kind: string]: readonly [number, number] } = {
  u8: [0, 255],
  u16: [0, 65_535],
  u32: [0, 4_294_967_295],
  i8: [-128, 127],
  i16: [-32_768, 32_767],
  i32: [-2_147_483_648, 2_147_483_647],
  fixed: [-2_147_483_648, 2_147_483_647],
  seat: [0, 63],
}

/** A value of the described field. */
export function randomValue(description: Json, prng: Prng, refs: RefSource): unknown {
  const field = description as Description
  const kind = String(field.kind)
  const integers = integerRanges[kind]
  if (integers !== undefined) return integerBetween(integers[0], integers[1], prng)
  switch (kind) {
    case 'bool':
      return prng.chance(0.5)
    case 'range':
      return integerBetween(Number(field.min), Number(field.max), prng)
    case 'f32':
      return Math.fround(floatValue(prng))
    case 'f64':
      return floatValue(prng)
    case 'ref':
      return prng.chance(0.9) ? refs(String(field.table), prng) : prng.u32()
    case 'oneOf':
      return prng.pick(field.values as readonly string[])
    case 'optional':
      return prng.chance(0.5) ? undefined : randomValue(field.item as Json, prng, refs)
    case 'struct':
      return structValue(field.fields as readonly (readonly [string, Json])[], prng, refs)
    default:
      return sequenceValue(kind, field, prng, refs)
  }
}

function sequenceValue(kind: string, field: Description, prng: Prng, refs: RefSource): unknown {
  const length = lengthUpTo(Number(field.max), prng)
  const make = (item: Json) => Array.from({ length }, () => randomValue(item, prng, refs))
  switch (kind) {
    case 'list':
      return make(field.item as Json)
    case 'set':
      return new Set(make(field.item as Json))
    case 'map': {
      const values = make(field.value as Json)
      return new Map(make(field.key as Json).map((key, index) => [key, values[index]]))
    }
    case 'bytes':
      return Uint8Array.from({ length }, () => prng.below(256))
    case 'text':
      return Array.from({ length }, () => String.fromCharCode(97 + prng.below(26))).join('')
    default:
      throw new TypeError(`There are no random values of kind '${kind}'`)
  }
}

function structValue(
  fields: readonly (readonly [string, Json])[],
  prng: Prng,
  refs: RefSource,
): object {
  const value: { [name: string]: unknown } = {}
  for (const [name, inner] of fields) value[name] = randomValue(inner, prng, refs)
  return value
}

function integerBetween(min: number, max: number, prng: Prng): number {
  if (prng.chance(0.2)) return prng.pick([min, max, clamp(0, min, max), clamp(1, min, max)])
  const span = max - min + 1
  // Small numbers are what games mostly send.
  if (prng.chance(0.5)) return clamp(prng.below(Math.min(span, 200)) + clamp(0, min, max), min, max)
  return min + (span > 4_294_967_295 ? prng.u32() : prng.below(span))
}

function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value
}

function floatValue(prng: Prng): number {
  return prng.chance(0.1) ? prng.pick([0, 1, -1, 1e9, -1e-9]) : (prng.unit() - 0.5) * 1_000
}

function lengthUpTo(max: number, prng: Prng): number {
  // The longest comes often enough to meet what else is rare.
  if (prng.chance(0.2)) return prng.pick([0, Math.min(max, 64), Math.min(max, 1_024)])
  return prng.below(Math.min(max, 8) + 1)
}
