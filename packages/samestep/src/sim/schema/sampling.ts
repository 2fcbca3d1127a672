/**
 * Random values that fit a field: what storms and checks feed to a game that they know nothing else
 * about. Edges come more often than chance would have it. Each kind of field says in `sample` what
 * its values are; here is what several kinds share.
 */
import type { Prng } from '../../base/prng.ts'

/** Finds a living ref of a table, or 0: so that random orders hit something now and then. */
export type RefSource = (table: string, prng: Prng) => number

/** A whole number of a range: often an end of it, or something small. */
export function sampleInteger(min: number, max: number, prng: Prng): number {
  if (prng.chance(0.2)) return prng.pick([min, max, clamp(0, min, max), clamp(1, min, max)])
  const span = max - min + 1
  // Small numbers are what games mostly send.
  if (prng.chance(0.5)) return clamp(prng.below(Math.min(span, 200)) + clamp(0, min, max), min, max)
  return min + (span > 4_294_967_295 ? prng.u32() : prng.below(span))
}

/** A float of a size that games use, and now and then an odd one. */
export function sampleFloat(prng: Prng): number {
  return prng.chance(0.1) ? prng.pick([0, 1, -1, 1e9, -1e-9]) : (prng.unit() - 0.5) * 1_000
}

/** How many items or bytes: few, or as many as there may be. */
export function sampleLength(max: number, prng: Prng): number {
  // The longest comes often enough to meet what else is rare.
  if (prng.chance(0.2)) return prng.pick([0, Math.min(max, 64), Math.min(max, 1_024)])
  return prng.below(Math.min(max, 8) + 1)
}

function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value
}
