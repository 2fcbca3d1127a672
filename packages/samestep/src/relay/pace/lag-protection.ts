import { UsageError } from '../../base/errors.ts'
import { speedPercentMin } from '../../wire/limits.ts'

/**
 * Lowers the speed of a match that its machines cannot keep up with (LAG-01 to LAG-08). Off by default:
 * normally nobody waits for the slowest.
 *
 * Players report their load once per second, as a share of what a tick may take **at normal speed**.
 * So the speed that a machine bears is simply target / load, whatever the speed is now; nothing chases
 * its own changes. From that:
 *
 *     median     the true median of those that count, to 60 %: protects against one slow machine
 *     maximum    the largest, to 75 %: nobody is left behind
 *     count      players that are active, by their state, and whose report is fresh. Who catches up,
 *                hides or watches is busy for other reasons.
 *     every 2 s  half the way to the wanted speed, all of it when the rest is small; nothing at all
 *                within a dead band; never below 10 %, never above what the players asked for
 */

/** Whom a match waits for. */
export type LagMode = 'off' | 'median' | 'maximum'

/** How a match protects its slow machines. */
export interface LagOptions {
  readonly seats: number
  readonly mode: LagMode
}

/** Load to aim for: the median leaves room for those above it, the maximum only for its own spikes. */
const targetPercents = { off: 100, median: 60, maximum: 75 } as const

const reviewEveryMs = 2_000

/** Reports come once per second; three missed ones say that nothing is known. */
const staleMs = 4_000

/**
 * Changes smaller than that share of the speed are not made. Loads tremble by a few percent; the target
 * is soft, while players notice every change.
 */
const deadBandShare = 0.1

/** What a host keeps of its own thread for drawing and for being a relay (LAG-06). */
const hostSpareShare = 0.15

/** The speed of one match. */
export class LagProtection {
  readonly #mode: LagMode
  readonly #loads: Float64Array
  readonly #reportedMs: Float64Array
  readonly #isCounted: Uint8Array
  readonly #sorted: Float64Array
  #requestedPercent = 100
  #effectivePercent = 100
  /** The load of the player in whose process this relay runs, and when it was told. */
  #hostLoadPercent = 0
  #hostReportedMs = Number.NEGATIVE_INFINITY
  #reviewAtMs = Number.NEGATIVE_INFINITY
  /** Whether the players asked for another speed since the last review. */
  #isWish = false

  constructor(options: LagOptions) {
    this.#mode = options.mode
    this.#loads = new Float64Array(options.seats)
    this.#reportedMs = new Float64Array(options.seats).fill(Number.NEGATIVE_INFINITY)
    this.#isCounted = new Uint8Array(options.seats)
    this.#sorted = new Float64Array(options.seats)
  }

  /** The speed that the players asked for (LAG-08). */
  get requestedPercent(): number {
    return this.#requestedPercent
  }

  /** Asks for another speed: the next {@link update} tells what becomes of it. */
  set requestedPercent(percent: number) {
    if (!(percent >= speedPercentMin)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot play at ${percent} %: the speed must be ${speedPercentMin} or more`,
      )
    }
    this.#requestedPercent = percent
    this.#isWish = true
    this.#reviewAtMs = Number.NEGATIVE_INFINITY
  }

  /** The speed in force: what was asked for, or less. */
  get effectivePercent(): number {
    return this.#effectivePercent
  }

  /** Counts a seat or not, by what its player is doing: only active ones do (LAG-07, C-09). */
  setCounted(seat: number, isCounted: boolean): void {
    this.#isCounted[seat] = isCounted ? 1 : 0
    // What it reported while it was busy otherwise says nothing.
    if (!isCounted) this.#reportedMs[seat] = Number.NEGATIVE_INFINITY
  }

  /** Notes a player's load at normal speed. */
  noteLoad(seat: number, loadPercent: number, nowMs: number): void {
    if (this.#isCounted[seat] === 0) return
    this.#loads[seat] = Math.max(loadPercent, 0)
    this.#reportedMs[seat] = nowMs
  }

  /**
   * For a relay inside a player's process: that player's load at normal speed caps the speed in every
   * mode (LAG-06). Were that machine driven too fast, everybody's ticks would be late.
   */
  noteHostLoad(loadPercent: number, nowMs: number): void {
    this.#hostLoadPercent = Math.max(loadPercent, 0)
    this.#hostReportedMs = nowMs
  }

  /** The load that the speed is chosen by; −1 when nobody counts. */
  referencePercent(nowMs: number): number {
    let count = 0
    for (let seat = 0; seat < this.#loads.length; seat++) {
      if (nowMs - (this.#reportedMs[seat] as number) > staleMs) continue
      const load = this.#loads[seat] as number
      let place = count++
      while (place > 0 && (this.#sorted[place - 1] as number) > load) {
        this.#sorted[place] = this.#sorted[place - 1] as number
        place -= 1
      }
      this.#sorted[place] = load
    }
    if (count === 0) return -1
    if (this.#mode === 'maximum') return this.#sorted[count - 1] as number
    const upper = this.#sorted[count >> 1] as number
    return count % 2 === 1 ? upper : (upper + (this.#sorted[(count >> 1) - 1] as number)) / 2
  }

  /** The new speed for an ordered event, or `undefined` while it stays. */
  update(nowMs: number): number | undefined {
    if (nowMs < this.#reviewAtMs) return undefined
    this.#reviewAtMs = nowMs + reviewEveryMs
    const before = this.#effectivePercent
    const wanted = this.#wanted(nowMs)
    // A wish is followed at once, as far as the load allows: only loads are noisy.
    this.#effectivePercent = this.#isWish ? Math.round(wanted) : this.#next(wanted)
    this.#isWish = false
    return this.#effectivePercent === before ? undefined : this.#effectivePercent
  }

  #wanted(nowMs: number): number {
    const most = Math.min(this.#requestedPercent, this.#hostPercentMax(nowMs))
    const reference = this.#mode === 'off' ? -1 : this.referencePercent(nowMs)
    const bearable = reference <= 0 ? most : (targetPercents[this.#mode] * 100) / reference
    return Math.max(Math.min(bearable, most), speedPercentMin)
  }

  /** The fastest that the host can bear, as far as it was heard lately. */
  #hostPercentMax(nowMs: number): number {
    const isKnown = nowMs - this.#hostReportedMs <= staleMs && this.#hostLoadPercent > 0
    if (!isKnown) return Number.POSITIVE_INFINITY
    return ((1 - hostSpareShare) * 10_000) / this.#hostLoadPercent
  }

  /** Whole percents: they travel as such, and everybody must use the same. */
  #next(wanted: number): number {
    const current = this.#effectivePercent
    const band = Math.max(wanted * deadBandShare, 1)
    const isFull = wanted === this.#requestedPercent
    if (Math.abs(wanted - current) <= band && !isFull) return current
    const half = (wanted + current) / 2
    return Math.max(Math.round(Math.abs(wanted - half) <= band ? wanted : half), speedPercentMin)
  }
}
