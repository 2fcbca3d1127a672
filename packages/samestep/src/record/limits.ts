import { assert } from '../base/assert.ts'
import { bundleBytesMax, bundleChargeBytes, logBytesMax } from '../wire/limits.ts'

/** Every maximum of a record, with its reason. */

/**
 * Bytes of what one entry holds: a piece of a snapshot with room to spare. A reader allocates no more
 * than this before it has seen that the bytes are there and right.
 */
export const entryBytesMax = 65_536

/** Bytes in front of and behind what an entry holds, at the most: kind, match, length, check. */
export const entryFrameBytesMax = 1 + 4 + 4 + 4

/** Bytes of one piece of a snapshot. */
export const snapshotPieceBytesMax = 16_384

/** Pieces of one snapshot: 64 MiB. */
export const snapshotPiecesMax = 4_096

/** Matches of one file: what the number of a match can tell apart. */
export const recordMatchesMax = 2 ** 28

/**
 * Bytes of entries that belong together: a whole match written anew, with as many of the largest
 * bundles as a relay keeps. More than that is no record of ours.
 */
export const groupBytesMax = 16 * 2 ** 20

/**
 * Strikes of one member that are kept, how long each counts, and how long a vote silences somebody, in
 * ms: as the relay counts them.
 */
export const strikesKeptMax = 5
export const strikeMsMax = 60_000
export const muteMsMax = 600_000

/** Bytes of the name of a line of history: random, so that no two are alike. */
export const lineBytes = 16

/** Bytes of the mark by which somebody who was removed or silenced is known again: too many to guess. */
export const markBytes = 16

/**
 * Marks that are kept of one match: of those removed, and of those silenced with an identity and without
 * one. The oldest go first.
 */
export const kickedMarksMax = 1_024
export const silencedMarksMax = 256

/** Ticks between two places of a file that an index remembers: 8 s at 30 ticks per second. */
export const indexEveryTicks = 256

assert(bundleBytesMax <= entryBytesMax, 'Every bundle must fit an entry')
assert(
  logBytesMax + (logBytesMax / bundleChargeBytes) * entryFrameBytesMax < groupBytesMax,
  'A match must be writable anew',
)
