/**
 * Numbers that count for ever and travel with their low 16 bits. The receiver knows about where the
 * count is and takes the nearest number with these bits: right while both are within 32 767 of each
 * other.
 */

/** The bits of a number that travel. */
export function low16(number: number): number {
  return number & 0xffff
}

/** The number nearest to `near` whose low bits are `low`. */
export function expand16(low: number, near: number): number {
  const ahead = (low - near) & 0xffff
  return ahead < 0x8000 ? near + ahead : near + ahead - 0x10000
}

/**
 * Where a count begins whose first number travels as `low`. Above the first wrap, so that what was
 * before it never becomes negative.
 */
export function firstOf(low: number): number {
  return 0x10000 + low16(low)
}
