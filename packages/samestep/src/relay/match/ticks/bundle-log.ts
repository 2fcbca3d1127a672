import { assert } from '../../../base/assert.ts'
import type { BitWriter } from '../../../base/bit-writer.ts'
import {
  bundleChargeBytes,
  logBytesMax,
  logMs,
  packetsPerTickFor,
  ticksIn,
  windowBytesMax,
  windowTicksFor,
  windowTicksMin,
} from '../../../wire/limits.ts'
import { writeRelayBundles } from '../../../wire/ticks/relay-bundles.ts'

/** Room at first, in ticks: most matches never keep more than their first seconds. */
const firstRingTicks = 64

/**
 * How far back ticks are repeated over a narrow link: one packet overtakes another by no more than
 * that, and what was overtaken is lost.
 */
const copyMs = 66

/** What is repeated on a congested path: a quarter of the thinnest line, and always a tick or two. */
const copyBytesPerSecond = 3_840
const copyBytesMin = 16

/**
 * The sealed bundles of one match, by tick, from the oldest that a client may still need. How much it
 * keeps and how much is sent at once are times, so they follow the pace of the match.
 */
export class BundleLog {
  #ring = new Array<Uint8Array | undefined>(firstRingTicks)
  readonly #keptMs: number
  #ticksMax = 0
  #windowTicks = 0
  #packetsPerTick = 0
  #copyTicks = 0
  #copyBytes = 0
  #firstTick = 1
  #nextTick = 1
  #bytes = 0
  /** The newest tick as a message, once it was asked for. */
  #message: Uint8Array | undefined

  /** `extraMs` is how much longer than usual ticks are kept, for delayed spectators. */
  constructor(ticksPerSecond: number, extraMs = 0) {
    this.#keptMs = logMs + extraMs
    this.setPace(ticksPerSecond)
  }

  /** The match seals `ticksPerSecond` from now on. */
  setPace(ticksPerSecond: number): void {
    this.#ticksMax = ticksIn(this.#keptMs, ticksPerSecond)
    this.#windowTicks = windowTicksFor(ticksPerSecond)
    this.#packetsPerTick = packetsPerTickFor(ticksPerSecond)
    this.#copyTicks = ticksIn(copyMs, ticksPerSecond)
    this.#copyBytes = Math.max(Math.floor(copyBytesPerSecond / ticksPerSecond), copyBytesMin)
  }

  /** The most packets that one tick sends to one client. */
  get packetsPerTick(): number {
    return this.#packetsPerTick
  }

  /** Earlier ticks that are sent again with the new ones over a narrow link. */
  get copyTicks(): number {
    return this.#copyTicks
  }

  /** Bytes of earlier ticks that are sent again with the new ones over a congested path. */
  get copyBytes(): number {
    return this.#copyBytes
  }

  /** The oldest tick that is kept; {@link sealedTick} plus one if none is. */
  get firstTick(): number {
    return this.#firstTick
  }

  /** The newest sealed tick; 0 before the first. */
  get sealedTick(): number {
    return this.#nextTick - 1
  }

  /** Bytes of all kept bundles. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of the bundles after a tick. All of them must still be kept. */
  bytesAfter(tick: number): number {
    let bytes = 0
    for (let next = tick + 1; next < this.#nextTick; next++) bytes += this.at(next).byteLength
    return bytes
  }

  /**
   * Continues after the bundles that another relay sealed, the first of which is that of `firstTick`.
   */
  restore(firstTick: number, bundles: readonly Uint8Array[]): void {
    this.#firstTick = firstTick
    this.#nextTick = firstTick
    for (const bundle of bundles) this.append(bundle)
  }

  /** Appends the bundle of the next tick. If the log is full, the oldest ones are dropped. */
  append(bundle: Uint8Array): void {
    while (this.#isFullFor(bundle)) this.dropBefore(this.#firstTick + 1)
    if (this.#count === this.#ring.length) this.#grow()
    this.#ring[this.#nextTick % this.#ring.length] = bundle
    this.#bytes += bundle.byteLength
    this.#nextTick += 1
    this.#message = undefined
  }

  /** The newest tick that may be in flight to a client that has confirmed `ackedTick`. */
  lastFor(ackedTick: number): number {
    const last = Math.min(this.sealedTick, ackedTick + this.#windowTicks)
    // This many of the largest bundles always fit, and nearly every client is closer than that.
    if (last - ackedTick <= windowTicksMin) return last
    let tick = ackedTick
    for (let left = windowBytesMax; tick < last; tick++) {
      left -= this.at(tick + 1).byteLength
      if (left < 0) break
    }
    return tick
  }

  /**
   * The newest tick as a message of its own, for all clients that need nothing else: made once, never
   * changed. Most clients get just this in most ticks.
   */
  newestMessage(writer: BitWriter): Uint8Array {
    if (this.#message === undefined) {
      writer.reset()
      writeRelayBundles(writer, this.sealedTick, 1, this.bundleAt, undefined)
      this.#message = writer.finish()
    }
    return this.#message
  }

  at(tick: number): Uint8Array {
    // The message is built only if it is needed: this runs for every tick of every packet.
    if (tick < this.#firstTick || tick >= this.#nextTick)
      assert(false, `Tick ${tick} is not in the log`)
    return this.#ring[tick % this.#ring.length] as Uint8Array
  }

  /** {@link at} as a bound function, made once because every tick needs one. */
  readonly bundleAt = (tick: number): Uint8Array => this.at(tick)

  /** Drops all ticks before this one. */
  dropBefore(tick: number): void {
    const end = Math.min(tick, this.#nextTick)
    for (; this.#firstTick < end; this.#firstTick++) {
      const index = this.#firstTick % this.#ring.length
      this.#bytes -= (this.#ring[index] as Uint8Array).byteLength
      this.#ring[index] = undefined
    }
  }

  get #count(): number {
    return this.#nextTick - this.#firstTick
  }

  #isFullFor({ byteLength }: Uint8Array): boolean {
    const count = this.#count
    if (count === 0) return false
    const charged = this.#bytes + byteLength + (count + 1) * bundleChargeBytes
    return count >= this.#ticksMax || charged > logBytesMax
  }

  /** Doubles the room. Each bundle moves to the new place of its tick. */
  #grow(): void {
    const before = this.#ring
    this.#ring = new Array<Uint8Array | undefined>(2 * before.length)
    for (let tick = this.#firstTick; tick < this.#nextTick; tick++) {
      this.#ring[tick % this.#ring.length] = before[tick % before.length]
    }
  }
}
