import { crc32 } from '../../base/crc32.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { checksumBytes, partsMax } from '../limits.ts'
import { marks, partKindShift, partKinds, partLastMark, partLengthMask } from './packet-format.ts'

/** Bytes of marks, epoch and number. */
const headBytesMin = 5

/**
 * Takes a packet apart without keeping or copying anything of it. The bytes are a stranger's, and on
 * an open port most of what is wrong with them is noise: the answer is `false`, not an exception,
 * because a flood must cost as little as possible.
 */
export class PacketReader {
  epoch = 0
  /** The low bits of the packet's number. */
  number = 0
  hasAck = false
  ack = 0
  /** As a signed number: -1 is "all received". */
  mask = 0
  heldMs = 0
  /** How many parts there are; the arrays below hold one entry for each. */
  partCount = 0
  readonly partKind = new Uint8Array(partsMax)
  readonly partIsLast = new Uint8Array(partsMax)
  /** The segment's number, or the code of a close. */
  readonly partNumber = new Uint16Array(partsMax)
  readonly partStart = new Uint16Array(partsMax)
  readonly partEnd = new Uint16Array(partsMax)
  /** Where the tick message lies; start and end are equal when there is none. */
  tickStart = 0
  tickEnd = 0

  // `private` instead of `#` for the reason given in BitWriter.
  private at = 0
  private end = 0

  /**
   * Whether `bytes` is the one encoding of a packet; then the fields are its content. `mark` belongs
   * to the side that sent it; `undefined` when packets carry no checksum.
   */
  read(bytes: Uint8Array, mark: number | undefined): boolean {
    const size = bytes.length
    if (size > datagramBytesMax) return false
    const end = mark === undefined ? size : size - checksumBytes
    if (end < headBytesMin) return false
    if (mark !== undefined && !isIntact(bytes, end, mark)) return false
    const bits = bytes[0]!
    this.epoch = bytes[1]! | (bytes[2]! << 8)
    this.number = bytes[3]! | (bytes[4]! << 8)
    this.at = headBytesMin
    this.end = end
    if (!this.readAck(bytes, bits)) return false
    this.partCount = 0
    if ((bits & marks.parts) !== 0 && !this.readParts(bytes)) return false
    this.tickStart = this.at
    this.tickEnd = end
    // A packet says something, and nothing stands behind it.
    const hasTick = (bits & marks.tick) !== 0
    return hasTick === this.at < end && (bits & ~marks.maskBytes & ~marks.held) !== 0
  }

  /** The code of the first close in it; `undefined` when there is none. */
  closeCode(): number | undefined {
    for (let index = 0; index < this.partCount; index++) {
      if (this.partKind[index] === partKinds.close) return this.partNumber[index]
    }
    return undefined
  }

  private readAck(bytes: Uint8Array, bits: number): boolean {
    this.hasAck = (bits & marks.ack) !== 0
    if (!this.hasAck) return (bits & (marks.maskBytes | marks.held)) === 0
    let { at } = this
    // Bytes past the end read as `undefined`, become 0, and the check below finds it out.
    this.ack = bytes[at]! | (bytes[at + 1]! << 8)
    at += 2
    this.heldMs = 0
    if ((bits & marks.held) !== 0) {
      this.heldMs = bytes[at++]! | 0
      if (this.heldMs === 0) return false
    }
    let mask = -1
    if ((bits & marks.maskBytes) !== 0) {
      for (let index = 0; index < 4; index++) {
        if ((bits & (1 << index)) === 0) continue
        const absent = ~bytes[at++]! & 0xff
        if (absent === 0) return false
        mask ^= absent << (8 * index)
      }
    }
    this.mask = mask
    this.at = at
    return at <= this.end
  }

  private readParts(bytes: Uint8Array): boolean {
    const { end } = this
    let { at } = this
    if (at >= end) return false
    const count = bytes[at++]!
    if (count === 0) return false
    for (let index = 0; index < count; index++) {
      if (at + 2 > end) return false
      const head = bytes[at]! | (bytes[at + 1]! << 8)
      at += 2
      const kind = head >>> partKindShift
      const size = head & partLengthMask
      this.partKind[index] = kind
      this.partIsLast[index] = (head & partLastMark) === 0 ? 0 : 1
      const isSegment = kind === partKinds.control || kind === partKinds.bulk
      // A segment is never empty; the others have no content and no marks.
      if (isSegment ? size === 0 : (head & (partLengthMask | partLastMark)) !== 0) return false
      if (kind > partKinds.ping) return false
      if (kind !== partKinds.ping) {
        if (at + 2 + size > end) return false
        this.partNumber[index] = bytes[at]! | (bytes[at + 1]! << 8)
        at += 2
      }
      this.partStart[index] = at
      at += size
      this.partEnd[index] = at
    }
    this.partCount = count
    this.at = at
    return true
  }
}

function isIntact(bytes: Uint8Array, end: number, mark: number): boolean {
  const sum =
    bytes[end]! | (bytes[end + 1]! << 8) | (bytes[end + 2]! << 16) | (bytes[end + 3]! << 24)
  return sum === (crc32(bytes, end) ^ mark)
}
