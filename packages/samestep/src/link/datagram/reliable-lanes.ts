import type { Inbox } from '../inbox.ts'
import type { LanesCounters } from '../lane-stats.ts'
import { bulkSegmentsMax, controlSegmentsMax, segmentHeadBytes } from '../limits.ts'
import { BulkPacer } from './bulk-pacer.ts'
import { LaneReceiver } from './lane-receiver.ts'
import { LaneSender } from './lane-sender.ts'
import { partKinds } from './packet-format.ts'
import type { PacketReader } from './packet-reader.ts'
import type { PacketWriter } from './packet-writer.ts'
import type { PathEstimator } from './path-estimator.ts'

/**
 * The control and the bulk lane of one channel, both directions. Control always comes first; bulk
 * gets what room is left in packets, and packets of its own when the pacer allows.
 */
export class ReliableLanes {
  readonly #control: LaneSender
  readonly #bulk: LaneSender
  readonly #controlIn: LaneReceiver
  readonly #bulkIn: LaneReceiver
  readonly #pacer: BulkPacer
  readonly #counters: LanesCounters
  #isOver = false

  constructor(inbox: Inbox, path: PathEstimator, firstNumber: number, counters: LanesCounters) {
    this.#counters = counters
    this.#control = new LaneSender(controlSegmentsMax, firstNumber)
    this.#bulk = new LaneSender(bulkSegmentsMax, firstNumber)
    const [control, bulk] = [controlSegmentsMax, bulkSegmentsMax]
    this.#controlIn = new LaneReceiver(
      'control',
      inbox,
      { segmentsMax: control, firstNumber },
      counters.control,
    )
    this.#bulkIn = new LaneReceiver(
      'bulk',
      inbox,
      { segmentsMax: bulk, firstNumber },
      counters.bulk,
    )
    this.#pacer = new BulkPacer(path)
  }

  /** Whether every control message arrived. */
  get isControlEmpty(): boolean {
    return this.#control.isEmpty
  }

  /** Whether some packet carries something of the lanes and has no verdict yet. */
  get isInFlight(): boolean {
    return this.#control.inFlightCount + this.#bulk.inFlightCount > 0
  }

  /** Bytes of memory that both directions hold, charges for messages included. */
  get heldBytes(): number {
    const sending = this.#control.queuedBytes + this.#bulk.queuedBytes
    return sending + this.#controlIn.heldBytes + this.#bulkIn.heldBytes
  }

  offerControl(message: Uint8Array): boolean {
    if (!this.#control.offer(message)) return false
    this.#counters.control.noteSent(message.length)
    return true
  }

  offerBulk(message: Uint8Array): boolean {
    if (!this.#bulk.offer(message)) return false
    this.#counters.bulk.noteSent(message.length)
    return true
  }

  /** Whether a packet should be made for the lanes' sake. */
  isWaiting(nowMs: number): boolean {
    return this.#control.isWaiting || (this.#bulk.isWaiting && this.#bulkAtMs() <= nowMs)
  }

  /**
   * Puts segments into the packet that is being written, as many as fit `roomBytes`. Returns how
   * many, and how many of them for another time.
   */
  fill(
    writer: PacketWriter,
    roomBytes: number,
    packet: number,
    nowMs: number,
  ): { readonly segments: number; readonly resent: number } {
    if (!this.#control.isWaiting && !this.#bulk.isWaiting) return nothing
    let room = roomBytes
    let segments = 0
    let resent = 0
    for (;;) {
      const control = this.#control.take(room, packet)
      const segment = control ?? this.#takeBulk(room, packet, nowMs)
      if (segment === undefined) return { segments, resent }
      const { number, isLast, message, start, end } = segment
      writer.segment(control ? 'control' : 'bulk', number, isLast, message, start, end)
      room -= segmentHeadBytes + end - start
      segments++
      if (!segment.isResent) continue
      this.#counters[control ? 'control' : 'bulk'].resent += 1
      resent++
    }
  }

  handleAcked(packet: number, nowMs: number): void {
    this.#control.handleAcked(packet)
    const bytes = this.#bulk.handleAcked(packet)
    if (bytes > 0) this.#pacer.handleAcked(bytes, nowMs)
  }

  handleLost(packet: number): void {
    this.#control.handleLost(packet)
    const bytes = this.#bulk.handleLost(packet)
    if (bytes > 0) this.#pacer.handleLost(bytes)
  }

  /** No acknowledgement came in time. */
  handleTimeout(): void {
    this.#pacer.handleTimeout()
  }

  /** Packets that carry something of the lanes and have no verdict yet. */
  packetsInFlight(): number[] {
    return [...this.#control.packetsInFlight(), ...this.#bulk.packetsInFlight()]
  }

  /** Whether all segments of a packet are ones that an honest sender may send now. */
  accepts(packet: PacketReader): boolean {
    for (let index = 0; index < packet.partCount; index++) {
      const lane = this.#receiverOf(packet.partKind[index]!)
      if (lane !== undefined && !lane.accepts(packet.partNumber[index]!)) return false
    }
    return true
  }

  /** Takes the segments of an accepted packet. False when a message has grown too long. */
  handleParts(packet: PacketReader, bytes: Uint8Array): boolean {
    if (this.#isOver) return true
    for (let index = 0; index < packet.partCount; index++) {
      const lane = this.#receiverOf(packet.partKind[index]!)
      if (lane === undefined) continue
      const isLast = packet.partIsLast[index] === 1
      const start = packet.partStart[index]!
      const end = packet.partEnd[index]!
      if (!lane.handleSegment(packet.partNumber[index]!, isLast, bytes, start, end)) return false
    }
    return true
  }

  /** When the bulk lane may send again; `Infinity` when it has nothing to send or no leave to. */
  wakeAtMs(): number {
    return this.#bulk.isWaiting ? this.#bulkAtMs() : Number.POSITIVE_INFINITY
  }

  /** Forgets what the bulk lane holds for the other side. */
  clearBulk(): void {
    this.#bulk.clear()
  }

  /** Forgets everything for good: what still comes in could not be put together any more. */
  clear(): void {
    this.#isOver = true
    this.#control.clear()
    this.#bulk.clear()
    this.#controlIn.clear()
    this.#bulkIn.clear()
  }

  #bulkAtMs(): number {
    return this.#pacer.sendAtMs(this.#control.inFlightBytes + this.#bulk.inFlightBytes)
  }

  #takeBulk(room: number, packet: number, nowMs: number): ReturnType<LaneSender['take']> {
    if (!this.#bulk.isWaiting || this.#bulkAtMs() > nowMs) return undefined
    const segment = this.#bulk.take(room, packet)
    if (segment === undefined) return undefined
    const inFlight = this.#control.inFlightBytes + this.#bulk.inFlightBytes
    this.#pacer.handleSent(segment.end - segment.start, inFlight, nowMs)
    return segment
  }

  #receiverOf(kind: number): LaneReceiver | undefined {
    if (kind === partKinds.control) return this.#controlIn
    return kind === partKinds.bulk ? this.#bulkIn : undefined
  }
}

const nothing = { segments: 0, resent: 0 }
