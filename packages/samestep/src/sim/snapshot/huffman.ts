/** Prefix codes of deflate (RFC 1951): how long each symbol's code is, and which bits it has. */

/** The longest code that deflate allows. */
export const codeBitsMax = 15

/** Base length and extra bits of the length symbols 257 to 285, by symbol minus 257. */
export const lengthBases = new Uint16Array(29)
export const lengthExtras = new Uint8Array(29)

/** Base distance and extra bits of the distance symbols 0 to 29. */
export const distanceBases = new Uint16Array(30)
export const distanceExtras = new Uint8Array(30)

/** The sequence in which a block gives the lengths of its code for code lengths. */
export const lengthSequence: readonly number[] = [
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]

/** Symbols of literals and lengths, of distances, and of code lengths. */
export const literalSymbols = 286
export const distanceSymbols = 30
export const lengthCodeSymbols = 19

/** The symbol that ends a block. */
export const endSymbol = 256

fillBases(lengthBases, lengthExtras, 3, 4)
fillBases(distanceBases, distanceExtras, 1, 2)
// The longest match has a symbol of its own, without extra bits.
lengthBases[28] = 258
lengthExtras[28] = 0

/** Bases grow by one, then by two `group` times, by four `group` times, and so on. */
function fillBases(bases: Uint16Array, extras: Uint8Array, first: number, group: number): void {
  let base = first
  for (let symbol = 0; symbol < bases.length; symbol++) {
    const extra = Math.max(0, Math.floor(symbol / group) - 1)
    bases[symbol] = base
    extras[symbol] = extra
    base += 1 << extra
  }
}

/** The code lengths that every reader knows, for blocks too small to bring their own. */
export const fixedLiteralLengths: Uint8Array = new Uint8Array(288)
  .fill(8, 0, 144)
  .fill(9, 144, 256)
  .fill(7, 256, 280)
  .fill(8, 280, 288)
export const fixedDistanceLengths: Uint8Array = new Uint8Array(30).fill(5)

/**
 * Gives each symbol that occurs a code length of at most `bitsMax`, so that the whole takes few bits.
 * Symbols that do not occur get 0. Equal counts give equal lengths on every machine.
 */
export function chooseLengths(
  counts: Uint32Array,
  symbols: number,
  bitsMax: number,
  lengths: Uint8Array,
): void {
  lengths.fill(0, 0, symbols)
  // Count and symbol in one number: sorted by count, and where those are equal, by symbol.
  const sorted = new Float64Array(symbols)
  let used = 0
  for (let symbol = 0; symbol < symbols; symbol++) {
    const count = counts[symbol]!
    if (count > 0) sorted[used++] = count * 512 + symbol
  }
  const leaves = sorted.subarray(0, used).sort()
  if (used === 1) lengths[leaves[0]! % 512] = 1
  if (used < 2) return
  const perLength = countPerLength(leaves, bitsMax)
  // The rarest symbols get the longest codes.
  let leaf = 0
  for (let bits = bitsMax; bits > 0; bits--) {
    for (let left = perLength[bits]!; left > 0; left--) lengths[leaves[leaf++]! % 512] = bits
  }
}

/** How many codes have each length, from Huffman's tree over the sorted leaves. */
function countPerLength(leaves: Float64Array, bitsMax: number): Uint32Array {
  const count = leaves.length
  const weights = new Float64Array(count * 2 - 1)
  const parents = new Uint16Array(count * 2 - 1)
  for (let leaf = 0; leaf < count; leaf++) weights[leaf] = Math.floor(leaves[leaf]! / 512)
  let leaf = 0
  let inner = count
  for (let node = count; node < weights.length; node++) {
    // Inner nodes come into being in the sequence of their weights, so that the lightest of all is
    // either the next leaf or the next inner node.
    for (let child = 0; child < 2; child++) {
      const takeLeaf = leaf < count && (inner === node || weights[leaf]! <= weights[inner]!)
      const taken = takeLeaf ? leaf++ : inner++
      weights[node]! += weights[taken]!
      parents[taken] = node
    }
  }
  const perLength = new Uint32Array(bitsMax + 1)
  const depths = new Uint16Array(weights.length)
  for (let node = weights.length - 2; node >= 0; node--) {
    const depth = depths[parents[node]!]! + 1
    depths[node] = depth
    if (node < count) perLength[Math.min(depth, bitsMax)]!++
  }
  shorten(perLength, bitsMax)
  return perLength
}

/** Codes that were cut to `bitsMax` take more room than there is: lengthens others until all fit. */
function shorten(perLength: Uint32Array, bitsMax: number): void {
  let room = 1 << bitsMax
  for (let bits = 1; bits <= bitsMax; bits++) room -= perLength[bits]! << (bitsMax - bits)
  while (room < 0) {
    // One of the longest codes below the limit becomes the parent of two, of which one takes in a
    // code that had been cut: frees exactly one place.
    let bits = bitsMax - 1
    while (perLength[bits] === 0) bits--
    perLength[bits]!--
    perLength[bits + 1]! += 2
    perLength[bitsMax]!--
    room++
  }
}

/** The codes that belong to `lengths`, with their first bit lowest, ready to be written. */
export function assignCodes(lengths: Uint8Array, symbols: number, codes: Uint16Array): void {
  const next = new Uint16Array(codeBitsMax + 2)
  for (let symbol = 0; symbol < symbols; symbol++) next[lengths[symbol]! + 1]!++
  next[1] = 0
  for (let bits = 2; bits < next.length; bits++) {
    next[bits] = (next[bits]! + next[bits - 1]!) << 1
  }
  for (let symbol = 0; symbol < symbols; symbol++) {
    const bits = lengths[symbol]!
    if (bits > 0) codes[symbol] = reversed(next[bits]!++, bits)
  }
}

/** The lowest `bits` bits of `code`, last one first. */
export function reversed(code: number, bits: number): number {
  let result = 0
  for (let left = bits; left > 0; left--) {
    result = (result << 1) | (code & 1)
    code >>>= 1
  }
  return result
}
