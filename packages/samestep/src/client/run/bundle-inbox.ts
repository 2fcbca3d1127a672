import { bundleBytesMax, windowTicksMax } from '../../wire/limits.ts'
import type { ReceivedBundles } from '../../wire/ticks/relay-bundles.ts'

/** A bundle that comes in parts. */
type Assembly = { readonly bytes: Uint8Array; readonly have: Set<number>; got: number }

/**
 * Sealed bundles as they arrive: doubled, out of sequence, in parts. Gives them out one after the
 * other, without a gap, each once.
 */
export class BundleInbox {
  readonly #waiting = new Map<number, Uint8Array>()
  readonly #parts = new Map<number, Assembly>()
  /** The newest tick up to which everything is here. */
  #receivedTick: number
  /** The newest tick that was given out. */
  #takenTick: number
  #bytes = 0

  constructor(haveTick: number) {
    this.#receivedTick = haveTick
    this.#takenTick = haveTick
  }

  get receivedTick(): number {
    return this.#receivedTick
  }

  /** Ticks that are here and were not given out. */
  get readyCount(): number {
    return this.#receivedTick - this.#takenTick
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Goes on after a tick that came otherwise: what waits is of no use any more. */
  restart(haveTick: number): void {
    this.#waiting.clear()
    this.#parts.clear()
    this.#bytes = 0
    this.#receivedTick = haveTick
    this.#takenTick = haveTick
  }

  /** Takes in a message. Gives the number of ticks by which the gapless run grew. */
  add(message: Pick<ReceivedBundles, 'firstTick' | 'bundles' | 'part'>): number {
    const { firstTick, bundles, part } = message
    if (part !== undefined) {
      this.#addPart(firstTick, bundles[0] as Uint8Array, part.totalBytes, part.start)
    } else {
      for (let index = 0; index < bundles.length; index++) {
        this.#addWhole(firstTick + index, bundles[index] as Uint8Array)
      }
    }
    const before = this.#receivedTick
    while (this.#waiting.has(this.#receivedTick + 1)) this.#receivedTick += 1
    return this.#receivedTick - before
  }

  /** The next bundle in sequence, or `undefined` when it is not here. */
  take(): Uint8Array | undefined {
    const tick = this.#takenTick + 1
    const bundle = this.#waiting.get(tick)
    if (bundle === undefined) return undefined
    this.#waiting.delete(tick)
    this.#bytes -= bundle.byteLength
    this.#takenTick = tick
    return bundle
  }

  /** Takes in bundles that were here before, from the next tick on. */
  refill(firstTick: number, bundles: readonly Uint8Array[]): void {
    for (const [index, bundle] of bundles.entries()) {
      this.add({ firstTick: firstTick + index, bundles: [bundle], part: undefined })
    }
  }

  /** A bundle that waits. */
  at(tick: number): Uint8Array | undefined {
    return this.#waiting.get(tick)
  }

  /** What came after a tick never was: the relay that sent it is lost. None of it was given out. */
  truncate(tick: number): void {
    for (const [other, bundle] of this.#waiting) {
      if (other <= tick) continue
      this.#waiting.delete(other)
      this.#bytes -= bundle.byteLength
    }
    this.#parts.clear()
    this.#receivedTick = Math.min(this.#receivedTick, tick)
  }

  #addWhole(tick: number, bundle: Uint8Array): void {
    // What is further ahead than the relay may send is not the relay's; what is behind is a copy.
    if (tick <= this.#receivedTick || tick > this.#receivedTick + windowTicksMax) return
    if (this.#waiting.has(tick)) return
    this.#waiting.set(tick, bundle)
    this.#bytes += bundle.byteLength
    if (this.#parts.size > 0) this.#parts.delete(tick)
  }

  #addPart(tick: number, bytes: Uint8Array, totalBytes: number, start: number): void {
    if (tick <= this.#receivedTick || tick > this.#receivedTick + windowTicksMax) return
    if (this.#waiting.has(tick) || totalBytes > bundleBytesMax) return
    let assembly = this.#parts.get(tick)
    if (assembly === undefined || assembly.bytes.byteLength !== totalBytes) {
      assembly = { bytes: new Uint8Array(totalBytes), have: new Set(), got: 0 }
      this.#parts.set(tick, assembly)
    }
    if (assembly.have.has(start)) return
    assembly.have.add(start)
    assembly.bytes.set(bytes, start)
    assembly.got += bytes.byteLength
    if (assembly.got >= totalBytes) this.#addWhole(tick, assembly.bytes)
  }
}
