import { assert } from '../../base/assert.ts'
import { copyBytes } from '../../base/copy-bytes.ts'
import { closeCodes } from '../../wire/codes.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import type { Channel, ChannelMessage, ChannelState, ChannelStats } from '../channel.ts'
import { Fifo } from '../fifo.ts'
import { Inbox } from '../inbox.ts'
import type { LaneStats, LanesStats } from '../lane-stats.ts'
import { LaneCounters } from '../lane-stats.ts'
import {
  laneMessageBytesMax,
  laneQueueBytesMax,
  messageChargeBytes,
  streamBacklogBytesMax,
  streamBulkEveryMs,
  streamInboxBytesMax,
  streamOutboxBytesMax,
} from '../limits.ts'
import { DrainMeter } from './drain-meter.ts'

/**
 * First bytes. Those of control messages are lower, those of tick messages start at
 * {@link tickByteMin}.
 */
const bulkByte = 0x3e
const closeByte = 0x3f
const tickByteMin = 0x40

/** Shared by all: a relay has thousands of channels, and reads the state of each in every tick. */
const open: ChannelState = { name: 'open' }

/** Bytes of a close packet: its first byte and the code. */
const closeBytes = 3

/**
 * A channel over a stream of messages that arrive once and in sequence, such as a WebSocket. A packet
 * is a message; its first byte tells the lane:
 *
 *     00 to 3d   control
 *     3e         bulk; the message is the rest
 *     3f         close; the code follows, u16
 *     40 to ff   tick
 *
 * Nothing is repeated or dropped on the way out: if the transport does not keep up, the channel
 * fails. Bulk is held back while the transport reports a backlog. Messages given to a channel that is
 * no longer open are dropped.
 */
export class StreamChannel implements Channel, ChannelStats {
  // Fields for every incoming packet, then those for every outgoing one: a relay updates thousands of
  // channels in every tick, and each field that is not adjacent costs a cache miss.
  packetsReceived = 0
  bytesReceived = 0
  messagesReceived = 0
  /** Messages in the inbox. */
  #waiting = 0
  #state: ChannelState = open
  #nowMs: number
  /** The oldest packet for the transport: usually the only one, and polled at once. */
  #packet: Uint8Array | undefined
  #outboxBytes = 0
  #bulkBytes = 0
  packetsSent = 0
  bytesSent = 0
  messagesSent = 0
  readonly kind = 'stream'
  overheadBytes = 0
  packetsDropped = 0
  /** The packets behind the oldest one. */
  readonly #outbox = new Fifo<Uint8Array>()
  readonly #inbox = new Inbox(streamInboxBytesMax)
  readonly #bulk = new Fifo<Uint8Array>()
  #bulkAtMs: number
  /** Counts of the other lanes. Those of ticks, which are nearly everything, follow from the totals. */
  readonly #control = new LaneCounters()
  readonly #bulkCounts = new LaneCounters()
  /** Goodbyes that were sent, and received bytes that belong to no message. */
  #goodbyes = 0
  #strayBytes = 0
  readonly #backlogBytes: () => number
  readonly #drain = new DrainMeter()

  /** `backlogBytes` returns how many bytes the transport has taken but not sent yet. */
  constructor(nowMs: number, backlogBytes: () => number = nothing) {
    this.#backlogBytes = backlogBytes
    this.#nowMs = nowMs
    this.#bulkAtMs = nowMs
  }

  get state(): ChannelState {
    return this.#state
  }

  /** The counters themselves: they keep growing. */
  get stats(): ChannelStats {
    return this
  }

  // A stream measures neither round trip nor loss.

  get rttMs(): undefined {
    return undefined
  }

  get rttVariationMs(): undefined {
    return undefined
  }

  get packetsLost(): number {
    return 0
  }

  get packetsResent(): number {
    return 0
  }

  get lossShare(): number {
    return 0
  }

