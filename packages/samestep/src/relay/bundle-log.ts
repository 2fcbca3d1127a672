import { assert } from '../base/assert.ts'
import { logTicksMax } from '../wire/limits.ts'

/** The sealed bundles of one match, by tick, from the oldest that somebody may still need. */
export class BundleLog {
  readonly #ring: (Uint8Array | undefined)[]
  #firstTick = 1
  #nextTick = 1
  #bytes = 0

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
