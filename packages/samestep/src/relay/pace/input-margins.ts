import { inputAheadTicksMax } from '../../wire/limits.ts'

/** Ticks whose seals are remembered, for late inputs. */
const sealRing = 2 * inputAheadTicksMax

/**
 * Room at first, in ticks: how far ahead inputs usually are. A small ring stays in the CPU caches;
 * one with room for everything that is allowed would not.
 */
export const firstRingTicks = 16

/** A tick, its delay and its hold are packed into one number: hold and delay have eight bits each. */
const delayStep = 2 ** 8
const tickStep = 2 ** 16

/**
 * How long before their seals inputs arrive. An input that is in time waits here until its tick is
 * sealed; a late one is measured against the seal that it missed.
 *
 *     ── arrived ──────── sealed ──►      margin = sealed − arrived, negative when it came after
 */
export class InputMargins {
  readonly #seats: number
  /**
   * By tick modulo the ring, then by seat: when the input arrived, and its tick, delay and hold in
   * one number. Adjacent, because with many matches each distant place costs a cache miss.
   */
  #arrivals: Float64Array
  #ring = firstRingTicks
  readonly #sealedAtMs = new Float64Array(sealRing)
  /** The tick that was sealed last, when that was, and where its inputs begin. */
  #tick = 0
  #nowMs = 0
  #first = 0

  constructor(seats: number) {
    this.#seats = seats
    this.#arrivals = new Float64Array(2 * firstRingTicks * seats)
  }

  /** An input arrived in time: made `delay` ticks ahead, after it was held back for `heldMs`. */
  noteKept(seat: number, tick: number, delay: number, heldMs: number, nowMs: number): void {
    while (tick - this.#tick >= this.#ring) this.#grow()
    const at = 2 * ((tick % this.#ring) * this.#seats + seat)
    this.#arrivals[at] = nowMs
    // A longer delay means that the client confirms nothing: its silence shows that, not this number.
    this.#arrivals[at + 1] = tick * tickStep + Math.min(delay, 255) * delayStep + heldMs
  }

  /** How late an input is whose tick is sealed: negative; `undefined` if that was long ago. */
  lateMarginMs(tick: number, sealedTick: number, nowMs: number): number | undefined {
    if (sealedTick - tick >= inputAheadTicksMax) return undefined
    return (this.#sealedAtMs[tick % sealRing] as number) - nowMs
  }

  /** A tick was sealed: the methods below are about its inputs from now on. */
  noteSealed(tick: number, nowMs: number): void {
    this.#sealedAtMs[tick % sealRing] = nowMs
    this.#tick = tick
    this.#nowMs = nowMs
    this.#first = 2 * (tick % this.#ring) * this.#seats
  }

  // Four methods and no object with their results, of which there would be thousands per second.

  /** Whether a seat's input was there when the tick was sealed. */
  isInTime(seat: number): boolean {
    return Math.floor(this.#made(seat) / tickStep) === this.#tick
  }

  /** How long before the seal it arrived. */
  marginMs(seat: number): number {
    return this.#nowMs - (this.#arrivals[this.#first + 2 * seat] as number)
  }

  /** How many ticks ahead it was made. */
  delayOf(seat: number): number {
    return Math.floor((this.#made(seat) % tickStep) / delayStep)
  }

  /** For how long it was held back. */
  heldMs(seat: number): number {
    return this.#made(seat) % delayStep
  }

  /** Doubles the room. Each entry moves to the new place of its tick. */
  #grow(): void {
    const before = this.#arrivals
    this.#ring *= 2
    this.#arrivals = new Float64Array(2 * this.#ring * this.#seats)
    for (let from = 0; from < before.length; from += 2) {
      const tick = Math.floor((before[from + 1] as number) / tickStep)
      if (tick === 0) continue
      const at = 2 * (tick % this.#ring) * this.#seats + (from % (2 * this.#seats))
      this.#arrivals[at] = before[from] as number
      this.#arrivals[at + 1] = before[from + 1] as number
    }
    this.#first = 2 * (this.#tick % this.#ring) * this.#seats
  }

  #made(seat: number): number {
    return this.#arrivals[this.#first + 2 * seat + 1] as number
  }
}
