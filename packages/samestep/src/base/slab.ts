/** Some twenty packets. More would keep more memory alive for one that waits long. */
const slabBytes = 2_048

/**
 * Cuts short-lived byte arrays out of larger pieces of memory: above 64 bytes, an array with memory of its
 * own takes five times as long to make. Whatever is kept for long should be copied: it keeps a whole piece.
 */
export class Slab {
  #words = new Uint32Array(0)
  #at = 0

  /** A copy of the bytes from `start` to before `end`. */
  copy(source: Uint8Array, start: number, end: number): Uint8Array {
    const copy = this.#take(end - start)
    for (let at = 0; at < copy.length; at++) copy[at] = source[start + at]!
    return copy
  }

  /** A copy of the first bytes in these words. */
  copyWords(source: Uint32Array, size: number): Uint8Array {
    const copy = this.#take(size)
    const words = this.#words
    const first = copy.byteOffset >>> 2
    for (let at = 0; 4 * at < size; at++) words[first + at] = source[at]!
    return copy
  }

  /** Every array begins with a word of its own, so that whole words may be written. */
  #take(size: number): Uint8Array {
    const padded = (size + 3) & ~3
    if (this.#at + padded > this.#words.byteLength) {
      this.#words = new Uint32Array(Math.max(padded, slabBytes) / 4)
      this.#at = 0
    }
    const at = this.#at
    this.#at += padded
    return new Uint8Array(this.#words.buffer, at, size)
  }
}
