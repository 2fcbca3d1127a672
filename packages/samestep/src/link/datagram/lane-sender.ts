import { assert } from '../../base/assert.ts'
import { copyBytes } from '../../base/copy-bytes.ts'
import { Fifo } from '../fifo.ts'
import {
  laneMessageBytesMax,
  laneQueueBytesMax,
  messageChargeBytes,
  segmentBytesMin,
  segmentHeadBytes,
} from '../limits.ts'
import { low16 } from './sequence.ts'

/** A piece of a message, cut when it is first sent and sent again as it is until it arrives. */
export interface Segment {
  /** Counts the segments of a lane, low 16 bits. */
  readonly number: number
  readonly message: Uint8Array
  readonly start: number
  readonly end: number
  readonly isLast: boolean
  /** Whether an earlier packet carried it and was lost. */
  readonly isResent: boolean
}

interface SentSegment extends Segment {
  isResent: boolean
  state: 'in-flight' | 'lost' | 'acked'
  /** The packet that carried it last. */
  packet: number
}

/**
 * The sending half of a reliable lane: messages go in, segments come out until each was
 * acknowledged.
 *
 *     messages  ──cut──►  window of segments (in flight, lost, acked)  ──oldest acked──►  forgotten
 *
 * Numbers count segments, not messages: one mechanism gives sequence, uniqueness and fragments, and
 * no length or count travels that a receiver would have to believe.
 */
export class LaneSender {
  readonly #segmentsMax: number
  /** Messages of which something is not cut yet; the first of them is cut up to `#cutAt`. */
  readonly #messages = new Fifo<Uint8Array>()
  #cutAt = 0
  /** From the oldest one that is not acknowledged. */
  readonly #segments: SentSegment[] = []
  #nextNumber: number
  #queuedBytes = 0
  #lostCount = 0
  #inFlightCount = 0
  #inFlightBytes = 0

  constructor(segmentsMax: number, firstNumber: number) {
    this.#segmentsMax = segmentsMax
    this.#nextNumber = low16(firstNumber)
  }

  /** Bytes that wait for being acknowledged, with a charge for each message. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  get inFlightBytes(): number {
    return this.#inFlightBytes
  }

  get inFlightCount(): number {
    return this.#inFlightCount
  }

  /** Whether everything arrived. */
  get isEmpty(): boolean {
    return this.#messages.length === 0 && this.#segments.length === 0
  }

  /** Whether {@link take} has something, given enough room. */
  get isWaiting(): boolean {
    if (this.#lostCount > 0) return true
    return this.#messages.length > 0 && this.#segments.length < this.#segmentsMax
  }

  /** Queues a copy of `message`. False when there is no room for it. */
  offer(message: Uint8Array): boolean {
    assert(
      message.length > 0 && message.length <= laneMessageBytesMax,
      `A lane carries messages of 1 to ${laneMessageBytesMax} bytes, not ${message.length}`,
    )
    const charge = message.length + messageChargeBytes
    if (this.#queuedBytes + charge > laneQueueBytesMax) return false
    this.#queuedBytes += charge
    this.#messages.push(copyBytes(message))
    return true
  }

  /**
   * The next segment to put into packet number `packet`, which has room for `roomBytes` including
   * the segment's head. Lost ones come first. `undefined` when nothing waits or fits.
   */
  take(roomBytes: number, packet: number): Segment | undefined {
    const room = roomBytes - segmentHeadBytes
    if (room <= 0) return undefined
    const segment = this.#takeLost(room) ?? this.#cut(room)
    if (segment === undefined) return undefined
    segment.state = 'in-flight'
    segment.packet = packet
    this.#inFlightCount++
    this.#inFlightBytes += segment.end - segment.start
    return segment
  }

  /** Packet number `packet` arrived. Returns how many bytes of this lane it confirms. */
  handleAcked(packet: number): number {
    let bytes = 0
    for (const segment of this.#segments) {
      if (segment.packet !== packet || segment.state === 'acked') continue
      if (segment.state === 'lost') this.#lostCount--
      else this.#leaveFlight(segment)
      segment.state = 'acked'
      bytes += segment.end - segment.start
    }
    while (this.#segments[0]?.state === 'acked') {
      const segment = this.#segments.shift()!
      this.#queuedBytes -= segment.end - segment.start
      if (segment.isLast) this.#queuedBytes -= messageChargeBytes
    }
    return bytes
  }

  /** Packet number `packet` did not arrive. Returns how many bytes must be sent again. */
  handleLost(packet: number): number {
    let bytes = 0
    for (const segment of this.#segments) {
      if (segment.packet !== packet || segment.state !== 'in-flight') continue
      segment.state = 'lost'
      this.#leaveFlight(segment)
      this.#lostCount++
      bytes += segment.end - segment.start
    }
    return bytes
  }

  /** The packets that still carry something of this lane. */
  packetsInFlight(): number[] {
    return this.#segments.filter(({ state }) => state === 'in-flight').map(({ packet }) => packet)
  }

  /** Forgets everything. The other side will miss it. */
  clear(): void {
    this.#messages.clear()
    this.#segments.length = 0
    this.#cutAt = 0
    this.#queuedBytes = 0
    this.#lostCount = 0
    this.#inFlightCount = 0
    this.#inFlightBytes = 0
  }

  #takeLost(room: number): SentSegment | undefined {
    if (this.#lostCount === 0) return undefined
    const fits = ({ state, start, end }: SentSegment): boolean =>
      state === 'lost' && end - start <= room
    const segment = this.#segments.find(fits)
    if (segment === undefined) return undefined
    this.#lostCount--
    segment.isResent = true
    return segment
  }

  #cut(room: number): SentSegment | undefined {
    const message = this.#messages.peek()
    if (message === undefined || this.#segments.length >= this.#segmentsMax) return undefined
    const rest = message.length - this.#cutAt
    if (rest > room && room < segmentBytesMin) return undefined
    const start = this.#cutAt
    const end = start + Math.min(rest, room)
    const isLast = end === message.length
    const number = this.#nextNumber
    const segment: SentSegment = {
      number,
      message,
      start,
      end,
      isLast,
      isResent: false,
      state: 'in-flight',
      packet: 0,
    }
    this.#nextNumber = low16(number + 1)
    this.#segments.push(segment)
    this.#cutAt = isLast ? 0 : end
    if (isLast) this.#messages.shift()
    return segment
  }

  #leaveFlight(segment: SentSegment): void {
    this.#inFlightCount--
    this.#inFlightBytes -= segment.end - segment.start
  }
}
