import { tableMasksMax } from './limits.ts'

/** Cells of one block: small enough to follow local ranges, large enough to make heads cheap. */
export const blockCells = 512

/** Words of one mask: a bit for each cell of a block. */
export const maskWords = blockCells / 32

/** Bytes of one mask. */
export const maskBytes = maskWords * 4

/** How many masks of the same block a new one is compared with. */
const recentMasks = 4

/**
 * The masks of one table that is being packed. A mask says which cells of a block are not zero.
 *
 * A freed row is zero in nearly every column, so that most columns of a table have the same masks:
 * they are kept once, behind the columns, and blocks refer to them by number. On a table of 16 columns
 * with 30 % free rows that is worth 8 % of the file, as much as deflate would find, for no time.
 */
export class MaskPool {
  /** All masks, one after the other. Only the first {@link count} are meant. */
  words = new Int32Array(maskWords * 32)
  count = 0
  /** For each block, the numbers plus one of the last masks that it used; newest first. */
  private recent = new Int32Array(recentMasks * 32)

  clear(): void {
    this.count = 0
    this.recent.fill(0)
  }

  /** Forgets all masks from number `count` on: the column that added them is not packed after all. */
  truncate(count: number): void {
    this.count = count
  }

  /** The number of a mask of this block with these bits, or -1. */
  find(block: number, mask: Int32Array): number {
    const start = block * recentMasks
    for (let index = start; index < start + recentMasks; index++) {
      const number = (this.recent[index] ?? 0) - 1
      // A number beyond the count was forgotten by truncate, or has been given to another block since.
      if (number >= 0 && number < this.count && this.equals(number, mask)) return number
    }
    return -1
  }

  /** Adds a mask and returns its number, or -1 when the pool is full. */
  add(block: number, mask: Int32Array): number {
    const number = this.count
    if (number === tableMasksMax) return -1
    if ((number + 1) * maskWords > this.words.length) this.words = doubled(this.words)
    this.words.set(mask, number * maskWords)
    this.count = number + 1
    this.remember(block, number)
    return number
  }

  private remember(block: number, number: number): void {
    const start = block * recentMasks
    while (start + recentMasks > this.recent.length) this.recent = doubled(this.recent)
    this.recent.copyWithin(start + 1, start, start + recentMasks - 1)
    this.recent[start] = number + 1
  }

  private equals(number: number, mask: Int32Array): boolean {
    const start = number * maskWords
    for (let index = 0; index < maskWords; index++) {
      if (this.words[start + index] !== mask[index]) return false
    }
    return true
  }
}

function doubled(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(words.length * 2)
  larger.set(words)
  return larger
}

/** How many bits of a word are set. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
