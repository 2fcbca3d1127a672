import { assert } from '../../base/assert.ts'
import { closeCodes } from '../../wire/codes.ts'
import type { Channel, ChannelMessage, ChannelState } from '../channel.ts'
import { Fifo } from '../fifo.ts'
import { Inbox } from '../inbox.ts'
import {
  checksumBytes,
  headBytesMax,
  inboxBytesMax,
  keepaliveMs,
  outboxPacketsMax,
  silentPacketsMax,
} from '../limits.ts'
import { AckSchedule } from './ack-schedule.ts'
import { DatagramCounters, type DatagramStats } from './datagram-counters.ts'
import { completeOptions, type DatagramOptions } from './datagram-options.ts'
import { Farewell } from './farewell.ts'
import { checksumMark, heldUnknown } from './packet-format.ts'
import { PacketReader } from './packet-reader.ts'
import { PacketWriter } from './packet-writer.ts'
import { PathEstimator } from './path-estimator.ts'
import { ReceiveWindow } from './receive-window.ts'
import { ReliableLanes } from './reliable-lanes.ts'
import { SentPackets } from './sent-packets.ts'
import { low16 } from './sequence.ts'

/** One for all: a relay has thousands of channels, and looks at the state of each in every tick. */
const open: ChannelState = { name: 'open' }

// Calls do not overlap, and nothing of a packet stays in these when one returns.
const reader = new PacketReader()
const writer = new PacketWriter()

/**
 * A channel over datagrams that may be lost, doubled, damaged, or overtake each other.
 *
 *     tick      one message per packet, at once, never sent again; dropped when it was overtaken
 *     control   reliable, in sequence; sent at once or along with the next tick; again when lost
 *     bulk      the same with what room and pace are left ({@link ReliableLanes})
 *
 * Every packet acknowledges what came ({@link ReceiveWindow}); what is not acknowledged is found by
 * {@link SentPackets} or by a timeout and goes into a new packet. The parent only routes between
 * these machines. Messages given to a channel that is no longer open are forgotten: the other side
 * may close at any time, so that is no mistake of the caller.
 */
export class DatagramChannel implements Channel {
  readonly kind = 'datagram'
  /** Bytes of the longest tick message. */
  readonly tickBytesMax: number
  /** The packet that brought the newest tick message. */
  #newestTick = Number.NEGATIVE_INFINITY

  readonly #epoch: number
  readonly #sentMark: number | undefined
  readonly #receivedMark: number | undefined
  readonly #packetBytesMax: number
  readonly #silenceMsMax: number
  readonly #inbox = new Inbox(inboxBytesMax)
  readonly #outbox = new Fifo<Uint8Array>()
  readonly #received = new ReceiveWindow()
  readonly #acks = new AckSchedule()
  readonly #path = new PathEstimator()
  readonly #sent: SentPackets
  readonly #lanes: ReliableLanes
  readonly #stats = new DatagramCounters(this.#path)
  #state: ChannelState = open
  #farewell: Farewell | undefined
  /** Closed by the other side, whose goodbye is still answered when it is repeated. */
  #isAnswering = false
  #nowMs: number
  #receivedAtMs: number
  #sentAtMs: number
  /** When something reliable was sent last, and how often no answer came since. */
  #reliableAtMs = 0
  #failures = 0

  constructor(options: DatagramOptions, nowMs: number) {
    const { epoch, side, checksum, firstNumber, packetBytesMax, silenceMsMax } =
      completeOptions(options)
    this.#epoch = epoch
    const other = side === 'initiator' ? 'acceptor' : 'initiator'
    this.#sentMark = checksum ? checksumMark(side) : undefined
    this.#receivedMark = checksum ? checksumMark(other) : undefined
    this.#packetBytesMax = packetBytesMax - (checksum ? checksumBytes : 0)
    this.tickBytesMax = this.#packetBytesMax - headBytesMax
    this.#silenceMsMax = silenceMsMax
    this.#sent = new SentPackets(firstNumber)
    this.#lanes = new ReliableLanes(this.#inbox, this.#path, firstNumber, this.#stats.lanes)
    this.#nowMs = nowMs
    this.#receivedAtMs = nowMs
    this.#sentAtMs = nowMs
  }

  get state(): ChannelState {
    return this.#state
  }

  /** The counters as they are now and as they grow. */
  get stats(): DatagramStats {
    return this.#stats
  }

  /** Bytes of messages that the channel holds, whole or not, both ways. */
  get heldBytes(): number {
    return this.#lanes.heldBytes + this.#inbox.heldBytes
  }

