/** Some twenty packets. More would keep more memory alive for one that waits long. */
const slabBytes = 2_048

/**
 * Cuts short-lived byte arrays out of larger pieces of memory: above 64 bytes, an array with memory of its
 * own takes five times as long to make. Whatever is kept for long should be copied: it keeps a whole piece.
 */
export class Slab {
  #words = new Uint32Array(0)
  /** The first word that is free. */
  #at = 0

  /** A copy of the first bytes in these words. */
  copy(source: Uint32Array, size: number): Uint8Array {
    const count = (size + 3) >>> 2
    if (this.#at + count > this.#words.length) {
      this.#words = new Uint32Array(Math.max(count, slabBytes / 4))
      this.#at = 0
    }
    const start = this.#at
    const words = this.#words
    // Whole words: what is written behind the end belongs to nobody yet.
    for (let index = 0; index < count; index++) words[start + index] = source[index]!
    this.#at = start + count
    return new Uint8Array(words.buffer, 4 * start, size)
  }
}
