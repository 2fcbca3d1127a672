import type { BitWriter } from '../base/bit-writer.ts'
import type { Channel } from '../link/channel.ts'
import {
  bundlesHeadBytesMax,
  bundlesPerPacketMax,
  datagramBundleBytesMax,
  packetsPerTickMax,
  streamPacketBytesMax,
  windowTicksMax,
} from '../wire/limits.ts'
import type { RelayControl } from '../wire/relay-bundles.ts'
import { writeBundlePart, writeRelayBundles } from '../wire/relay-bundles.ts'
import type { Batching } from './batching.ts'
import type { BundleLog } from './bundle-log.ts'
import { ClientControl } from './client-control.ts'
import type { Link } from './link-state.ts'
import { copyBytesMax, RepeatPacer } from './repeat-pacer.ts'
import type { SessionGuard } from './session-guard.ts'

/**
 * One player's or spectator's conversation with a match. It outlives its links: a client whose link
 * died comes back with its ticket and goes on where it was.
 */
export class Session {
  // What every turn and every tick looks at comes first, so that it lies side by side in memory.
  /** `undefined` for a spectator. Fixed when the match begins. */
  seat: number | undefined
  /** Whether it is in its match: who is out has no say. */
  isIn = false
  readonly guard: SessionGuard
  #control = new ClientControl()
  #channel: Channel | undefined
  /** Whether ticks wait for each other, where the match allows it; each goes out at once without. */
  readonly batching: Batching | undefined
  /** The newest tick that the client has without a gap. */
  ackedTick = 0
  /** The newest tick that was sent over the current link. */
  sentTick = 0
  /** The newest tick that the client says it executed. */
  executedTick = 0
  /** The newest tick that an input of this client was ever for: what comes again tells nothing new. */
  newestInputTick = 0
  /** The next order number that is expected of the client. */
  nextOrder = 0
  /** The link that carries it now, or -1; and where the relay has more of it. */
  link = -1
  carrier: Link | undefined
  /** Ticks sealed since the last packet, and when the first of them was. */
  #waitingTicks = 0
  #waitingSinceMs = 0
  /** Counts those who came to the match, from 0. */
  readonly member: number
  readonly ticket: Uint8Array
  readonly name: string
  /** The round trip as the client measured it. */
  rttMs: number | undefined
  /** Where sending goes on when one tick cannot send all that is missing. */
  #turnTick = 0
  /** Orders that came again after they were taken: what repeating costs, and loss would have. */
  copiedOrders = 0
  /** Where the new ticks of the last packet began. */
  #packetTick = 0
  /** The confirmed tick as last looked at, and when it moved. */
  #movedTick = 0
  #movedAtMs = 0
  /** When the link was lost; `Infinity` while there is one. */
  detachedAtMs = Number.POSITIVE_INFINITY
  readonly #repeats = new RepeatPacer()

  constructor(
    ticket: Uint8Array,
    name: string,
    seat: number | undefined,
    member: number,
    guard: SessionGuard,
    batching?: Batching,
  ) {
    this.ticket = ticket
    this.name = name
    this.seat = seat
    this.member = member
    this.guard = guard
    this.batching = batching
  }

  get channel(): Channel | undefined {
    return this.#channel
  }

  /** Ticks that wait for each other in one packet: 1 unless the link is too narrow. */
  get ticksPerPacket(): number {
    return this.batching?.ticksPerPacket ?? 1
  }

