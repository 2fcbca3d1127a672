import { shortTicksMax, tickBits } from '../limits.ts'

/**
 * Ticks on the wire are truncated to their low bits. The receiver knows roughly where it is, and
 * takes the matching tick nearest to that: unambiguous while both are within half the range of each
 * other.
 */
const range = 2 ** tickBits

/** The low bits of a tick. */
export function truncateTick(tick: number): number {
  return tick % range
}

/** The tick nearest to `near` that has these low bits. May be negative: then it is invalid. */
export function expandTick(low: number, near: number): number {
  const ahead = (((low - near) % range) + range) % range
  return ahead < range / 2 ? near + ahead : near + ahead - range
}

/** Whether {@link expandTick} restores `tick` for `near`. */
export function isWithinWindow(tick: number, near: number): boolean {
  return Math.abs(tick - near) <= shortTicksMax
}
