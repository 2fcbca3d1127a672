import { assert } from '../../base/assert.ts'
import { crc32 } from '../../base/crc32.ts'
import { Slab } from '../../base/slab.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { checksumBytes, partsMax, segmentHeadBytes } from '../limits.ts'
import { heldUnknown, marks, partKindShift, partKinds, partLastMark } from './packet-format.ts'

/**
 * Writes one packet after the other into the same memory; `packet-format.ts` has the layout. Call
 * {@link begin}, {@link acknowledge}, parts, {@link tick} and {@link finish} in this sequence; all
 * but the first and the last may be left out.
 */
export class PacketWriter {
  // `private` instead of `#` for the reason given in BitWriter.
  private readonly words = new Uint32Array(Math.ceil(datagramBytesMax / 4))
  private readonly buffer = new Uint8Array(this.words.buffer, 0, datagramBytesMax)
  private readonly slab = new Slab()
  private length = 0
  private marks = 0
  /** Where the count of parts stands, if there are parts. */
  private partsAt = 0
  /** Bytes of messages among those written. */
  private payload = 0

  /** Bytes written so far, without checksum. */
  get byteLength(): number {
    return this.length
  }

  /** Bytes of messages among those written so far. */
  get payloadBytes(): number {
    return this.payload
  }

  begin(epoch: number, number: number): void {
    const { buffer } = this
    buffer[1] = epoch
    buffer[2] = epoch >>> 8
    buffer[3] = number
    buffer[4] = number >>> 8
    this.length = 5
    this.marks = 0
    this.payload = 0
  }

  acknowledge(ack: number, mask: number, heldMs: number): void {
    const { buffer } = this
    let at = this.length
    let bits: number = marks.ack
    buffer[at++] = ack
    buffer[at++] = ack >>> 8
    const held = Math.min(Math.round(heldMs), heldUnknown)
    if (held > 0) {
      bits |= marks.held
      buffer[at++] = held
    }
    if (mask !== -1) {
      for (let index = 0; index < 4; index++) {
        const byte = (mask >>> (8 * index)) & 0xff
        if (byte === 0xff) continue
        bits |= 1 << index
        buffer[at++] = byte
      }
    }
    this.length = at
    this.marks |= bits
  }

  /** Appends the bytes of `message` from `start` to before `end` as one segment of a lane. */
  segment(
    kind: 'control' | 'bulk',
    number: number,
    isLast: boolean,
    message: Uint8Array,
    start: number,
    end: number,
  ): void {
    const size = end - start
    this.addHead(partKinds[kind], size | (isLast ? partLastMark : 0))
    this.addU16(number)
    const { buffer, length } = this
    for (let at = 0; at < size; at++) buffer[length + at] = message[start + at]!
    this.length = length + size
    this.payload += size
  }

  close(code: number): void {
    this.addHead(partKinds.close, 0)
    this.addU16(code)
  }

  ping(): void {
    this.addHead(partKinds.ping, 0)
  }

  tick(message: Uint8Array): void {
    const { buffer, length } = this
    const size = message.length
    // Messages of a tick are short: a loop beats the call of `set`.
    if (size <= 64) for (let at = 0; at < size; at++) buffer[length + at] = message[at]!
    else buffer.set(message, length)
    this.length = length + size
    this.payload += size
    this.marks |= marks.tick
  }

  /** The packet, as bytes of its own. `mark` is the side's, or `undefined` for no checksum. */
  finish(mark: number | undefined): Uint8Array {
    const { buffer } = this
    buffer[0] = this.marks
    let end = this.length
    if (mark !== undefined) {
      const sum = crc32(buffer, end) ^ mark
      buffer[end] = sum
      buffer[end + 1] = sum >>> 8
      buffer[end + 2] = sum >>> 16
      buffer[end + 3] = sum >>> 24
      end += checksumBytes
    }
    return this.slab.copy(this.words, end)
  }

  private addHead(kind: number, rest: number): void {
    const { buffer } = this
    if ((this.marks & marks.parts) === 0) {
      this.marks |= marks.parts
      this.partsAt = this.length++
      buffer[this.partsAt] = 0
    }
    const count = buffer[this.partsAt]! + 1
    assert(count <= partsMax, 'A packet with too many parts')
    assert(this.length + segmentHeadBytes <= buffer.length, 'A packet without room for a part')
    buffer[this.partsAt] = count
    this.addU16((kind << partKindShift) | rest)
  }

  private addU16(value: number): void {
    this.buffer[this.length++] = value
    this.buffer[this.length++] = value >>> 8
  }
}
