import type { MatchClock } from '../ticks/match-clock.ts'
import type { Sealer } from '../ticks/sealer.ts'

/**
 * Whom everybody waits for, in a match that waits for inputs: told when a tick has waited for so long
 * that players notice, and taken back when a tick did not have to wait.
 *
 *     due ── 100 ms ──► told: seats 2, 5 ── … ──► sealed without waiting: nobody
 */
export class HeldUp {
  readonly #clock: Pick<MatchClock, 'waitingSinceMs' | 'heldUpMs'>
  readonly #sealer: Pick<Sealer, 'missingSeats'>
  #seats: readonly number[] = nobody

  constructor(
    clock: Pick<MatchClock, 'waitingSinceMs' | 'heldUpMs'>,
    sealer: Pick<Sealer, 'missingSeats'>,
  ) {
    this.#clock = clock
    this.#sealer = sealer
  }

  /** Seats whose inputs everybody waits for. */
  get seats(): readonly number[] {
    return this.#seats
  }

  /** When somebody is to be named; `Infinity` while nothing waits, and once somebody is. */
  wakeAtMs(): number {
    if (this.#seats.length > 0) return Number.POSITIVE_INFINITY
    return this.#clock.waitingSinceMs + noticedMs
  }

  /** Time has passed. Gives whether there is news. */
  handleTime(nowMs: number): boolean {
    if (nowMs < this.#clock.waitingSinceMs + noticedMs) return false
    const seats = this.#sealer.missingSeats()
    const isNews = seats.join() !== this.#seats.join()
    this.#seats = seats
    return isNews
  }

  /** A tick was sealed, after a wait or without one. Gives whether there is news. */
  noteSealed(): boolean {
    if (this.#clock.heldUpMs >= noticedMs || this.#seats.length === 0) return false
    this.#seats = nobody
    return true
  }
}

const nobody: readonly number[] = Object.freeze([])

/** A shorter wait is no worse than the jitter of any line. */
const noticedMs = 100