  /** Ticks are what is left of the totals, so that counting them costs nothing in each tick. */
  get lanes(): LanesStats {
    const [control, bulk] = [this.#control, this.#bulkCounts]
    const others = control.messagesReceived + bulk.messagesReceived
    const otherBytes = control.bytesReceived + bulk.bytesReceived
    const tick: LaneStats = {
      messagesSent: this.packetsSent - control.messagesSent - bulk.messagesSent - this.#goodbyes,
      bytesSent: this.bytesSent - control.bytesSent - bulk.bytesSent - this.overheadBytes,
      messagesReceived: this.messagesReceived - others,
      bytesReceived: this.bytesReceived - otherBytes - this.#strayBytes,
      resent: 0,
      overtaken: 0,
    }
    return { tick, control: { ...control }, bulk: { ...bulk } }
  }

  /** How long the transport's backlog will take, by how fast it passed on what it held before. */
  get queueMs(): number {
    return this.#drain.queueMs(this.#backlogBytes(), this.bytesSent, this.#nowMs)
  }

  /** Bytes of packets and messages that the channel holds. */
  get heldBytes(): number {
    return this.#outboxBytes + this.#bulkBytes + this.#inbox.heldBytes
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    this.packetsReceived++
    this.bytesReceived += bytes.length
    if (this.#accept(bytes)) return
    this.packetsDropped++
    this.#strayBytes += bytes.length
  }

  handleTime(nowMs: number): void {
    this.#advanceTo(nowMs)
  }

  /** The transport's connection ended without a goodbye. What was received can still be polled. */
  handleDisconnect(nowMs: number): void {
    this.#advanceTo(nowMs)
    if (this.#state.name !== 'closed') this.#end('lost')
  }

  sendControl(message: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    assert(
      message.length > 0 && message[0]! < bulkByte,
      `A control message begins with a byte below 0x3e, not with ${message[0]}`,
    )
    assert(message.length <= laneMessageBytesMax, `A message of ${message.length} bytes`)
    if (this.#state.name === 'open') this.#send(copyBytes(message))
  }

  sendTick(message: Uint8Array, nowMs: number, isLasting = false): void {
    this.#advanceTo(nowMs)
    if (message.length === 0 || message[0]! < tickByteMin) {
      assert(false, `A tick message begins with a byte from 0x40 on, not with ${message[0]}`)
    }
    if (message.length > streamPacketBytesMax) assert(false, `A message of ${message.length} bytes`)
    if (this.#state.name === 'open') this.#send(isLasting ? message : copyBytes(message))
  }

  sendBulk(message: Uint8Array, nowMs: number): boolean {
    this.#advanceTo(nowMs)
    assert(
      message.length > 0 && message.length <= laneMessageBytesMax,
      `A bulk message has 1 to ${laneMessageBytesMax} bytes, not ${message.length}`,
    )
    const charge = message.length + 1 + messageChargeBytes
    if (this.#state.name !== 'open' || this.#bulkBytes + charge > laneQueueBytesMax) return false
    const packet = new Uint8Array(message.length + 1)
    packet[0] = bulkByte
    packet.set(message, 1)
    this.#bulk.push(packet)
    this.#bulkBytes += charge
    this.messagesSent++
    return true
  }

  pollMessage(): ChannelMessage | undefined {
    const message = this.#inbox.poll()
    if (message !== undefined) this.#waiting -= 1
    return message
  }

  pollPacket(): Uint8Array | undefined {
    if (this.#state.name === 'closed') return undefined
    const packet = this.#packet ?? this.#takeBulk()
    if (packet === undefined) return undefined
    const first = packet[0]!
    this.packetsSent++
    this.bytesSent += packet.length
    if (first === bulkByte) {
      this.overheadBytes++
      this.#bulkCounts.noteSent(packet.length - 1)
    } else {
      this.#takeOut(packet)
      if (first < bulkByte) this.#control.noteSent(packet.length)
    }
    if (first === closeByte && this.#state.name === 'closing') {
      this.overheadBytes += closeBytes
      this.#goodbyes += 1
      this.#end(this.#state.code)
    }
    return packet
  }

  wakeAtMs(): number {
    if (this.#bulkBytes === 0) return Number.POSITIVE_INFINITY
    // With a backlog, the next call finds out whether it is gone.
    const isFree = this.#backlogBytes() <= streamBacklogBytesMax
    return isFree ? this.#bulkAtMs : Math.max(this.#bulkAtMs, this.#nowMs + streamBulkEveryMs)
  }

  close(code: number, nowMs: number): void {
    this.#advanceTo(nowMs)
    assert(Number.isInteger(code) && code >= 0 && code <= 0xffff, `Not a close code: ${code}`)
    if (this.#state.name !== 'open') return
    this.#dropBulk()
    this.#queue(Uint8Array.of(closeByte, code, code >>> 8))
    this.#state = { name: 'closing', code }
  }

  #accept(bytes: Uint8Array): boolean {
    const first = bytes[0]
    if (first === undefined || bytes.length > streamPacketBytesMax) return false
    if (this.#state.name === 'closed') return false
    if (first === closeByte) {
      if (bytes.length !== closeBytes) return false
      const code = bytes[1]! | (bytes[2]! << 8)
      this.#strayBytes += closeBytes
      // A channel that is closing already keeps its own reason.
      this.#end(this.#state.name === 'closing' ? this.#state.code : code)
      return true
    }
    if (this.#inbox.isFull) {
      // Dropping one would break the promise of the lanes.
      this.#end(closeCodes.rate)
      return false
    }
    if (first === bulkByte) {
      if (bytes.length === 1) return false
      this.#inbox.push('bulk', copyBytes(bytes, 1))
      this.#bulkCounts.noteReceived(bytes.length - 1)
      this.#strayBytes += 1
    } else if (first >= tickByteMin) this.#inbox.push('tick', bytes)
    else {
      this.#inbox.push('control', bytes)
      this.#control.noteReceived(bytes.length)
    }
    this.#waiting += 1
    this.messagesReceived++
    return true
  }

  #send(packet: Uint8Array): void {
    if (this.#outboxBytes > streamOutboxBytesMax) {
      this.#end(closeCodes['too-slow'])
      return
    }
    this.#queue(packet)
    this.messagesSent++
  }

  #queue(packet: Uint8Array): void {
    if (this.#packet === undefined) this.#packet = packet
    else this.#outbox.push(packet)
    this.#outboxBytes += packet.length + messageChargeBytes
  }

  /** Makes the next packet the oldest. Usually there is none, and nothing else is touched. */
  #takeOut(packet: Uint8Array): void {
    this.#outboxBytes -= packet.length + messageChargeBytes
    this.#packet = this.#outboxBytes === 0 ? undefined : this.#outbox.shift()
  }

  #takeBulk(): Uint8Array | undefined {
    if (this.#bulkBytes === 0 || this.#nowMs < this.#bulkAtMs) return undefined
    if (this.#backlogBytes() > streamBacklogBytesMax) return undefined
    const packet = this.#bulk.shift()
    if (packet === undefined) return undefined
    this.#bulkBytes -= packet.length + messageChargeBytes
    this.#bulkAtMs = this.#nowMs + streamBulkEveryMs
    return packet
  }

  #dropBulk(): void {
    this.#bulk.clear()
    this.#bulkBytes = 0
  }

  #end(code: number | 'lost'): void {
    this.#state = { name: 'closed', code }
    this.#packet = undefined
    this.#outbox.clear()
    this.#outboxBytes = 0
    this.#dropBulk()
  }

  #advanceTo(nowMs: number): void {
    // The message is built only if it is needed: this runs several times for each packet.
    if (!(nowMs >= this.#nowMs)) assert(false, `Time went back from ${this.#nowMs} to ${nowMs} ms`)
    this.#nowMs = nowMs
  }
}

/** For transports that cannot tell their backlog. */
function nothing(): number {
  return 0
}