  handlePacket(bytes: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    this.#stats.packetsReceived++
    this.#stats.bytesReceived += bytes.length
    if (!this.#accept(bytes)) this.#stats.packetsDropped++
  }

  handleTime(nowMs: number): void {
    this.#advanceTo(nowMs)
    if (this.#state.name === 'closed') return
    if (nowMs - this.#receivedAtMs >= this.#silenceMsMax) {
      this.#end('lost')
      return
    }
    if (nowMs >= this.#timeoutAtMs()) this.#handleTimeout()
    this.#farewell?.handleTime(nowMs)
    this.#checkFarewell()
  }

  sendControl(message: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    if (this.#state.name !== 'open') return
    // Whoever takes so little for so long gets nothing any more: skipping a message is no choice.
    if (this.#lanes.offerControl(message)) this.#stats.messagesSent++
    else this.#fail(closeCodes['too-slow'])
  }

  sendTick(message: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    const size = message.length
    if (size === 0 || size > this.tickBytesMax) {
      assert(false, `A tick message has 1 to ${this.tickBytesMax} bytes, not ${size}`)
    }
    if (this.#state.name !== 'open') return
    // The same as losing it on the way, which the sender of ticks is prepared for.
    if (this.#outbox.length >= outboxPacketsMax || this.#isMute()) return
    this.#stats.messagesSent++
    this.#stats.lanes.tick.noteSent(size)
    this.#outbox.push(this.#makePacket(message))
  }

  sendBulk(message: Uint8Array, nowMs: number): boolean {
    this.#advanceTo(nowMs)
    if (this.#state.name !== 'open' || !this.#lanes.offerBulk(message)) return false
    this.#stats.messagesSent++
    return true
  }

  pollMessage(): ChannelMessage | undefined {
    return this.#inbox.poll()
  }

  pollPacket(): Uint8Array | undefined {
    if (this.#outbox.length > 0) return this.#outbox.shift()
    const isAckDue = this.#acks.dueAtMs <= this.#nowMs
    if (this.#state.name === 'closed') {
      return this.#isAnswering && isAckDue ? this.#makePacket() : undefined
    }
    const isKeepaliveDue = this.#keepaliveAtMs() <= this.#nowMs
    if (this.#isMute()) return isKeepaliveDue ? this.#makePacket(undefined, 'ping') : undefined
    if (this.#farewell?.isWaiting && this.#lanes.isControlEmpty) {
      return this.#makePacket(undefined, 'close')
    }
    if (isAckDue || this.#lanes.isWaiting(this.#nowMs)) return this.#makePacket()
    return isKeepaliveDue ? this.#makePacket(undefined, 'ping') : undefined
  }

  wakeAtMs(): number {
    if (this.#state.name === 'closed') return Number.POSITIVE_INFINITY
    const soonest = Math.min(
      this.#receivedAtMs + this.#silenceMsMax,
      this.#keepaliveAtMs(),
      this.#timeoutAtMs(),
      this.#farewell?.wakeAtMs() ?? Number.POSITIVE_INFINITY,
    )
    if (this.#isMute()) return soonest
    return Math.min(soonest, this.#acks.dueAtMs, this.#lanes.wakeAtMs())
  }

  close(code: number, nowMs: number): void {
    this.#advanceTo(nowMs)
    assert(Number.isInteger(code) && code >= 0 && code <= 0xffff, `Not a close code: ${code}`)
    if (this.#state.name !== 'open') return
    this.#lanes.clearBulk()
    this.#state = { name: 'closing', code }
    this.#farewell = new Farewell(code, nowMs)
  }

  /** Whether a packet is whole, new, possible and welcome. If not, it changed nothing. */
  #accept(bytes: Uint8Array): boolean {
    if (!reader.read(bytes, this.#receivedMark) || reader.epoch !== this.#epoch) return false
    const number = this.#received.expand(reader.number)
    if (!this.#received.isNew(number)) return false
    if (this.#state.name === 'closed') return this.#acceptLate(number)
    if (reader.hasAck && !this.#sent.isPossible(reader.ack, reader.mask)) return false
    if (this.#inbox.isFull || !this.#lanes.accepts(reader)) return false
    this.#received.add(number, this.#nowMs)
    this.#receivedAtMs = this.#nowMs
    if (reader.hasAck) this.#handleAck(reader.ack, reader.mask, reader.heldMs)
    const hasTick = reader.tickStart < reader.tickEnd
    if (reader.partCount > 0 || hasTick) {
      this.#acks.handleReceived(reader.partCount > 0, this.#nowMs)
    }
    if (hasTick) {
      const isNewest = number > this.#newestTick
      if (isNewest) this.#newestTick = number
      // Numbers may be cut to what is unambiguous only in sequence, so whoever reads is told.
      // A view that is never one of Node's buffers, where `subarray` gives what it is called on.
      const size = reader.tickEnd - reader.tickStart
      const message = new Uint8Array(bytes.buffer, bytes.byteOffset + reader.tickStart, size)
      this.#inbox.push(isNewest ? 'tick' : 'late', message)
      this.#stats.lanes.tick.noteReceived(message.length)
      if (!isNewest) this.#stats.lanes.tick.overtaken += 1
    }
    if (reader.partCount > 0) this.#handleParts(bytes)
    this.#stats.messagesReceived = this.#inbox.pushedCount
    return true
  }

  /** A repeated goodbye means that the answer was lost: it is given again. */
  #acceptLate(number: number): boolean {
    if (!this.#isAnswering || reader.closeCode() === undefined) return false
    this.#received.add(number, this.#nowMs)
    this.#acks.hurry(this.#nowMs)
    return true
  }

  #handleParts(bytes: Uint8Array): void {
    if (!this.#lanes.handleParts(reader, bytes)) {
      this.#fail(closeCodes['bad-message'])
      return
    }
    const code = reader.closeCode()
    if (code === undefined) return
    // Who is closing already keeps to the own reason.
    this.#end(this.#farewell?.code ?? code)
    this.#isAnswering = true
    this.#acks.hurry(this.#nowMs)
  }

  #handleAck(ack: number, mask: number, heldMs: number): void {
    const sentAtMs = this.#sent.handleAck(ack, mask)
    if (sentAtMs !== undefined && heldMs < heldUnknown) {
      this.#stats.noteRoundTrip(sentAtMs, heldMs, this.#nowMs)
    }
    this.#settle()
  }

  /** Passes on what became of packets. */
  #settle(): void {
    const { ackedNumbers, lostNumbers } = this.#sent
    this.#stats.noteVerdicts(this.#sent)
    if (ackedNumbers.length > 0) {
      for (const packet of ackedNumbers) {
        this.#lanes.handleAcked(packet, this.#nowMs)
        this.#farewell?.handleAcked(packet)
      }
      ackedNumbers.length = 0
      this.#failures = 0
    }
    if (lostNumbers.length > 0) {
      for (const packet of lostNumbers) {
        this.#lanes.handleLost(packet)
        this.#farewell?.handleLost(packet)
      }
      lostNumbers.length = 0
    }
    this.#checkFarewell()
  }

  #handleTimeout(): void {
    this.#failures++
    for (const packet of this.#lanes.packetsInFlight()) this.#sent.giveUp(packet)
    const goodbye = this.#farewell?.packet
    if (goodbye !== undefined) this.#sent.giveUp(goodbye)
    this.#settle()
    this.#lanes.handleTimeout()
  }

  #makePacket(tick?: Uint8Array, extra?: 'ping' | 'close'): Uint8Array {
    const number = this.#sent.nextNumber
    writer.begin(this.#epoch, low16(number))
    const received = this.#received
    if (received.hasAny) {
      writer.acknowledge(low16(received.newest), received.mask, received.heldMs(this.#nowMs))
    }
    if (extra === 'ping') writer.ping()
    if (extra === 'close' && this.#farewell !== undefined) {
      writer.close(this.#farewell.code)
      this.#farewell.handleSent(number)
    }
    // Reckoned with the longest head: a segment that just fits today must fit when sent again.
    const room = this.#packetBytesMax - headBytesMax - 1 - (tick?.length ?? 0)
    const segments = extra === undefined ? this.#fillSegments(room, number) : 0
    if (tick !== undefined) writer.tick(tick)
    const packet = writer.finish(this.#sentMark)
    this.#noteSent(packet.length, segments > 0 || extra === 'close')
    return packet
  }

  #fillSegments(room: number, number: number): number {
    const { segments, resent } = this.#lanes.fill(writer, room, number, this.#nowMs)
    if (resent > 0) this.#stats.packetsResent++
    return segments
  }

  #noteSent(size: number, isReliable: boolean): void {
    this.#sent.add(isReliable, this.#nowMs)
    this.#acks.handleSent()
    this.#sentAtMs = this.#nowMs
    if (isReliable) this.#reliableAtMs = this.#nowMs
    this.#stats.noteSent(size, writer.payloadBytes)
    this.#settle()
  }

  /** The other side confirmed nothing for so long that numbers run out: only keepalives go on. */
  #isMute(): boolean {
    return this.#sent.silentCount >= silentPacketsMax
  }

  #keepaliveAtMs(): number {
    return this.#sentAtMs + keepaliveMs
  }

  #timeoutAtMs(): number {
    if (!this.#lanes.isInFlight && !this.#farewell?.isInFlight) return Number.POSITIVE_INFINITY
    return this.#reliableAtMs + this.#path.timeoutMs(this.#failures)
  }

  #checkFarewell(): void {
    const farewell = this.#farewell
    if (!farewell?.isOver || this.#state.name !== 'closing') return
    this.#end(farewell.code)
    // Control never got through, so goodbye was never said. One is worth a try: it spares the other
    // side a minute of waiting if only the way back is broken.
    if (!farewell.wasSaid) this.#outbox.push(this.#makePacket(undefined, 'close'))
  }

  /** Closes without waiting for what the lanes hold: it would never arrive. */
  #fail(code: number): void {
    this.#lanes.clear()
    if (this.#farewell !== undefined) return
    this.#state = { name: 'closing', code }
    this.#farewell = new Farewell(code, this.#nowMs)
  }

  #end(code: number | 'lost'): void {
    this.#state = { name: 'closed', code }
    this.#lanes.clear()
    this.#outbox.clear()
  }

  #advanceTo(nowMs: number): void {
    // The sentence is made only when it is needed: this runs several times for each packet.
    if (!(nowMs >= this.#nowMs)) assert(false, `Time went back from ${this.#nowMs} to ${nowMs} ms`)
    this.#nowMs = nowMs
  }
}
