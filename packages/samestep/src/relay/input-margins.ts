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

  /** A tick is sealed. `tell` hears of every input that was in time for it. */
  noteSealed(
    tick: number,
    nowMs: number,
    tell: (seat: number, marginMs: number, delay: number, heldMs: number) => void,
  ): void {
    this.#sealedAtMs[tick % ring] = nowMs
    const first = (tick % ring) * this.#seats
    for (let seat = 0; seat < this.#seats; seat++) {
      const at = first + seat
      if (this.#ticks[at] !== tick) continue
      const marginMs = nowMs - (this.#arrivedAtMs[at] as number)
      tell(seat, marginMs, this.#delays[at] as number, this.#helds[at] as number)
    }
  }
}
