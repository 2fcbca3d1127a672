/**
 * Arcsine and arccosine.
 *
 * Up to 1/2 a polynomial: asin x = x + x³·P(x²). Beyond, half the angle is below 30° again:
 *
 *     asin x = π/2 - 2·asin s,   s = √((1 - x)/2)
 *
 * where 1 - x is exact. The root is rounded; what it lost comes back from the exact remainder
 * w - head² of its upper half, so that the small angles near x = 1 keep all their bits.
 *
 * Error: 0.5 ulp from the last addition, 0.3 from P, whose term is at most 1/20 of the result.
 */

const HALF_PI = 1.5707963267948966
const HALF_PI_LOW = 6.123233995736766e-17
const PI = Math.PI
const PI_LOW = 1.2246467991473532e-16

/** Below this |x|, 2^-27, x is within 0.1 ulp of asin x. */
const TINY = 7.450580596923828e-9

/** The angle whose sine is x, from -π/2 to π/2. NaN outside [-1, 1]. */
export function asin(x: number): number {
  const magnitude = Math.abs(x)
  // Returned as it is when tiny, also because -0 must stay -0.
  if (magnitude <= 0.5) return magnitude < TINY ? x : x + x * asinRest(x * x)
  if (!(magnitude <= 1)) return +outside()
  const w = (1 - magnitude) * 0.5
  const s = Math.sqrt(w)
  const head = Math.fround(s)
  const angle =
    HALF_PI - 2 * head - 2 * (rootRest(w, s, head) + s * asinRest(w) - 0.5 * HALF_PI_LOW)
  return x < 0 ? -angle : angle
}

/** The angle whose cosine is x, from 0 to π. NaN outside [-1, 1]. */
export function acos(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude <= 0.5) return HALF_PI - (x - (HALF_PI_LOW - x * asinRest(x * x)))
  if (!(magnitude <= 1)) return +outside()
  const w = (1 - magnitude) * 0.5
  const s = Math.sqrt(w)
  const head = Math.fround(s)
  const small = rootRest(w, s, head) + s * asinRest(w)
  if (x > 0) return 2 * (head + small)
  return PI - 2 * head - (2 * small - PI_LOW)
}

/** Outside of [-1, 1] there is no angle. A call, because `NaN` itself would be a boxed result. */
function outside(): number {
  return NaN
}

/** √w - head, where head is √w ≈ s cut to 24 bits, so that its square is exact. */
function rootRest(w: number, s: number, head: number): number {
  return s === 0 ? 0 : (w - head * head) / (s + head)
}

/** asin(s)/s - 1 for z = s² ≤ 1/4: minimax, wrong by less than 2^-58. */
function asinRest(z: number): number {
  // Independent pairs, so that the processor can work on several at once.
  const z2 = z * z
  const z4 = z2 * z2
  const a = 0.16666666666666669 + z * 0.07499999999998433
  const b = 0.04464285714635543 + z * 0.030381944138531247
  const c = 0.02237217294214989 + z * 0.017352392720869973
  const d = 0.013971212973552933 + z * 0.011479177415184906
  const e = 0.01032281435018578 + z * 0.005457506718640358
  const f = 0.01740087944269402 - z * 0.014851887071247204
  const high = e + z2 * f + z4 * 0.028757851367421566
  return z * (a + z2 * b + z4 * (c + z2 * d + z4 * high))
}
