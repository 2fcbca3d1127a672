import type { BitWriter } from '../base/bit-writer.ts'
import type { Channel } from '../link/channel.ts'
import type { OrderRefusal } from '../wire/codes.ts'
import {
  bundlesHeadBytesMax,
  bundlesPerPacketMax,
  datagramBundleBytesMax,
  packetsPerTickMax,
  streamPacketBytesMax,
  windowTicksMax,
} from '../wire/limits.ts'
import type { RelayControl } from '../wire/relay-bundles.ts'
import { refusalsPerControlMax, writeBundlePart, writeRelayBundles } from '../wire/relay-bundles.ts'
import type { BundleLog } from './bundle-log.ts'

/**
 * One player's or spectator's conversation with a match. It outlives its links: a client whose link
 * died comes back with its ticket and goes on where it was.
 */
export class Session {
  readonly ticket: Uint8Array
  readonly name: string
  /** `undefined` for a spectator. */
  readonly seat: number | undefined
  #channel: Channel | undefined
  /** The link that carries it now, or -1. */
  link = -1
  /** The newest tick that the client has without a gap. */
  ackedTick = 0
  /** The newest tick that was sent over the current link. */
  sentTick = 0
  /** Where sending goes on when one tick cannot send all that is missing. */
  #turnTick = 0
  /** The newest tick that the client says it executed. */
  executedTick = 0
  /** The next order number that is expected of the client. */
  nextOrder = 0
  /** Orders that came again after they were taken: what repeating costs, and loss would have. */
  copiedOrders = 0
  /** When the link was lost; `Infinity` while there is one. */
  detachedAtMs = Number.POSITIVE_INFINITY
  #control: RelayControl = {
    version: 0,
    orderNumber: 0,
    lateInputs: 0,
    echoStamp: 0,
    echoHeldMs: 0,
    refusals: [],
  }
  /** The control version that the client has seen. */
  #controlSeen = 0
  #controlSent = 0
  #lateInputs = 0
  /** Unconfirmed refusals; `count` tells the first control block that has one. */
  #refusals: { number: number; reason: OrderRefusal; count: number }[] = []
  /** Control blocks so far; a version is its low part. And the newest one that the client saw. */
  #controlCount = 0
  #seenCount = 0
  #stamp = 0
  #stampAtMs = Number.NEGATIVE_INFINITY
  #echoedAtMs = Number.NEGATIVE_INFINITY

  constructor(ticket: Uint8Array, name: string, seat: number | undefined) {
    this.ticket = ticket
    this.name = name
    this.seat = seat
  }

  get channel(): Channel | undefined {
    return this.#channel
  }

  /** Takes up the conversation on a link, from the tick after the newest that the client has. */
  attach(link: number, channel: Channel, haveTick: number): void {
    this.link = link
    this.#channel = channel
    this.ackedTick = haveTick
    this.sentTick = haveTick
    this.detachedAtMs = Number.POSITIVE_INFINITY
    // Whatever the old link was told may never have arrived.
    this.#controlSent = -1
    this.#controlSeen = -1
    // What is seen over this link is nothing older than what is sent first.
    this.#seenCount = Math.max(this.#controlCount - 1, 0)
  }

  detach(nowMs: number): void {
    this.link = -1
    this.#channel = undefined
    this.detachedAtMs = nowMs
  }

  /** Notes that the client has everything up to a tick. */
  acknowledge(tick: number, controlSeen: number): void {
    if (tick > this.ackedTick) this.ackedTick = tick
    this.#controlSeen = controlSeen
    if (controlSeen < controlVersions) this.#confirm(controlSeen)
  }

  /**
   * The client has seen a block, and so every refusal that was in it. The block has mostly changed
   * since: on a long line, orders are answered more often than a version can come back.
   */
  #confirm(lowVersion: number): void {
    const seen = this.#seenCount % controlVersions
    this.#seenCount += (lowVersion - seen + controlVersions) % controlVersions
    const isOpen = ({ count }: { readonly count: number }) => count > this.#seenCount
    if (this.#refusals.every(isOpen)) return
    this.#refusals = this.#refusals.filter(isOpen)
    this.#changeControl()
  }

  countLateInput(): void {
    this.#lateInputs = (this.#lateInputs + 1) % 256
    this.#changeControl()
  }

  refuseOrder(number: number, reason: OrderRefusal): void {
    this.#refusals.push({ number: number % 65_536, reason, count: this.#controlCount + 1 })
    this.#changeControl()
  }

  /** Refusals that the client has not confirmed. */
  get openRefusals(): number {
    return this.#refusals.length
  }

  /** Notes that orders below {@link nextOrder} were taken or refused. */
  answerOrders(): void {
    this.#changeControl()
  }

  /** The client repeated what it should know is done: the answer was lost. */
  repeatControl(): void {
    this.#controlSeen = -1
  }

  noteStamp(stamp: number, nowMs: number): void {
    this.#stamp = stamp
    this.#stampAtMs = nowMs
    if (nowMs - this.#echoedAtMs >= echoEveryMs) this.#changeControl()
  }

  /** Sends what the client should have of the log. Called once per sealed tick. */
  sendTicks(log: BundleLog, writer: BitWriter, nowMs: number): void {
    const channel = this.#channel
    if (channel === undefined) return
    if (channel.kind === 'stream') this.#sendStream(channel, log, writer, nowMs)
    else this.#sendDatagrams(channel, log, writer, nowMs)
  }

  /** A stream loses nothing: only what is new. A client that takes nothing in is given no more. */
  #sendStream(channel: Channel, log: BundleLog, writer: BitWriter, nowMs: number): void {
    const last = Math.min(log.sealedTick, this.ackedTick + windowTicksMax)
    while (this.sentTick < last) {
      const first = this.sentTick + 1
      const count = fittingCount(log, first, last, streamBundleBytesMax)
      const isNewControl = this.#controlSent !== this.#control.version
      if (first === log.sealedTick && !isNewControl) {
        channel.sendTick(log.newestMessage(writer), nowMs, true)
      } else {
        this.#send(channel, log, writer, first, count, isNewControl, nowMs)
      }
      this.sentTick += count
    }
  }

  /** Everything that is not confirmed, again, so that a loss costs no round trip (REL-07). */
  #sendDatagrams(channel: Channel, log: BundleLog, writer: BitWriter, nowMs: number): void {
    const first = this.ackedTick + 1
    const last = Math.min(log.sealedTick, this.ackedTick + windowTicksMax)
    if (first > last) return
    const count = fittingCount(log, first, last, datagramBundleBytesMax)
    if (first + count > last) {
      const isNewControl = this.#controlSeen !== this.#control.version
      if (first === log.sealedTick && !isNewControl) {
        channel.sendTick(log.newestMessage(writer), nowMs, true)
      } else {
        this.#send(channel, log, writer, first, count, isNewControl, nowMs)
      }
      this.sentTick = Math.max(this.sentTick, last)
    } else {
      this.#sendInTurns(channel, log, writer, first, last, nowMs)
    }
  }

  /**
   * What does not fit one datagram goes on where the last tick stopped, and begins again when all of
   * it was sent. Packets of one instant overtake each other, so each of them can be read alone.
   */
  #sendInTurns(
    channel: Channel,
    log: BundleLog,
    writer: BitWriter,
    first: number,
    last: number,
    nowMs: number,
  ): void {
    let tick = this.#turnTick > first && this.#turnTick <= last ? this.#turnTick : first
    let hasWrapped = tick === first
    for (let left = packetsPerTickMax; left > 0; ) {
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
    this.#turnTick = tick
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
    const control = withControl ? this.#takeControl(nowMs) : undefined
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
    return this.#controlSeen === this.#control.version ? undefined : this.#takeControl(nowMs)
  }

  #changeControl(): void {
    this.#controlCount += 1
    const refusals = this.#refusals.slice(0, refusalsPerControlMax)
    // What found no room waits for a later block, and is only seen there.
    for (const waiting of this.#refusals.slice(refusalsPerControlMax)) {
      waiting.count = this.#controlCount + 1
    }
    this.#control = {
      version: this.#controlCount % controlVersions,
      orderNumber: this.nextOrder % 65_536,
      lateInputs: this.#lateInputs,
      echoStamp: 0,
      echoHeldMs: 0,
      refusals,
    }
  }

  #takeControl(nowMs: number): RelayControl {
    this.#controlSent = this.#control.version
    this.#echoedAtMs = nowMs
    const held = Math.min(Math.round(nowMs - this.#stampAtMs), 65_535)
    return { ...this.#control, echoStamp: this.#stamp, echoHeldMs: held }
  }
}

/** Versions of the control block. 255 is left out: it is what a client says that has seen none. */
const controlVersions = 255

/** How often a client learns its round trip when nothing else is to be said. */
const echoEveryMs = 500

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
