/** The tables of deflate (RFC 1951) that a reader needs. */

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

/** The lowest `bits` bits of `code`, last one first. */
export function reversed(code: number, bits: number): number {
  let result = 0
  for (let left = bits; left > 0; left--) {
    result = (result << 1) | (code & 1)
    code >>>= 1
  }
  return result
}
