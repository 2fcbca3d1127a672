/**
 * Limits what one match may cost the others. A relay serves its matches one after the other, so a
 * match that is expensive to serve, by its size or by an attack, takes time from all of them. Each
 * may take half of the time in the long run, and a burst at once. Beyond that it is served later, so
 * that only this match becomes slower.
 *
 *     cost     ██████████ 150 ms
 *     left     100 ─────► −50          100 ms later: 0, served again
 *
 * The time that serving took is measured outside and passed in: no clock is read here.
 */
export class MatchShare {
  #leftMs = burstMs
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** Serving the match took `costMs`. */
  spend(costMs: number, nowMs: number): void {
    const earnedMs = Math.max(nowMs - this.#atMs, 0) * share
    this.#leftMs = Math.min(this.#leftMs + earnedMs, burstMs) - Math.max(costMs, 0)
    this.#atMs = nowMs
  }

  /** When it may be served again; in the past for nearly every match. */
  get readyAtMs(): number {
    return this.#leftMs >= 0 ? Number.NEGATIVE_INFINITY : this.#atMs - this.#leftMs / share
  }
}

/** The share of the time that one match may take: the largest match can use half a core. */
const share = 0.5

/** What it may take at once: about three ticks, so that a start or a crowd that joins is no offence. */
const burstMs = 100
