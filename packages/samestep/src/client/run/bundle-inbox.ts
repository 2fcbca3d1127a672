import { bundleBytesMax, windowTicksMax } from '../../wire/limits.ts'
import type { ReceivedBundles } from '../../wire/ticks/relay-bundles.ts'

/** A bundle that arrives in parts. */
type Assembly = { readonly bytes: Uint8Array; readonly have: Set<number>; got: number }

/**
 * Receives sealed bundles as they arrive: duplicated, out of sequence, in parts. Hands out each one
 * once, in sequence and without gaps.
 */
export class BundleInbox {
  readonly #waiting = new Map<number, Uint8Array>()
  readonly #parts = new Map<number, Assembly>()
  /** The newest tick received without a gap before it. */
  #receivedTick: number
  /** The newest tick that was handed out. */
  #takenTick: number
  #bytes = 0

  constructor(haveTick: number) {
    this.#receivedTick = haveTick
    this.#takenTick = haveTick
  }

  get receivedTick(): number {
    return this.#receivedTick
  }

  /** Ticks received without a gap and not handed out yet. */
  get readyCount(): number {
    return this.#receivedTick - this.#takenTick
  }

  /** Bytes of the queued bundles. */
  get bytes(): number {
    return this.#bytes
  }

  /** Continues after a tick whose state was loaded: drops everything queued. */
  restart(haveTick: number): void {
    this.#waiting.clear()
    this.#parts.clear()
    this.#bytes = 0
    this.#receivedTick = haveTick
    this.#takenTick = haveTick
  }

  /** Adds the bundles of a message. Returns by how many ticks {@link receivedTick} grew. */
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

  /** Takes the next bundle in sequence; `undefined` if it has not arrived. */
  take(): Uint8Array | undefined {
    const tick = this.#takenTick + 1
    const bundle = this.#waiting.get(tick)
    if (bundle === undefined) return undefined
    this.#waiting.delete(tick)
    this.#bytes -= bundle.byteLength
    this.#takenTick = tick
    return bundle
  }

  /** Adds bundles that were received before, starting with the next tick. */
  refill(firstTick: number, bundles: readonly Uint8Array[]): void {
    for (const [index, bundle] of bundles.entries()) {
      this.add({ firstTick: firstTick + index, bundles: [bundle], part: undefined })
    }
  }

  /** A queued bundle. */
  at(tick: number): Uint8Array | undefined {
    return this.#waiting.get(tick)
  }

  /** Drops what was received after a tick: the relay that sealed it is lost. None was handed out. */
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
    // A relay never sends ticks that are further ahead; ticks that were already received are copies.
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
