/**
 * Numbers of the sync hash that both kernels share: `kernel-js.ts` uses them, and
 * `tools/build-kernel.ts` builds them into `kernel-wasm.ts`. Changing any changes every sync hash.
 *
 * How a leaf is hashed. Its bytes, padded with zeros, are read as stripes of 128 bytes: 8 vectors of
 * 4 words. Each of the 4 lanes keeps 8 accumulators and never meets another lane before the end, so
 * SIMD runs all lanes at once while JavaScript runs one after the other with 8 local variables.
 * One stripe of one lane, words w0 … w7:
 *
 *     a0 = fold(a0 ^ w0) * even + a7        fold(x) = x ^ (x >>> 15)
 *     a1 = fold(a1 ^ w1) * odd  + a0        all modulo 2³²
 *     …
 *     a7 = fold(a7 ^ w7) * odd  + a6
 *
 * Why like this:
 * - For fixed words the step is a bijection of the 256 bits of lane state, and for a fixed state a
 *   bijection of the 8 words. So whatever changes within one stripe of a lane changes the lane's
 *   state, and no equal bytes afterwards can undo that.
 * - A changed word moves its own accumulator and, through the sums, every later one of the stripe,
 *   a7 always among them; in the next stripe a0 follows, and so on. Two changed words in
 *   neighbouring stripes can therefore never cancel: it takes at least three, in fixed places, and
 *   the third must equal a difference that has been multiplied.
 * - A multiplication carries differences only upwards: alone it would leave a flipped sign a flipped
 *   sign, which two cells could cancel. The fold before it brings the high half down first, so a
 *   flip of any one bit changes a run of at least 16 bits. (A rotation would only choose another bit
 *   to be weak, and in SIMD it takes one instruction more.)
 * - The sums are the only path from accumulator to accumulator within a stripe: 8 additions per
 *   stripe are shorter than the multiplications that run beside them, so the chain costs no time.
 * - Only 32-bit operations: `i32x4.mul` and `Math.imul` agree to the bit, everywhere.
 *
 * At the end the 32 accumulators, the byte length and the label's seed go through `mix.ts` into 64
 * bits. All this guards against accidents. Whoever wants two states with one sync hash can make
 * them: flipping the bits 0x80010002 in two cells and 0x80000000 in a third does it in the right
 * rows. Against lies there is the state hash.
 */

/** Bytes of one stripe: 4 lanes × 8 accumulators × 4 bytes. */
export const stripeBytes = 128

/** Accumulators of all lanes; lane `l` of accumulator `a` is word `4 * a + l`. */
export const accumulatorCount = 32

/**
 * Multipliers of the even and odd accumulators: 2³² divided by the golden ratio, and one from
 * MurmurHash3's finaliser. Odd, so that multiplying is a bijection; dense, so that a flip of any
 * bit spreads at once; two, so that equal changes of neighbours do not meet as equal differences.
 */
export const evenMultiplier = 0x9e3779b1 | 0
export const oddMultiplier = 0x85ebca6b | 0

/** Shift of the fold. Near half a word; odd, so that bytes do not fall onto bytes. */
export const foldShift = 15

/** Multipliers and shifts of one round of `mix.ts`; the multipliers again from MurmurHash3. */
export const roundMultiplierA = 0xcc9e2d51 | 0
export const roundMultiplierB = 0xc2b2ae35 | 0
export const roundShiftA = 15
export const roundShiftB = 13
export const roundRotation = 19

/** Rounds without input at the end of a mix: from here on every output bit depends on every input bit. */
export const finishRounds = 4

/** What is hashed goes in as a domain, so that a leaf, a node and a root never share a hash. */
export const leafDomain = 0
export const nodeDomain = 1
export const rootDomain = 2
/** For the seed that a label's text is turned into. */
export const labelDomain = 3
/** For the chain over the hashes of a match's ticks. */
export const chainDomain = 4

/** One pattern for every NaN: the quiet NaN that engines make themselves. */
export const nanF32 = 0x7fc00000
export const nanF64High = 0x7ff80000

/** The value of accumulator word `index` before the label's seed is added: no two are alike. */
export function startWord(index: number): number {
  let word = Math.imul(index + 1, evenMultiplier)
  word = Math.imul(word ^ (word >>> 16), oddMultiplier)
  word = Math.imul(word ^ (word >>> 13), roundMultiplierB)
  return word ^ (word >>> 16)
}

/*
 * Where the WebAssembly kernel keeps what is its own, at the start of the state memory.
 */

/** The 64-bit result, low word first. */
export const resultOffset = 0
/** The 32 accumulators. */
export const accumulatorsOffset = 128
/** The last stripe, padded with zeros. */
export const tailOffset = 256
/** Bytes from outside the state memory pass through here in pieces. */
export const pieceOffset = 384
/** Bytes of one piece: half of a first-level cache, and whole stripes. */
export const pieceBytes = 16_384
/** First byte that the state may use: behind the piece. A multiple of 128. */
export const kernelBytes = pieceOffset + pieceBytes
