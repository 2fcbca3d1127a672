import { strikeMsMax, strikesKeptMax } from '../../record/limits.ts'

/**
 * What a peer did that no honest one does. Each alone is shrugged off; five within a minute end the
 * session with `bad-message` (reliability §2.3). What honest peers do on bad lines is never one.
 */

/** What a strike is for. */
export type StrikeReason =
  /** An order for a seat that is not the sender's (SEC-02). */
  | 'wrong-seat'
  /** An order of a kind that the game does not have, or that only the relay may give (SEC-03). */
  | 'wrong-order'
  /** An input with a value that its field cannot have (T-40). */
  | 'wrong-input'
  /** A sign of life with a token that was never given. */
  | 'wrong-token'
  /** A token again that a newer one had replaced. */
  | 'old-token'
  /** A claim about a tick that was not sent yet. */
  | 'wrong-tick'
  /** Two different hashes for one tick (T-50). */
  | 'two-hashes'
  /** Reports of old ticks only, so that what it has now is never compared (T-49). */
  | 'hash-missing'
  /** Text that no client of ours would send. */
  | 'wrong-text'
  /** A request that the sender's role rules out at any time. */
  | 'wrong-request'

/** Strikes that accuse somebody of being late. Who stood still itself cannot tell (F-14). */
const timed: ReadonlySet<StrikeReason> = new Set<StrikeReason>(['hash-missing'])

/** Strikes that end a session, and the time in which they count. The record keeps as many, as long. */
export const strikesMax = strikesKeptMax
export const strikeWindowMs = strikeMsMax

/** The strikes of one session. */
export class Strikes {
  /** When each of the newest ones was, in a ring. */
  readonly #times = new Float64Array(strikesMax).fill(Number.NEGATIVE_INFINITY)
  #next = 0
  #total = 0
  #excusedUntilMs = Number.NEGATIVE_INFINITY
  #lastReason: StrikeReason | undefined

  /** Strikes so far, for operators. */
  get total(): number {
    return this.#total
  }

  /** What the newest one was for. */
  get lastReason(): StrikeReason | undefined {
    return this.#lastReason
  }

  /** Notes one. True when it is one too many: the session ends. */
  add(reason: StrikeReason, nowMs: number): boolean {
    if (timed.has(reason) && nowMs < this.#excusedUntilMs) return false
    this.#total += 1
    this.#lastReason = reason
    this.#times[this.#next] = nowMs
    this.#next = (this.#next + 1) % strikesMax
    // The place that comes next holds the oldest of the five.
    return nowMs - (this.#times[this.#next] as number) < strikeWindowMs
  }

  /** How long ago those were that still count, in whole ms, the oldest first. */
  agesMs(nowMs: number): number[] {
    const ages: number[] = []
    for (let index = 0; index < strikesMax; index++) {
      const ageMs = nowMs - (this.#times[(this.#next + index) % strikesMax] as number)
      if (ageMs < strikeWindowMs) ages.push(Math.max(Math.floor(ageMs), 0))
    }
    return ages
  }

  /** Goes on where another relay was. */
  restore(agesMs: readonly number[], nowMs: number): void {
    for (const ageMs of agesMs) {
      this.#total += 1
      this.#times[this.#next] = nowMs - ageMs
      this.#next = (this.#next + 1) % strikesMax
    }
  }

  /**
   * The relay stood still. For a while nobody is struck for being late: what was in time may still
   * lie unread in a socket.
   */
  excuse(nowMs: number): void {
    this.#excusedUntilMs = nowMs + excuseMs
  }
}

/** How long after a standstill nobody is late: sockets are read within a few rounds. */
const excuseMs = 2_000
