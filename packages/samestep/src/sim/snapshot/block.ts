/**
 * One block of up to 512 numbers of 32 bits, in as few bits as a look at them allows.
 *
 *     head     width | shift | kind | mask number      one word
 *     base                                             one word
 *     first                                            one word, only with deltas
 *     numbers  (value - base) >>> shift, each in `width` bits, lowest bits first
 *
 * Three questions are asked of every block, and the cheapest answer is written. Do the values lie in a
 * narrow range (most do: base and width)? Do they grow steadily (ids, birth ticks: the same, of the
 * differences)? Are many of them zero (free rows, things that do nothing: a mask of those that are not,
 * and only those)? Bits at the low end in which no two values differ are not written either: whole
 * tiles in fixed point, whole numbers in floats.
 *
 * Everything is wrapping arithmetic on 32 bits, so that every bit pattern survives.
 */

/** Words of a block besides its numbers: head and base; with deltas, or a last word not full, more. */
export const blockHeadWordsMin = 2
export const blockHeadWordsMax = 4

/** The head of a block: where each of its items stands. */
export const widthMask = 0x3f
export const shiftAt = 6
export const shiftMask = 0x1f
export const deltaFlag = 1 << 11
export const sparseFlag = 1 << 12
export const numberAt = 13
