import type { BitWriter } from '../../../base/bit-writer.ts'
import type { Channel } from '../../../link/channel.ts'
import { datagramBundleBytesMax, shortTicksMax } from '../../../wire/limits.ts'
import type { RelayControl } from '../../../wire/ticks/relay-bundles.ts'
import { writeBundlePart, writeRelayBundles } from '../../../wire/ticks/relay-bundles.ts'
import type { Batching } from '../../pace/batching.ts'
import type { BundleLog } from './bundle-log.ts'
import { RepeatPacer } from './repeat-pacer.ts'
import type { TickCursor, TickPath } from './tick-path.ts'
import { fittingCount } from './tick-path.ts'

/**
 * Sends ticks over datagrams: everything that is not confirmed, again and again, so that a loss costs
 * no round trip (REL-07); on a congested path, only what is new, and a little before it.
 */
export class TickDatagrams implements TickPath {
  readonly #cursor: TickCursor
  readonly #channel: Channel
  readonly #batching: Batching | undefined
  readonly #repeats = new RepeatPacer()
  /** Where sending continues if one tick cannot send everything that is missing. */
  #resumeTick = 0
  /** The first new tick of the last packet. */
  #packetTick = 0
  /** The confirmed tick at the last check, and when it moved. */
  #movedTick = 0
  #movedAtMs = 0

  constructor(cursor: TickCursor, channel: Channel, batching: Batching | undefined) {
    this.#cursor = cursor
    this.#channel = channel
    this.#batching = batching
  }

  send(log: BundleLog, writer: BitWriter, nowMs: number): void {
    const cursor = this.#cursor
    const first = cursor.ackedTick + 1
    const last = Math.min(log.lastFor(cursor.ackedTick), cursor.visibleTick)
    if (first > last) return
    if (this.#batching?.isSparing(nowMs) === true) {
      this.#sendSparingly(log, writer, first, last, nowMs)
      return
    }
    const isAll = this.#repeats.takeTurn(this.#channel.stats, nowMs)
    const from = isAll ? first : this.#firstCopy(log, first)
    if (from > first) {
      if (from <= last) this.#sendSeveral(log, writer, from, last, nowMs)
      return
    }
    const count = fittingCount(log, first, last, datagramBundleBytesMax)
    if (first + count <= last) {
      this.#resumeTick = this.#sendSeveral(log, writer, first, last, nowMs, this.#resumeTick)
      return
    }
    if (first === log.sealedTick && !cursor.control.isUnseen) {
      this.#channel.sendTick(log.newestMessage(writer), nowMs, true)
    } else {
      this.#sendOne(log, writer, first, count, nowMs)
    }
    cursor.sentTick = Math.max(cursor.sentTick, last)
  }

  /** The first tick to send: before the next new one, as many copies as a few bytes have room for. */
  #firstCopy(log: BundleLog, first: number): number {
    let tick = this.#cursor.sentTick + 1
    for (let left = log.copyBytes; tick > first; tick--) {
      left -= log.at(tick - 1).byteLength
      if (left < 0) break
    }
    return tick
  }

  /**
   * Over a narrow link, sends what is new and what the packets just before brought: a loss still
   * costs no round trip. Repeating everything unconfirmed would fill the queue with copies of what is
   * in it, and the longer the queue, the more.
   */
  #sendSparingly(
    log: BundleLog,
    writer: BitWriter,
    first: number,
    last: number,
    nowMs: number,
  ): void {
    if (this.#isRepairDue(nowMs)) {
      this.#resumeTick = this.#sendSeveral(log, writer, first, last, nowMs, this.#resumeTick, 1)
    }
    const fresh = this.#cursor.sentTick + 1
    if (fresh > last) return
    const before = Math.max(Math.min(this.#packetTick, fresh - log.copyTicks), first)
    this.#packetTick = fresh
    const isOne = before + fittingCount(log, before, last, datagramBundleBytesMax) > last
    const from = isOne ? before : fresh
    const count = fittingCount(log, from, last, datagramBundleBytesMax)
    if (from + count > last) {
      // The client may have anything up to what was sent: a short number must be unique from there.
      this.#sendOne(log, writer, from, count, nowMs, last - first >= shortTicksMax)
      this.#cursor.sentTick = last
    } else {
      this.#sendSeveral(log, writer, from, last, nowMs)
    }
  }

  /** Whether nothing was confirmed for so long that something must be lost. */
  #isRepairDue(nowMs: number): boolean {
    const { ackedTick } = this.#cursor
    if (ackedTick > this.#movedTick) {
      this.#movedTick = ackedTick
      this.#movedAtMs = nowMs
    }
    if (nowMs - this.#movedAtMs < (this.#channel.stats.rttMs ?? 0) + repairMs) return false
    this.#movedAtMs = nowMs
    return true
  }

  /**
   * Sends what does not fit in one datagram: it continues where the last tick stopped, and begins
   * again when everything was sent. Packets sent together may overtake each other, so each can be
   * read on its own. Returns where it stopped.
   */
  #sendSeveral(
    log: BundleLog,
    writer: BitWriter,
    first: number,
    last: number,
    nowMs: number,
    startTick = first,
    packetsMax: number = log.packetsPerTick,
  ): number {
    const cursor = this.#cursor
    let tick = startTick > first && startTick <= last ? startTick : first
    let hasWrapped = tick === first
    for (let left = packetsMax; left > 0; ) {
      const count = fittingCount(log, tick, last, datagramBundleBytesMax)
      if (count === 0) {
        left -= this.#sendParts(log.at(tick), tick, writer, nowMs)
      } else {
        this.#sendOne(log, writer, tick, count, nowMs, true)
        left -= 1
      }
      tick += Math.max(count, 1)
      cursor.sentTick = Math.max(cursor.sentTick, tick - 1)
      if (tick <= last) continue
      tick = first
      if (hasWrapped) break
      hasWrapped = true
    }
    return tick
  }

  /** Sends one packet; `isExact` if low bits would not be enough to tell which ticks are in it. */
  #sendOne(
    log: BundleLog,
    writer: BitWriter,
    first: number,
    count: number,
    nowMs: number,
    isExact = false,
  ): void {
    writer.reset()
    writeRelayBundles(writer, first, count, log.bundleAt, this.#news(nowMs), isExact)
    this.#channel.sendTick(writer.view(), nowMs)
  }

  /** Sends one bundle in parts. Returns their number. */
  #sendParts(bundle: Uint8Array, tick: number, writer: BitWriter, nowMs: number): number {
    let count = 0
    for (let start = 0; start < bundle.byteLength; start += datagramBundleBytesMax) {
      const end = Math.min(start + datagramBundleBytesMax, bundle.byteLength)
      writer.reset()
      writeBundlePart(writer, tick, bundle, start, end, this.#news(nowMs))
      this.#channel.sendTick(writer.view(), nowMs)
      count += 1
    }
    return count
  }

  /** Goes into every packet of several, because the client uses only the last one in sequence. */
  #news(nowMs: number): RelayControl | undefined {
    const { control } = this.#cursor
    return control.isUnseen ? control.take(nowMs) : undefined
  }
}

/** How much longer than a round trip nothing may be confirmed before ticks are sent again. */
const repairMs = 150
