/** The signs by which a datagram connection is judged. */
export interface LineSigns {
  /** When something was last received over it. */
  readonly heardAtMs: number
  /** Whether ticks are coming, each of which is a sign of life. */
  readonly isRunning: boolean
  /** How long a tick takes, at the speed of the match. */
  readonly intervalMs: number
  /** When the round-trip time was last measured, and its value; `undefined` before the first time. */
  readonly measuredAtMs: number | undefined
  readonly rttMs: number | undefined
}

/** Why to leave a connection: nothing gets through, or round trips take much longer than at home. */
export type LineFault = 'dead' | 'slow' | undefined

/**
 * Watches a better connection after a session has moved to it. The transport notices when a stream
 * dies. Datagrams just stop arriving, in one direction or both, which only shows in missing answers.
 */
export class LineWatch {
  #sinceMs = 0
  #homeRttMs: number | undefined
  #lookAtMs = 0
  #slowLooks = 0

  /** The session has just moved; at home, the round-trip time was `homeRttMs`. */
  start(homeRttMs: number | undefined, nowMs: number): void {
    this.#sinceMs = nowMs
    this.#homeRttMs = homeRttMs
    this.#lookAtMs = nowMs + lookEveryMs
    this.#slowLooks = 0
  }

  /** When to check again. */
  get lookAtMs(): number {
    return this.#lookAtMs
  }

  /** Whether the connection has been good for so long that earlier failures are forgotten. */
  isProved(nowMs: number): boolean {
    return nowMs - this.#sinceMs >= provedMs
  }

  look(signs: LineSigns, nowMs: number): LineFault {
    if (nowMs < this.#lookAtMs) return undefined
    this.#lookAtMs = nowMs + lookEveryMs
    // Slow ticks bring few signs of life, and few answers.
    const slowestMs = slowTicks * signs.intervalMs
    const silenceMs = signs.isRunning ? Math.max(runningSilenceMs, slowestMs) : waitingSilenceMs
    if (nowMs - Math.max(signs.heardAtMs, this.#sinceMs) >= silenceMs) return 'dead'
    if (!signs.isRunning) return undefined
    const provedMs = Math.max(signs.measuredAtMs ?? 0, this.#sinceMs)
    if (nowMs - provedMs >= Math.max(echoSilenceMs, slowestMs)) return 'dead'
    const isSlow =
      signs.rttMs !== undefined &&
      this.#homeRttMs !== undefined &&
      signs.rttMs > slowFactor * this.#homeRttMs + slowMs
    this.#slowLooks = isSlow ? this.#slowLooks + 1 : 0
    return this.#slowLooks >= slowLooksMax ? 'slow' : undefined
  }
}

/** How often the connection is checked: soon enough for a player, and almost no work. */
const lookEveryMs = 200

/** Silence while ticks are coming: 30 of them at the usual rate. */
const runningSilenceMs = 1_000

/** So many ticks may be missing, however slow they are: some were lost, and one is on its way. */
const slowTicks = 5

/** Silence while no ticks are sent: a relay sends the room every two seconds. */
const waitingSilenceMs = 5_000

/**
 * Without a new round-trip time for this long, our packets do not arrive. It is measured twice a
 * second, and after three seconds the others would be told that this player is silent.
 */
const echoSilenceMs = 2_500

/** With round trips this much longer than at home, for this many checks in a row, it is not better. */
const slowFactor = 2
const slowMs = 100
const slowLooksMax = 15

/** A connection that was good for a minute may be tried again soon after it breaks. */
const provedMs = 60_000
