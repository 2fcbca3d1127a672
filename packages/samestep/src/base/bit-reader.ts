import { assert } from './assert.ts'
import type { WireErrorCode } from './errors.ts'
import { WireError } from './errors.ts'

/**
 * Takes apart what {@link BitWriter} packed. The bytes are a stranger's: whatever is wrong with them
 * throws a {@link WireError}, and nothing else is ever thrown.
 *
 * Keep a reader and {@link reset} it to make no garbage.
 */
export class BitReader {
  // `private` instead of `#` for the reason given in BitWriter.
  private source: Uint8Array
  private startByte: number
  private endByte: number
  /** The byte that holds the next bit. */
  private at: number
  /** The place of the next bit in that byte, 0 to 7. */
  private shift = 0

  constructor(bytes: Uint8Array = noBytes, start = 0, end: number = bytes.length) {
    checkBounds(bytes, start, end)
    this.source = bytes
    this.startByte = start
    this.endByte = end
    this.at = start
  }

  /** Starts over with other bytes, from `start` to before `end`. */
  reset(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    checkBounds(bytes, start, end)
    this.source = bytes
    this.startByte = start
    this.endByte = end
    this.at = start
    this.shift = 0
  }

  /** How many bits are left, the padding of the last byte included. */
  get remainingBits(): number {
    return (this.endByte - this.at) * 8 - this.shift
  }

  /** Where the next bit is, in bytes from the start. */
  get offset(): number {
    return this.at - this.startByte
  }

  /** The next `count` bits, 0 to 32, as an unsigned number. */
  bits(count: number): number {
    const { source, shift, at } = this
    const total = shift + count
    if (total > (this.endByte - at) * 8) this.failTruncated(count)
    if (count === 0) return 0
    let value = source[at]! >>> shift
    // Byte by byte, up to five: a shift of 24 or more drops what belongs to the next value.
    if (total > 8) {
      value |= source[at + 1]! << (8 - shift)
      if (total > 16) {
        value |= source[at + 2]! << (16 - shift)
        if (total > 24) {
          value |= source[at + 3]! << (24 - shift)
          if (total > 32) value |= source[at + 4]! << (32 - shift)
        }
      }
    }
    this.at = at + (total >>> 3)
    this.shift = total & 7
    return (value & (0xffff_ffff >>> (32 - count))) >>> 0
  }

  /** Skips to the next whole byte. The skipped bits must be zero. */
  align(): void {
    if (this.shift === 0) return
    if (this.source[this.at]! >>> this.shift !== 0) {
      throw this.fault('SS_WIRE_NOT_CANONICAL', 'Cannot accept padding bits that are not zero')
    }
    this.at++
    this.shift = 0
  }

  /** The next `length` bytes as a copy. */
  bytes(length: number): Uint8Array {
    if (length * 8 > this.remainingBits) this.failTruncated(length * 8)
    const { source, shift, at } = this
    this.at = at + length
    const copy = new Uint8Array(length)
    if (shift === 0) {
      // Not `slice`, which gives a view on Node's buffers, and is slower for the few bytes of a tick.
      if (length > loopBytesMax) copy.set(source.subarray(at, at + length))
      else for (let index = 0; index < length; index++) copy[index] = source[at + index]!
      return copy
    }
    for (let index = 0; index < length; index++) {
      copy[index] = (source[at + index]! >>> shift) | (source[at + index + 1]! << (8 - shift))
    }
    return copy
  }

  /**
   * The next `length` bytes, borrowed from the source when they are aligned (a copy when they are
   * not). Valid for as long as the source is.
   */
  view(length: number): Uint8Array {
    if (this.shift !== 0) return this.bytes(length)
    if (length * 8 > this.remainingBits) this.failTruncated(length * 8)
    const { at } = this
    this.at = at + length
    return this.source.subarray(at, at + length)
  }

  /** Passes over `length` bytes. */
  skip(length: number): void {
    if (length * 8 > this.remainingBits) this.failTruncated(length * 8)
    this.at += length
  }

  /**
   * Says that the value is complete: only the zero padding of its last byte may be left.
   * Left-over bytes mean that the two sides disagree about the format.
   */
  end(): void {
    this.align()
    if (this.at === this.endByte) return
    const left = this.endByte - this.at
    throw this.fault('SS_WIRE_TRAILING_BYTES', `Cannot accept ${left} left-over bytes`)
  }

  /** An error that names the place where reading stopped. The caller throws it. */
  fault(code: WireErrorCode, message: string): WireError {
    return new WireError(code, this.offset, `${message}, at byte ${this.offset}`)
  }

  private failTruncated(bits: number): never {
    throw this.fault(
      'SS_WIRE_TRUNCATED',
      `Cannot read ${bits} bits: only ${this.remainingBits} are left`,
    )
  }
}

const noBytes = new Uint8Array(0)

/** Up to this many bytes, a loop is faster than the calls that `set` needs. */
const loopBytesMax = 64

function checkBounds(bytes: Uint8Array, start: number, end: number): void {
  if (start >= 0 && start <= end && end <= bytes.length) return
  assert(false, `Cannot read from ${start} to ${end}: there are ${bytes.length} bytes`)
}
