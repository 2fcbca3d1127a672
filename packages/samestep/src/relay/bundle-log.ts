import { assert } from '../base/assert.ts'
import type { BitWriter } from '../base/bit-writer.ts'
import { logTicksMax } from '../wire/limits.ts'
import { writeRelayBundles } from '../wire/relay-bundles.ts'

/** The sealed bundles of one match, by tick, from the oldest that somebody may still need. */
export class BundleLog {
  readonly #ring: (Uint8Array | undefined)[]
  #firstTick = 1
  #nextTick = 1
  #bytes = 0
  /** The newest tick as a message, once somebody asked for it. */
  #message: Uint8Array | undefined

  constructor(capacity: number = logTicksMax) {
    this.#ring = new Array<Uint8Array | undefined>(capacity)
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

  /** Keeps the bundle of the next tick; the oldest one gives way when the log is full. */
  append(bundle: Uint8Array): void {
    if (this.#nextTick - this.#firstTick === this.#ring.length) this.dropBefore(this.#firstTick + 1)
    this.#ring[this.#nextTick % this.#ring.length] = bundle
    this.#bytes += bundle.byteLength
    this.#nextTick += 1
    this.#message = undefined
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
}
