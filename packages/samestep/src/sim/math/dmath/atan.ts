/**
 * Arctangent of a number and of a direction.
 *
 * With a ratio t from a table that is near y/x,
 *
 *     atan(y/x) = atan t + atan z,   z = (y - x·t) / (x + y·t)
 *
 * costs one division if t is found without one. It is: the upper word of a double, read as an
 * integer, is 2^20·log2 of it with an error below 9 %, so the difference of two upper words gives the
 * row of a table that is even in log(y/x). Then |z| < 0.041, and smaller the smaller the angle.
 *
 * y - x·t nearly cancels; it is exact because x is split in halves and t has 12 bits. Which quarter
 * of the circle it is enters through a table of four rows, so there is no branch for the processor to
 * guess wrong; only directions within 1/256 of an axis go elsewhere.
 *
 * Error: 0.5 ulp from the last addition, 0.1 from the rest.
 */
import { makeArctangents } from './atan-table.ts'
import { HIGH_INDEX, highWord } from './bits.ts'

/**
 * Rows of atan t in two parts, t, and a gap, from t = 2^-8 to 2^8. From 1024 on, rows for the quarters
 * of the circle: the angle to start from in two parts, the sense in which to turn, and a gap.
 */
const ARCS = /* @__PURE__ */ makeArctangents()

/** The doubles nearest to π and its parts, and what is missing from two of them. */
const PI = Math.PI
const PI_LOW = 1.2246467991473532e-16
const THREE_QUARTERS_PI = 2.356194490192345
const HALF_PI = 1.5707963267948966
const HALF_PI_LOW = 6.123233995736766e-17
const QUARTER_PI = 0.7853981633974483

/** 2^-600 and 2^600. */
const SCALE_DOWN = 2.409919865102884e-181
const SCALE_UP = 4.149515568880993e180

/** Below this |z|, 2^-27, z is within 0.17 ulp of atan z. */
const TINY = 7.450580596923828e-9

/**
 * The angle of the direction (x, y) against the x axis, from -π to π. Signed zeros and infinities
 * give what ECMAScript says: `atan2(-0, -1)` is -π, `atan2(Infinity, Infinity)` is π/4.
 */
export const atan2: (y: number, x: number) => number = /* @__PURE__ */ makeAtan2()

function makeAtan2(): typeof atan2 {
  const arcs = ARCS
  // The coordinates as floats and as words: in two places, so that neither waits for the other.
  const pair = new Float64Array(2)
  const words = new Uint32Array(pair.buffer)
  const xHigh = HIGH_INDEX
  const yHigh = HIGH_INDEX + 2
  return (y, x) => {
    const width = Math.abs(x)
    const height = Math.abs(y)
    pair[0] = x
    pair[1] = y
    const xWord = words[xHigh] as number
    const yWord = words[yHigh] as number
    // 16 rows per factor of two, the 128th for a ratio of 1. The left shifts drop the signs.
    const index = (((yWord << 1) - (xWord << 1)) >> 17) + 128
    // Inside these limits nothing below overflows or loses bits, and no y, not even NaN, is so far
    // from x that the difference of words wraps around to a valid row. NaN as x is outside.
    if (!(width > 1e-200 && width < 1e200) || index >>> 0 > 255) return +atan2Rare(y, x)
    const row = index << 2
    const t = arcs[row + 2] as number
    const scaled = width * 134217729
    const high = scaled - (scaled - width)
    const z = (height - high * t - (width - high) * t) / (width + height * t)
    const w = z * z
    const low = -0.33333333333332754 + w * 0.1999999998907612
    const rest = z * w * (low + w * w * (-0.14285681943632783 + w * 0.11080458458784116))
    const small = z + ((arcs[row + 1] as number) + rest)
    const quarter = 1024 + (((xWord >>> 29) & 4) | ((yWord >>> 28) & 8))
    const start = arcs[quarter] as number
    const sense = arcs[quarter + 2] as number
    const turn = sense * (arcs[row] as number)
    // Fast two-sum: start is zero or the larger.
    const sum = start + turn
    return sum + (start - sum + turn + ((arcs[quarter + 1] as number) + sense * small))
  }
}

