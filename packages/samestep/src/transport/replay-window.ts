/**
 * Which sequence numbers came already: the newest one, and a bit for each of the 1 024 up to it.
 *
 *     number   … 1 000  1 001  1 002  1 003  1 004 …      newest = 1 003
 *     bit          1      0      1      1                 at number % 1 024
 *
 * Asked before a packet is decrypted, told only after: a forged number moves nothing (T-06). Numbers
 * are integers up to 2⁵³−1, so that all that is computed here is exact (T-07).
 */
import { assert } from '../base/assert.ts'

/** Packets behind the newest one that are still told apart from copies (reliability §2.5). */
export const replayWindowPackets = 1_024

/** The numbers of one direction. */
export class ReplayWindow {
  readonly #bits = new Uint32Array(replayWindowPackets / 32)
  #newest = -1

  /** The highest number that came; −1 before the first. */
  get newest(): number {
    return this.#newest
  }

  /** Whether `number` did not come yet, as far as anybody remembers. */
  isNew(number: number): boolean {
    if (number > this.#newest) return true
    if (this.#newest - number >= replayWindowPackets) return false
    const at = number % replayWindowPackets
    return ((this.#bits[at >>> 5]! >>> (at & 31)) & 1) === 0
  }

  /** Notes an authentic number that {@link isNew}. */
  add(number: number): void {
    // The sentences are made only when they are needed: this runs for every packet.
    if (!Number.isSafeInteger(number) || number < 0) assert(false, `No number: ${number}`)
    if (!this.isNew(number)) assert(false, `Number ${number} came before`)
    if (number > this.#newest) {
      this.#forgetUpTo(number)
      this.#newest = number
    }
    const at = number % replayWindowPackets
    this.#bits[at >>> 5]! |= 1 << (at & 31)
  }

  /** Clears the bits of the numbers that were skipped: they meant others until now. */
  #forgetUpTo(number: number): void {
    const skipped = number - this.#newest
    if (skipped >= replayWindowPackets) {
      this.#bits.fill(0)
      return
    }
    for (let back = 0; back < skipped; back++) {
      const at = (number - back) % replayWindowPackets
      this.#bits[at >>> 5]! &= ~(1 << (at & 31))
    }
  }
}
