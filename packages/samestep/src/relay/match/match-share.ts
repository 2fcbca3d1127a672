/**
 * What one match may cost the others. A relay serves its matches one after the other, so a match that is
 * dear to serve, by its size or because somebody makes it so, takes time from all of them. Over a long
 * time each may take half of it, and a burst at once; beyond that it is served later, so that it
 * becomes slower, and nobody else does.
 *
 *     cost     ██████████ 150 ms
 *     left     100 ─────► −50          100 ms later: 0, served again
 *
 * The time that serving took is measured outside and told here: no clock is read.
 */
export class MatchShare {
  #leftMs = burstMs
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** Serving the match took so long. */
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

/** The part of the time that one match may take: half, so that the largest match is one core's half. */
const share = 0.5

/** What it may take at once: three ticks' worth, so that a start or a crowd that joins is no offence. */
const burstMs = 100
