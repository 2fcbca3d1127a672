import type { BundleLog } from '../ticks/bundle-log.ts'

/**
 * How long a difference waits for seats that have not reported a tick on which others differ. Reports
 * come with ticks, so a match whose ticks come slowly is given more time:
 *
 *     it shows ──── settleMs ────┬── settleTicks are sealed ──► over
 *                                └── patienceMsMax ───────────► over, however slow the ticks are
 *
 * The verdict depends on it: a difference that is told while the third of three players is still
 * silent blames nobody. Each difference that follows is waited for anew.
 */
export class DesyncPatience {
  readonly #log: Pick<BundleLog, 'sealedTick'>
  /** When the difference showed; `Infinity` for none. */
  #sinceMs = Number.POSITIVE_INFINITY
  /** The newest sealed tick at that time. */
  #sinceTick = 0

  constructor(log: Pick<BundleLog, 'sealedTick'>) {
    this.#log = log
  }

  /** When it is over, as far as is known by now: earlier with each tick, never later. */
  get endsAtMs(): number {
    const ticks = this.#log.sealedTick - this.#sinceTick
    return this.#sinceMs + (ticks >= settleTicks ? settleMs : patienceMsMax)
  }

  /** A difference shows. Further ones that show in the meantime do not prolong it. */
  begin(nowMs: number): void {
    if (this.#sinceMs !== Number.POSITIVE_INFINITY) return
    this.#sinceMs = nowMs
    this.#sinceTick = this.#log.sealedTick
  }

  /** A difference was told: the one that may follow it has not waited yet. */
  restart(nowMs: number): void {
    this.end()
    this.begin(nowMs)
  }

  /** There is no difference that was not told. */
  end(): void {
    this.#sinceMs = Number.POSITIVE_INFINITY
  }
}

/** How long a difference waits at least: a round trip over a bad line. */
export const settleMs = 1_000

/**
 * How many ticks it waits at least: machines that run up to eight ticks at a time all report the next
 * multiple of eight, the last of them up to seven ticks after that one (see `TurnHash`).
 */
export const settleTicks = 16

/** A match tells of differences this often in the long run, however clients lie. */
export const tellEveryMs = 10_000

/** So many it tells without that distance: a liar who was told of does not hide what comes after it. */
export const tellBurst = 3

/**
 * How long a difference waits at most, also where a tick takes seconds. After that time it may be told
 * once more anyway.
 */
export const patienceMsMax = tellEveryMs