  /** When what waits for company goes out all the same; `Infinity` when nothing does. */
  get flushAtMs(): number {
    if (this.#waitingTicks === 0 || this.batching === undefined) return Number.POSITIVE_INFINITY
    return this.#waitingSinceMs + this.batching.flushMs
  }

  /** What the client is told beside the ticks. */
  get control(): ClientControl {
    return this.#control
  }

  /** The client sets the match up anew, and counts its orders from 0: nothing of before is left. */
  startOver(): void {
    this.nextOrder = 0
    this.#control = new ClientControl()
    this.#control.restart()
  }

  /** Gives a new token to who sent the last one back, not more often than is due. */
  renewToken(randomWord: () => number, nowMs: number): void {
    if (!this.guard.liveness.isTokenDue(nowMs)) return
    // 0 is what a client is told that has none.
    const token = randomWord() || 1
    this.guard.liveness.setToken(token, nowMs)
    this.#control.setToken(token)
  }

  /** Takes up the conversation on a link, from the tick after the newest that the client has. */
  attach(link: number, channel: Channel, haveTick: number, carrier?: Link): void {
    this.link = link
    this.carrier = carrier
    this.#channel = channel
    this.ackedTick = haveTick
    this.sentTick = haveTick
    this.detachedAtMs = Number.POSITIVE_INFINITY
    this.control.restart()
    this.#repeats.restart()
    this.#waitingTicks = 0
    this.batching?.restart()
  }

  detach(nowMs: number): void {
    this.link = -1
    this.carrier = undefined
    this.#channel = undefined
    this.#waitingTicks = 0
    this.detachedAtMs = nowMs
  }

  /** Notes that the client has everything up to a tick. */
  acknowledge(tick: number, controlSeen: number): void {
    if (tick > this.ackedTick) this.ackedTick = tick
    this.control.see(controlSeen)
  }

  /**
   * A tick was sealed, and the next one comes after `intervalMs`: sends what the client should have of
   * the log, or lets it wait for company.
   */
  noteSealed(log: BundleLog, writer: BitWriter, nowMs: number, intervalMs: number): void {
    if (this.#channel === undefined) return
    if (this.batching !== undefined) {
      if (this.#waitingTicks === 0) this.#waitingSinceMs = nowMs
      this.#waitingTicks += 1
      this.batching.notePath(this.#channel.stats, nowMs)
      const waitedMs = nowMs - this.#waitingSinceMs
      if (!this.batching.isDue(this.#waitingTicks, waitedMs, intervalMs)) return
    }
    this.sendTicks(log, writer, nowMs)
  }

  /** Sends what the client should have of the log, now. */
  sendTicks(log: BundleLog, writer: BitWriter, nowMs: number): void {
    const channel = this.#channel
    if (channel === undefined) return
    this.#waitingTicks = 0
    this.control.refresh(this.nextOrder)
    if (channel.kind === 'stream') this.#sendStream(channel, log, writer, nowMs)
    else this.#sendDatagrams(channel, log, writer, nowMs)
  }

  /** A stream loses nothing: only what is new. A client that takes nothing in is given no more. */
  #sendStream(channel: Channel, log: BundleLog, writer: BitWriter, nowMs: number): void {
    const last = Math.min(log.sealedTick, this.ackedTick + windowTicksMax)
    while (this.sentTick < last) {
      const first = this.sentTick + 1
      const count = fittingCount(log, first, last, streamBundleBytesMax)
      const isNewControl = this.control.isUnsent
      if (first === log.sealedTick && !isNewControl) {
        channel.sendTick(log.newestMessage(writer), nowMs, true)
      } else {
        this.#send(channel, log, writer, first, count, isNewControl, nowMs)
      }
      this.sentTick += count
    }
  }

  /**
   * Everything that is not confirmed, again, so that a loss costs no round trip (REL-07); on a path that
   * is full, only what is new, and a little before it.
   */
  #sendDatagrams(channel: Channel, log: BundleLog, writer: BitWriter, nowMs: number): void {
    const first = this.ackedTick + 1
    const last = Math.min(log.sealedTick, this.ackedTick + windowTicksMax)
    if (first > last) return
    if (this.batching?.isSparing(nowMs) === true) {
      this.#sendSparingly(channel, log, writer, first, last, nowMs)
      return
    }
    const from = this.#repeats.takeTurn(channel.stats, nowMs) ? first : this.#firstCopy(log, first)
    if (from > first) {
      if (from <= last) this.#sendInTurns(channel, log, writer, from, last, nowMs)
      return
    }
    const count = fittingCount(log, first, last, datagramBundleBytesMax)
    if (first + count > last) {
      const isNewControl = this.control.isUnseen
      if (first === log.sealedTick && !isNewControl) {
        channel.sendTick(log.newestMessage(writer), nowMs, true)
      } else {
        this.#send(channel, log, writer, first, count, isNewControl, nowMs)
      }
      this.sentTick = Math.max(this.sentTick, last)
    } else {
      this.#turnTick = this.#sendInTurns(channel, log, writer, first, last, nowMs, this.#turnTick)
    }
  }

  /** The first of the ticks before the next new one that a few bytes have room for. */
  #firstCopy(log: BundleLog, first: number): number {
    let tick = this.sentTick + 1
    for (let left = copyBytesMax; tick > first; tick--) {
      left -= log.at(tick - 1).byteLength
      if (left < 0) break
    }
    return tick
  }

  /**
   * Over a narrow link, what is new and what the packet before brought: a loss still costs no round
   * trip. Repeating all that is not confirmed would fill the queue with copies of what stands in it,
   * and the longer it is, the more.
   */
  #sendSparingly(
    channel: Channel,
    log: BundleLog,
    writer: BitWriter,
    first: number,
    last: number,
    nowMs: number,
  ): void {
    if (this.#isRepairDue(channel, nowMs)) {
      this.#turnTick = this.#sendInTurns(
        channel,
        log,
        writer,
        first,
        last,
        nowMs,
        this.#turnTick,
        1,
      )
    }
    const fresh = this.sentTick + 1
    if (fresh > last) return
    const before = Math.max(this.#packetTick, first)
    this.#packetTick = fresh
    const isOne = before + fittingCount(log, before, last, datagramBundleBytesMax) > last
    const from = isOne ? before : fresh
    const count = fittingCount(log, from, last, datagramBundleBytesMax)
    if (from + count > last) {
      this.#send(channel, log, writer, from, count, this.control.isUnseen, nowMs)
      this.sentTick = last
    } else {
      this.#sendInTurns(channel, log, writer, from, last, nowMs)
    }
  }

  /** Whether confirmations stand still for so long that something must be lost. */
  #isRepairDue(channel: Channel, nowMs: number): boolean {
    if (this.ackedTick > this.#movedTick) {
      this.#movedTick = this.ackedTick
      this.#movedAtMs = nowMs
    }
    if (nowMs - this.#movedAtMs < (channel.stats.rttMs ?? 0) + repairMs) return false
    this.#movedAtMs = nowMs
    return true
  }

  /**
   * What does not fit one datagram goes on where the last tick stopped, and begins again when all of
   * it was sent. Packets of one instant overtake each other, so each of them can be read alone. Gives
   * where it stopped.
   */
  #sendInTurns(
    channel: Channel,
    log: BundleLog,
    writer: BitWriter,
    first: number,
    last: number,
    nowMs: number,
    startTick = first,
    packetsMax: number = packetsPerTickMax,
  ): number {
    let tick = startTick > first && startTick <= last ? startTick : first
    let hasWrapped = tick === first
    for (let left = packetsMax; left > 0; ) {
      const count = fittingCount(log, tick, last, datagramBundleBytesMax)
      if (count === 0) left -= this.#sendParts(channel, log.at(tick), tick, writer, nowMs)
      else left -= this.#sendExact(channel, log, writer, tick, count, nowMs)
      tick += Math.max(count, 1)
      this.sentTick = Math.max(this.sentTick, tick - 1)
      if (tick <= last) continue
      tick = first
      if (hasWrapped) break
      hasWrapped = true
    }
    return tick
  }

  #send(
    channel: Channel,
    log: BundleLog,
    writer: BitWriter,
    first: number,
    count: number,
    withControl: boolean,
    nowMs: number,
  ): void {
    writer.reset()
    const control = withControl ? this.control.take(nowMs) : undefined
    writeRelayBundles(writer, first, count, log.bundleAt, control)
    channel.sendTick(writer.view(), nowMs)
  }

