/** Arctangents of ratios that grow by the 16th root of two, for `atan` and `atan2`. */
import type { Pair } from './double-double.ts'
import { addPairs, quotientOf, smallArc } from './double-double.ts'

/** Ratios per factor of two, and factors of two below and above 1. */
const PER_OCTAVE = 16
const OCTAVES = 8

/** Rows: from 2^-8 to 2^8. */
const RATIOS = 2 * OCTAVES * PER_OCTAVE

/** 2^(1/16), and the middle of the first step, 2^(-8 + 1/32). Good enough to be cut to 12 bits. */
const STEP = 1.0442737824274138
const FIRST = 0.003991785736930143

/** π, and what is missing from it. */
const PI = Math.PI
const PI_LOW = 1.2246467991473532e-16

/**
 * Per quarter of the circle: the angle to start from, in two parts; the sense in which to turn; a gap.
 * First y > 0, with x > 0 and with x < 0, then y < 0.
 */
const QUARTERS = [0, 0, 1, 0, PI, PI_LOW, -1, 0, 0, 0, -1, 0, -PI, -PI_LOW, 1, 0]

/** Veltkamp's constant for 12 bits, 2^41 + 1. */
const SPLITTER = 2199023255553

/**
 * Four doubles per ratio t: atan t in two parts, t, and a gap that makes a row half a cache line.
 * A t has 12 bits, so that its product with half of a double is exact. Behind the
 * last ratio follow the {@link QUARTERS}: one table is faster to reach than two. 8 KB.
 */
export function makeArctangents(): Float64Array {
  const table = new Float64Array(4 * RATIOS + QUARTERS.length)
  table.set(QUARTERS, 4 * RATIOS)
  let exactRatio = FIRST
  let before = 0
  let angle: Pair = [0, 0]
  for (let i = 0; i < RATIOS; i++) {
    const scaled = exactRatio * SPLITTER
    const t = scaled - (scaled - exactRatio)
    // atan t - atan b = atan((t - b)/(1 + t·b)); with 12 bits each, both sides are exact.
    angle = addPairs(angle, smallArc(quotientOf(t - before, 1 + t * before), -1))
    table.set(angle, 4 * i)
    table[4 * i + 2] = t
    before = t
    exactRatio *= STEP
  }
  return table
}
