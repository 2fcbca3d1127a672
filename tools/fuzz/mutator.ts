/**
 * Changes bytes a little, in ways that decoders of packed bits are sensitive to: besides bytes and
 * numbers, single bits are flipped, put in and taken out, which shifts everything behind them.
 */
import type { Prng } from '../../packages/samestep/src/base/prng.ts'

/** Longer inputs only cost time: every list in the protocol has an end long before. */
export const inputBytesMax = 2_048

/** Numbers at which something tends to happen: ends of ranges, lengths, counts, marks. */
const interesting: readonly number[] = [
  0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, 120, 127, 128, 200, 254, 255, 256, 511, 512, 1_023,
  1_024, 1_025, 2_047, 2_048, 4_095, 4_096, 4_097, 32_767, 32_768, 65_535, 65_536, 0x7fff_ffff,
  0x8000_0000, 0xffff_ffff,
]

/** Makes inputs from others. The result lies in memory that the next call uses again. */
export class Mutator {
  readonly #random: Prng
  readonly #interesting: readonly number[]
  readonly #bytes = new Uint8Array(inputBytesMax)
  #length = 0

  /** `constants` are further numbers to try. */
  constructor(random: Prng, constants: readonly number[] = []) {
    this.#random = random
    this.#interesting = [...interesting, ...constants]
  }

  /** A changed copy of `parent`, perhaps with something of `other`. */
  mutate(parent: Uint8Array, other: Uint8Array): Uint8Array {
    this.#length = Math.min(parent.length, inputBytesMax)
    this.#bytes.set(parent.subarray(0, this.#length))
    // Mostly one change: several at once undo what earlier ones found out.
    do this.#change(other)
    while (this.#random.below(2) === 0)
    return this.#bytes.subarray(0, this.#length)
  }

  #change(other: Uint8Array): void {
    const random = this.#random
    const kind = random.below(12)
    if (this.#length === 0 || kind === 0) {
      this.#insert(random.below(this.#length + 1), 1 + random.below(4))
      return
    }
    const at = random.below(this.#length)
    const bytes = this.#bytes
    switch (kind) {
      case 1:
      case 2:
        bytes[at]! ^= 1 << random.below(8)
        return
      case 3:
        bytes[at] = random.u32()
        return
      case 4:
        bytes[at] = random.pick(this.#interesting)
        return
      case 5:
        this.#store(at, random.pick(this.#interesting), random.pick([2, 4]))
        return
      case 6:
        bytes[at]! += random.below(2) === 0 ? 1 + random.below(8) : -1 - random.below(8)
        return
      case 7:
        this.#remove(at, 1 + random.below(Math.min(8, this.#length - at)))
        return
      case 8:
        this.#copyWithin(at)
        return
      case 9:
        this.#splice(at, other)
        return
      case 10:
        this.#shiftBits(at * 8 + random.below(8), random.below(2) === 0)
        return
      default:
        this.#length = at
    }
  }

  #insert(at: number, count: number): void {
    const room = Math.min(count, inputBytesMax - this.#length)
    this.#bytes.copyWithin(at + room, at, this.#length)
    for (let index = 0; index < room; index++) {
      this.#bytes[at + index] =
        this.#random.below(2) === 0 ? this.#random.u32() : this.#random.pick(this.#interesting)
    }
    this.#length += room
  }

  #remove(at: number, count: number): void {
    this.#bytes.copyWithin(at, at + count, this.#length)
    this.#length -= count
  }

  #store(at: number, value: number, size: number): void {
    for (let index = 0; index < size && at + index < this.#length; index++) {
      this.#bytes[at + index] = value >>> (8 * index)
    }
  }

  #copyWithin(at: number): void {
    const from = this.#random.below(this.#length)
    const count = 1 + this.#random.below(Math.min(16, this.#length - Math.max(from, at)))
    this.#bytes.copyWithin(at, from, from + count)
  }

  /** Goes on with the rest of another input. */
  #splice(at: number, other: Uint8Array): void {
    const from = this.#random.below(other.length + 1)
    const rest = other.subarray(from, from + inputBytesMax - at)
    this.#bytes.set(rest, at)
    this.#length = at + rest.length
  }

  /** Puts a bit in, or takes one out; the last byte loses or gains what is left over. */
  #shiftBits(bitAt: number, isInserting: boolean): void {
    const bytes = this.#bytes
    const at = bitAt >>> 3
    const shift = bitAt & 7
    const low = bytes[at]! & ((1 << shift) - 1)
    const high = bytes[at]! >>> shift
    if (isInserting) {
      let carry = bytes[at]! >>> 7
      bytes[at] = low | (this.#random.below(2) << shift) | (high << (shift + 1))
      for (let index = at + 1; index < this.#length; index++) {
        const next = bytes[index]! >>> 7
        bytes[index] = (bytes[index]! << 1) | carry
        carry = next
      }
      return
    }
    bytes[at] = low | ((high >>> 1) << shift)
    for (let index = at + 1; index < this.#length; index++) {
      bytes[index - 1]! |= (bytes[index]! & 1) << 7
      bytes[index]! >>>= 1
    }
  }
}
