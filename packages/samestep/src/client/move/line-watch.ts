/** What tells whether a line of datagrams is still worth having. */
export interface LineSigns {
  /** When something last came over it. */
  readonly heardAtMs: number
  /** Whether ticks come, each of them a sign of life. */
  readonly isRunning: boolean
  /** When a round trip was last measured, and what it was; `undefined` before the first. */
  readonly measuredAtMs: number | undefined
  readonly rttMs: number | undefined
}

/** Why a line is to be left: nothing gets through, or everything takes longer than it did before. */
export type LineFault = 'dead' | 'slow' | undefined

/**
 * Watches a better line after a session has moved there. A stream that dies is noticed by its transport;
 * datagrams just stop coming, or stop getting there, which only shows by what does not come back.
 */
export class LineWatch {
  #sinceMs = 0
  #homeRttMs: number | undefined
  #lookAtMs = 0
  #slowLooks = 0

  /** The session is on the line from now on; at home, a round trip took so long. */
  start(homeRttMs: number | undefined, nowMs: number): void {
    this.#sinceMs = nowMs
    this.#homeRttMs = homeRttMs
    this.#lookAtMs = nowMs + lookEveryMs
    this.#slowLooks = 0
  }

  /** When to look again. */
  get lookAtMs(): number {
    return this.#lookAtMs
  }

  /** Whether it has been good for so long that earlier trouble is forgotten. */
  isProved(nowMs: number): boolean {
    return nowMs - this.#sinceMs >= provedMs
  }

  look(signs: LineSigns, nowMs: number): LineFault {
    if (nowMs < this.#lookAtMs) return undefined
    this.#lookAtMs = nowMs + lookEveryMs
    const silenceMs = signs.isRunning ? runningSilenceMs : waitingSilenceMs
    if (nowMs - Math.max(signs.heardAtMs, this.#sinceMs) >= silenceMs) return 'dead'
    if (!signs.isRunning) return undefined
    const provedMs = Math.max(signs.measuredAtMs ?? 0, this.#sinceMs)
    if (nowMs - provedMs >= echoSilenceMs) return 'dead'
    const isSlow =
      signs.rttMs !== undefined &&
      this.#homeRttMs !== undefined &&
      signs.rttMs > slowFactor * this.#homeRttMs + slowMs
    this.#slowLooks = isSlow ? this.#slowLooks + 1 : 0
    return this.#slowLooks >= slowLooksMax ? 'slow' : undefined
  }
}

/** How often it is looked at the line: soon enough for a player, and no work at all. */
const lookEveryMs = 200

/** Silence while ticks come: thirty of them at the usual rate, and ten at the slowest. */
const runningSilenceMs = 1_000

/** Silence while nobody plays: a relay shows the room every two seconds. */
const waitingSilenceMs = 5_000

/**
 * Without a round trip for so long, what is sent does not get there: one is measured twice a second, and
 * after three seconds the others would be told that somebody is silent.
 */
const echoSilenceMs = 2_500

/** A way that is so much longer than the one at home, for so many looks in a row, is not better. */
const slowFactor = 2
const slowMs = 100
const slowLooksMax = 15

/** A line that was good for a minute may be tried again soon after it breaks. */
const provedMs = 60_000
