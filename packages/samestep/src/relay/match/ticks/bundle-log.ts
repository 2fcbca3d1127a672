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

/** Ticks for which there is room at first: most matches never keep more than their first seconds. */
const firstRingTicks = 64

/**
 * What is repeated over a narrow link: one packet overtakes another by no more than that, and what was
 * overtaken is lost.
 */
const copyMs = 66

/** What is repeated on a full path: a quarter of the thinnest line, and in any packet a tick or two. */
const copyBytesPerSecond = 3_840
const copyBytesMin = 16

/**
 * The sealed bundles of one match, by tick, from the oldest that somebody may still need. What it keeps
 * and how much of it goes out at once are times, so they follow the pace of the match.
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
  /** The newest tick as a message, once somebody asked for it. */
  #message: Uint8Array | undefined

  /** `extraMs` is how much longer than usual ticks are kept, for those who see the match later. */
  constructor(ticksPerSecond: number, extraMs = 0) {
    this.#keptMs = logMs + extraMs
    this.setPace(ticksPerSecond)
  }

  /** The match seals so many ticks per second from now on. */
  setPace(ticksPerSecond: number): void {
    this.#ticksMax = ticksIn(this.#keptMs, ticksPerSecond)
    this.#windowTicks = windowTicksFor(ticksPerSecond)
    this.#packetsPerTick = packetsPerTickFor(ticksPerSecond)
    this.#copyTicks = ticksIn(copyMs, ticksPerSecond)
    this.#copyBytes = Math.max(Math.floor(copyBytesPerSecond / ticksPerSecond), copyBytesMin)
  }

  /** Packets that one tick sends to one client, at the most. */
  get packetsPerTick(): number {
    return this.#packetsPerTick
  }

  /** Ticks before the new ones that go out again with them over a narrow link. */
  get copyTicks(): number {
    return this.#copyTicks
  }

  /** Bytes of ticks that go out again with the new ones over a path that is full. */
  get copyBytes(): number {
    return this.#copyBytes
  }

  /** The oldest tick that is kept; one more than {@link sealedTick} when nothing is. */
  get firstTick(): number {
    return this.#firstTick
  }

  /** The newest sealed tick; 0 before the first. */
  get sealedTick(): number {
    return this.#nextTick - 1
  }

  /** Bytes of all bundles that are kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of the bundles after a tick, of which all must be kept. */
  bytesAfter(tick: number): number {
    let bytes = 0
    for (let next = tick + 1; next < this.#nextTick; next++) bytes += this.at(next).byteLength
    return bytes
  }

  /** Goes on behind the bundles that another relay sealed, the first of which is of `firstTick`. */
  restore(firstTick: number, bundles: readonly Uint8Array[]): void {
    this.#firstTick = firstTick
    this.#nextTick = firstTick
    for (const bundle of bundles) this.append(bundle)
  }

  /** Keeps the bundle of the next tick; the oldest ones give way when the log is full. */
  append(bundle: Uint8Array): void {
    while (this.#isFullFor(bundle)) this.dropBefore(this.#firstTick + 1)
    if (this.#count === this.#ring.length) this.#grow()
    this.#ring[this.#nextTick % this.#ring.length] = bundle
    this.#bytes += bundle.byteLength
    this.#nextTick += 1
    this.#message = undefined
  }

  /** The newest tick that may be on its way to somebody who has confirmed this one. */
  lastFor(ackedTick: number): number {
    const last = Math.min(this.sealedTick, ackedTick + this.#windowTicks)
    // So many of the largest always fit, and nearly everybody is closer than that.
    if (last - ackedTick <= windowTicksMin) return last
    let tick = ackedTick
    for (let left = windowBytesMax; tick < last; tick++) {
      left -= this.at(tick + 1).byteLength
      if (left < 0) break
    }
    return tick
  }

  /**
   * The newest tick as a message of its own, for all who need nothing else: made once, never changed.
   * Most clients get just this in most ticks.
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
    // The sentence is made only when it is needed: this runs for every tick of every packet.
    if (tick < this.#firstTick || tick >= this.#nextTick)
      assert(false, `Tick ${tick} is not in the log`)
    return this.#ring[tick % this.#ring.length] as Uint8Array
  }

  /** {@link at} as a function of its own, made once for whoever wants one in every tick. */
  readonly bundleAt = (tick: number): Uint8Array => this.at(tick)

  /** Lets go of all ticks before this one. */
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

  /** Twice the room. What is kept finds its place by its tick. */
  #grow(): void {
    const before = this.#ring
    this.#ring = new Array<Uint8Array | undefined>(2 * before.length)
    for (let tick = this.#firstTick; tick < this.#nextTick; tick++) {
      this.#ring[tick % this.#ring.length] = before[tick % before.length]
    }
  }
}
