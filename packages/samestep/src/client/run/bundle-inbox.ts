import { bundleBytesMax, windowTicksMax } from '../../wire/limits.ts'
import type { ReceivedBundles } from '../../wire/ticks/relay-bundles.ts'

/** A bundle that arrives in parts. */
type Assembly = { readonly bytes: Uint8Array; readonly have: Set<number>; got: number }

/**
 * Receives sealed bundles as they arrive: duplicated, out of sequence, in parts. Hands out each one
 * once, in sequence and without gaps.
 */
export class BundleInbox {
  /** Bundles that were not handed out yet, by tick modulo its length, which is a power of two. */
  #waiting: (Uint8Array | undefined)[] = new Array(firstWaitingMax).fill(undefined)
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
    this.#waiting.fill(undefined)
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
    while (this.at(this.#receivedTick + 1) !== undefined) this.#receivedTick += 1
    return this.#receivedTick - before
  }

  /** Takes the next bundle in sequence; `undefined` if it has not arrived. */
  take(): Uint8Array | undefined {
    const tick = this.#takenTick + 1
    const bundle = this.at(tick)
    if (bundle === undefined) return undefined
    this.#waiting[tick & (this.#waiting.length - 1)] = undefined
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
    const ahead = tick - this.#takenTick
    const { length } = this.#waiting
    return ahead > 0 && ahead <= length ? this.#waiting[tick & (length - 1)] : undefined
  }

  /** Drops what was received after a tick: the relay that sealed it is lost. None was handed out. */
  truncate(tick: number): void {
    const { length } = this.#waiting
    const lastTick = this.#takenTick + length
    for (let other = Math.max(tick, this.#takenTick) + 1; other <= lastTick; other++) {
      this.#bytes -= this.at(other)?.byteLength ?? 0
      this.#waiting[other & (length - 1)] = undefined
    }
    this.#parts.clear()
    this.#receivedTick = Math.min(this.#receivedTick, tick)
    // Who waits for a state may have run further; that state is the next that counts.
    this.#takenTick = Math.min(this.#takenTick, tick)
  }

  #addWhole(tick: number, bundle: Uint8Array): void {
    // A relay never sends ticks that are further ahead; ticks that were already received are copies.
    if (tick <= this.#receivedTick || tick > this.#receivedTick + windowTicksMax) return
    if (this.at(tick) !== undefined) return
    while (tick - this.#takenTick > this.#waiting.length) this.#grow()
    this.#waiting[tick & (this.#waiting.length - 1)] = bundle
    this.#bytes += bundle.byteLength
    if (this.#parts.size > 0) this.#parts.delete(tick)
  }

  #addPart(tick: number, bytes: Uint8Array, totalBytes: number, start: number): void {
    if (tick <= this.#receivedTick || tick > this.#receivedTick + windowTicksMax) return
    if (this.at(tick) !== undefined || totalBytes > bundleBytesMax) return
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

  /** Doubles the room. Each bundle moves to the new place of its tick. */
  #grow(): void {
    const before = this.#waiting
    const { length } = before
    this.#waiting = new Array(2 * length).fill(undefined)
    for (let tick = this.#takenTick + 1; tick <= this.#takenTick + length; tick++) {
      this.#waiting[tick & (2 * length - 1)] = before[tick & (length - 1)]
    }
  }
}

/** Room at first: on a good line, one or two ticks are queued. */
const firstWaitingMax = 16
