/**
 * The bits of a double, and powers of two.
 *
 * Taking a double apart goes through memory that a float view and an integer view share; putting
 * one together does not: a load that covers two fresh smaller stores stalls the processor, so
 * scaling multiplies by an entry of {@link POWERS_OF_TWO} instead.
 *
 * Three habits of the files here look odd and make them fast (in Node 20):
 *
 * - Numbers stand in the functions that use them, and tables in the closures of functions that are
 *   made once (`makeHighWord`). Engines compile such constants into the code. Imported ones, and a
 *   module's own once a bundler has made variables of them, are loaded and checked on each call: that
 *   costs `sin` and `atan2` half of their time again.
 * - A call of a rare case stands behind a unary plus. It is not inlined, so what it returns might be
 *   anything to the engine, and the result of the fast path would be boxed to match; the plus says
 *   that it is a number. Without it, `atan2` takes a third longer, and allocates.
 * - Functions are short, because only those below 460 bytes of bytecode are inlined, and a result
 *   that crosses a call is boxed.
 */

/**
 * Index of the upper word of a double among two words: 1.0 has all its set bits there, whatever the
 * byte order of the machine.
 */
export const HIGH_INDEX: number = new Uint32Array(new Float64Array([1]).buffer)[1] === 0 ? 0 : 1

/** The upper 32 bits: sign, 11 bits of exponent (biased by 1023), 20 bits of fraction. */
export const highWord: (x: number) => number = /* @__PURE__ */ makeHighWord()

function makeHighWord(): typeof highWord {
  const float = new Float64Array(1)
  const words = new Uint32Array(float.buffer)
  const high = HIGH_INDEX
  return (x) => {
    float[0] = x
    return words[high] as number
  }
}

/** Index of 2^0 in {@link POWERS_OF_TWO}: 2^-1074, the smallest subnormal, is at 0. */
const ZERO = 1074

/** 2^e at index e + 1074, for every e from -1074 to 1023. 16 KB, of which few lines are ever warm. */
export const POWERS_OF_TWO: Float64Array = /* @__PURE__ */ makePowersOfTwo()

function makePowersOfTwo(): Float64Array {
  const table = new Float64Array(ZERO + 1024)
  let power = 1
  for (let index = ZERO; index < table.length; index++) {
    table[index] = power
    power *= 2
  }
  power = 1
  for (let index = ZERO; index >= 0; index--) {
    table[index] = power
    power *= 0.5
  }
  return table
}

/**
 * 2^`exponent` for an integer from -1074 to 1023. Write `0 - e`, not `-e`: that is -0 for 0, and an
 * engine that has seen one goes on with floats.
 */
export const pow2: (exponent: number) => number = /* @__PURE__ */ makePow2()

function makePow2(): typeof pow2 {
  const powers = POWERS_OF_TWO
  return (exponent) => powers[exponent + 1074] as number
}

/**
 * `x` · 2^`exponent` with one rounding, also where the power alone would overflow or underflow.
 * For `x` in [1/2, 4] and exponents from -1150 to 1100, which is what exp and pow need.
 */
export function scaleByPower(x: number, exponent: number): number {
  return Math.abs(exponent) > 1000 ? +scaleAtEdge(x, exponent) : x * pow2(exponent)
}

function scaleAtEdge(x: number, exponent: number): number {
  // The product with 2^±1000 is exact: it stays normal. So only the other one rounds.
  const first = exponent > 0 ? 1000 : -1000
  return x * pow2(first) * pow2(exponent - first)
}
