import { inputAheadTicksMax } from '../wire/limits.ts'

/** Ticks whose arrivals and seals are remembered: those ahead, and as many behind for late ones. */
const ring = 2 * inputAheadTicksMax

/**
 * By how much inputs come before their seals. An input that is in time waits here until its tick is
 * sealed; a late one is measured against the seal that it missed.
 *
 *     ── arrived ──────── sealed ──►      margin = sealed − arrived, negative when it came after
 */
export class InputMargins {
  readonly #seats: number
  /** By tick modulo the ring, then seat: which tick, when it came, and how it was made. */
  readonly #ticks: Int32Array
  readonly #arrivedAtMs: Float64Array
  readonly #delays: Uint8Array
  readonly #helds: Uint8Array
  readonly #sealedAtMs = new Float64Array(ring)
  /** The tick that was sealed last, when that was, and where its inputs begin. */
  #tick = -1
  #nowMs = 0
  #first = 0

  constructor(seats: number) {
    this.#seats = seats
    this.#ticks = new Int32Array(ring * seats)
    this.#arrivedAtMs = new Float64Array(ring * seats)
    this.#delays = new Uint8Array(ring * seats)
    this.#helds = new Uint8Array(ring * seats)
  }

  /** An input came in time: made `delay` ticks ahead, after having been held back. */
  noteKept(seat: number, tick: number, delay: number, heldMs: number, nowMs: number): void {
    const at = (tick % ring) * this.#seats + seat
    this.#ticks[at] = tick
    this.#arrivedAtMs[at] = nowMs
    // Who has not confirmed a tick for so long is told by his silence, not by this.
    this.#delays[at] = Math.min(delay, 255)
    this.#helds[at] = heldMs
  }

  /** How late an input is whose tick is sealed: negative; `undefined` for one of long ago. */
  lateMarginMs(tick: number, sealedTick: number, nowMs: number): number | undefined {
    if (sealedTick - tick >= inputAheadTicksMax) return undefined
    return (this.#sealedAtMs[tick % ring] as number) - nowMs
  }

  /** A tick is sealed: from now on the questions below are about its inputs. */
  noteSealed(tick: number, nowMs: number): void {
    this.#sealedAtMs[tick % ring] = nowMs
    this.#tick = tick
    this.#nowMs = nowMs
    this.#first = (tick % ring) * this.#seats
  }

  // Four questions and no record of answers, of which there would be thousands per second.

  /** Whether a seat's input was there when the tick was sealed. */
  isInTime(seat: number): boolean {
    return this.#ticks[this.#first + seat] === this.#tick
  }

  /** By how much it came before. */
  marginMs(seat: number): number {
    return this.#nowMs - (this.#arrivedAtMs[this.#first + seat] as number)
  }

  /** How many ticks ahead it was made. */
  delayOf(seat: number): number {
    return this.#delays[this.#first + seat] as number
  }

  /** For how long it was held back. */
  heldMs(seat: number): number {
    return this.#helds[this.#first + seat] as number
  }
}