/** The arctangent of x, from -π/2 to π/2. */
export function atan(x: number): number {
  const height = Math.abs(x)
  const index = ((highWord(height) - 0x3ff00000) >> 16) + 128
  if (index < 0) return height < TINY ? x : x + atanRest(x)
  if (index > 255) return +atanLarge(x)
  const row = index << 2
  const t = ARCS[row + 2] as number
  const z = (height - t) / (1 + height * t)
  const angle = (ARCS[row] as number) + (z + ((ARCS[row + 1] as number) + atanRest(z)))
  return x < 0 ? -angle : angle
}

/** atan z - z for |z| < 0.041: minimax, wrong by less than 2^-47 of z³. */
function atanRest(z: number): number {
  const w = z * z
  const low = -0.33333333333332754 + w * 0.1999999998907612
  return z * w * (low + w * w * (-0.14285681943632783 + w * 0.11080458458784116))
}

/** For |x| > 255, infinities and NaN. */
function atanLarge(x: number): number {
  if (Number.isNaN(x)) return NaN
  return x < 0 ? -besideVertical(1, -x) : besideVertical(1, x)
}

/** The angle of (x, height) for |x| < height/255. */
function besideVertical(x: number, height: number): number {
  const z = x / height
  return HALF_PI + (HALF_PI_LOW - (z + atanRest(z)))
}

/** Directions beside the axes, the origin, infinities, NaN, and lengths out of range. */
function atan2Rare(y: number, x: number): number {
  const width = Math.abs(x)
  const height = Math.abs(y)
  if (!(width < Infinity && height < Infinity)) return atan2Infinite(y, x)
  // On the x axis, or at the origin, the signs of zeros decide.
  if (height === 0) return highWord(x) >>> 31 === 0 ? y : withSignOf(y, PI)
  const larger = Math.max(width, height)
  // From these limits, scaling leads into those of atan2. It is exact, unless the smaller coordinate falls below the normal numbers; then it is so
  // far below the larger that the angle rounds to the axis whatever its bits are.
  if (larger >= 1e190) return atan2(y * SCALE_DOWN, x * SCALE_DOWN)
  if (larger <= 1e-190) return atan2(y * SCALE_UP, x * SCALE_UP)
  if (height > width) return withSignOf(y, besideVertical(x, height))
  const ratio = y / x
  if (x < 0) return withSignOf(y, PI) + (withSignOf(y, PI_LOW) + (ratio + atanRest(ratio)))
  return Math.abs(ratio) < TINY ? ratio : smallAngle(y, x, ratio)
}

/**
 * atan(y/x) for TINY ≤ |y/x| < 1/200. The rounding of the quotient would come on top of the last
 * addition's, so the quotient is taken in two parts: 24 bits of it, and the remainder divided.
 */
function smallAngle(y: number, x: number, ratio: number): number {
  const head = Math.fround(ratio)
  const scaled = x * 134217729
  const high = scaled - (scaled - x)
  const remainder = y - head * high - head * (x - high)
  return head + (remainder / x + atanRest(ratio))
}

function atan2Infinite(y: number, x: number): number {
  const width = Math.abs(x)
  const height = Math.abs(y)
  if (Number.isNaN(width) || Number.isNaN(height)) return NaN
  if (width < Infinity) return withSignOf(y, HALF_PI)
  if (height < Infinity) return withSignOf(y, x > 0 ? 0 : PI)
  return withSignOf(y, x > 0 ? QUARTER_PI : THREE_QUARTERS_PI)
}

/** The magnitude with the sign of y, whose zero has one too. */
function withSignOf(y: number, magnitude: number): number {
  return highWord(y) >>> 31 === 0 ? magnitude : -magnitude
}
