import { assert } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { snapshotBytesMax } from './limits.ts'
import { MaskPool } from './masks.ts'

/** Bytes that one unit of a JavaScript string becomes at most; pairs of units share four. */
const utf8BytesPerUnitMax = 3

/** Room for a small game's snapshot, so that most buffers never grow. */
const initialBytes = 64 * 1024

/**
 * Reusable memory for snapshots. Allocating 640 KB costs ten times as much as filling it, so code that
 * saves often (the ring of recent ticks, a donor) keeps one buffer per snapshot held.
 *
 * {@link writeSnapshot} returns a view into this memory: the next snapshot written to the same buffer
 * overwrites it.
 */
export class SnapshotBuffer {
  /** All memory, used or not. Replaced when it grows. */
  bytes: Uint8Array<ArrayBuffer>
  /** The same memory in words, for the packer. */
  words: Int32Array<ArrayBuffer>
  /** The same memory for single numbers. */
  view: DataView<ArrayBuffer>
  /** Bytes written so far. */
  length = 0
  /** The masks of the table being packed. */
  readonly masks = new MaskPool()
  private isBusy = false

  constructor(capacityBytes: number = initialBytes) {
    const buffer = new ArrayBuffer(alignUp(capacityBytes))
    this.bytes = new Uint8Array(buffer)
    this.words = new Int32Array(buffer)
    this.view = new DataView(buffer)
  }

  /** Starts a snapshot. The memory can hold only one at a time. */
  begin(): void {
    if (this.isBusy) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        'Cannot write a snapshot into a buffer while another is being written into it: use two',
      )
    }
    this.isBusy = true
    this.length = 0
  }

  /** Ends a snapshot, finished or not. */
  end(): void {
    this.isBusy = false
  }

  /** Makes room for `more` bytes after {@link length}, and moves what was written so far if needed. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    if (needed > snapshotBytesMax) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot write a snapshot of ${needed} bytes: the limit is ${snapshotBytesMax}`,
      )
    }
    // Doubling makes the number of moves small; the limit is the last step.
    const capacity = Math.min(Math.max(alignUp(needed), this.bytes.length * 2), snapshotBytesMax)
    const old = this.bytes
    const buffer = new ArrayBuffer(capacity)
    this.bytes = new Uint8Array(buffer)
    this.words = new Int32Array(buffer)
    this.view = new DataView(buffer)
    this.bytes.set(old.subarray(0, this.length))
  }

  /** Appends a text in UTF-8, and returns how many bytes that took. */
  writeText(text: string): number {
    this.reserve(text.length * utf8BytesPerUnitMax)
    const { bytes, length } = this
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit >= 0x80) return this.writeEncoded(encodeUtf8(text))
      bytes[length + index] = unit
    }
    this.length = length + text.length
    return text.length
  }

  /** Fills with zeros up to the next multiple of 8, or of another power of two. */
  pad(unit = 8): void {
    const end = alignUp(this.length, unit)
    if (end === this.length) return
    this.reserve(end - this.length)
    const { bytes, words } = this
    let at = this.length
    while (at % 4 !== 0) bytes[at++] = 0
    for (let word = at / 4; word < end / 4; word++) words[word] = 0
    this.length = end
  }

  private writeEncoded(text: Uint8Array): number {
    this.bytes.set(text, this.length)
    this.length += text.length
    return text.length
  }

  /** A copy of everything written. */
  copy(): Uint8Array {
    assert(!this.isBusy, 'A snapshot is copied once it is finished')
    return this.bytes.slice(0, this.length)
  }
}

/** The next multiple of 8, or of another power of two. */
export function alignUp(offset: number, unit = 8): number {
  return (offset + unit - 1) & -unit
}