  #sendExact(
    channel: Channel,
    log: BundleLog,
    writer: BitWriter,
    first: number,
    count: number,
    nowMs: number,
  ): number {
    writer.reset()
    writeRelayBundles(writer, first, count, log.bundleAt, this.#newControl(nowMs), true)
    channel.sendTick(writer.view(), nowMs)
    return 1
  }

  /** Gives the number of parts. */
  #sendParts(
    channel: Channel,
    bundle: Uint8Array,
    tick: number,
    writer: BitWriter,
    nowMs: number,
  ): number {
    let count = 0
    for (let start = 0; start < bundle.byteLength; start += datagramBundleBytesMax) {
      const end = Math.min(start + datagramBundleBytesMax, bundle.byteLength)
      writer.reset()
      writeBundlePart(writer, tick, bundle, start, end, this.#newControl(nowMs))
      channel.sendTick(writer.view(), nowMs)
      count += 1
    }
    return count
  }

  /** In every packet of several, because only the one that arrives last in sequence is believed. */
  #newControl(nowMs: number): RelayControl | undefined {
    return this.control.isUnseen ? this.control.take(nowMs) : undefined
  }
}

/** How much longer than a round trip confirmations may stand still before ticks are sent again. */
const repairMs = 150

/** Bytes of bundles that one packet of a stream carries beside its head. */
const streamBundleBytesMax = streamPacketBytesMax - bundlesHeadBytesMax

/** How many bundles from `first` on fit one packet; 0 when the first alone does not. */
function fittingCount(log: BundleLog, first: number, last: number, bytesMax: number): number {
  let bytes = 0
  let count = 0
  while (first + count <= last && count < bundlesPerPacketMax) {
    const length = log.at(first + count).byteLength
    // Up to three bytes tell the length of each.
    bytes += length + 3
    if (bytes > bytesMax) break
    count += 1
  }
  return count
}
