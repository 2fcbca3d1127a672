import { OutputQueue } from '../base/output-queue.ts'
import type { SystemEvent } from '../sim/game/bundle.ts'
import { speedPercentMax, speedPercentMin } from '../wire/limits.ts'

/**
 * Who may stop a match, for how long, and how fast it goes. All are requests: what is granted becomes
 * an event of the next tick, for everybody the same (I-19). Ticks go on in a pause (CLK-14).
 *
 * Speed has two figures: what was asked for, and what is (LAG-08). Lag protection may hold the second
 * below the first; it comes back by itself when the load is gone.
 */

/** Who asks. Each may do what those before it may. */
export type PaceSource =
  | { readonly type: 'player'; readonly seat: number }
  | { readonly type: 'owner'; readonly seat: number | undefined }
  | { readonly type: 'vote' }
  | { readonly type: 'relay' }

/** What is asked for. */
export type PaceRequest =
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'speed'; readonly percent: number }

/** Why it is not granted. */
export type PaceRefusal =
  | 'not-allowed'
  /** It is so already. */
  | 'already'
  /** This seat has no pause left. */
  | 'no-pause-left'
  | 'too-soon'
  | 'bad-value'

/** The least that one must be to ask for something. */
export type PaceRank = 'player' | 'owner' | 'vote' | 'relay'

/** What a match allows. */
export interface PaceRules {
  readonly pauseBy: PaceRank
  readonly speedBy: PaceRank
  /** Pauses of one seat in a match. */
  readonly pausesMax: number
  /** How long a pause lasts at the most; then the match goes on by itself. */
  readonly pauseMsMax: number
}

/** Three pauses of a minute for everybody: long enough for the door bell, too short to wear out. */
export const paceRulesDefault: PaceRules = {
  pauseBy: 'player',
  speedBy: 'owner',
  pausesMax: 3,
  pauseMsMax: 60_000,
}

/** What a request makes of a match. */
export type PaceEvent = Extract<SystemEvent, { type: 'pause' | 'resume' | 'speed' }>

type Pace =
  | { readonly name: 'going' }
  | { readonly name: 'paused'; readonly by: PaceSource; endsAtMs: number }

const ranks: readonly PaceRank[] = ['player', 'owner', 'vote', 'relay']

/** Pauses and speed of one match. */
export class PauseBudget {
  readonly #rules: PaceRules
  readonly #events = new OutputQueue<PaceEvent>()
  /** Pauses by seat. Kept when its player changes: coming back buys no further ones. */
  readonly #pauses = new Map<number, number>()
  #pace: Pace = { name: 'going' }
  #requestedPercent = 100
  #limitPercent: number = speedPercentMax
  #effectivePercent = 100
  #speedAgainAtMs = Number.NEGATIVE_INFINITY

  constructor(rules: PaceRules = paceRulesDefault) {
    this.#rules = rules
  }

  get isPaused(): boolean {
    return this.#pace.name === 'paused'
  }

  /** The speed that was asked for, in percent of the game's tick rate. */
  get requestedPercent(): number {
    return this.#requestedPercent
  }

  /** The speed that is. */
  get effectivePercent(): number {
    return this.#effectivePercent
  }

  /** Pauses that a seat has left. */
  pausesLeft(seat: number): number {
    return this.#rules.pausesMax - (this.#pauses.get(seat) ?? 0)
  }

  request(request: PaceRequest, by: PaceSource, nowMs: number): PaceRefusal | undefined {
    switch (request.type) {
      case 'pause':
        return this.#pause(by, nowMs)
      case 'resume':
        return this.#resume(by)
      case 'speed':
        return this.#setSpeed(request.percent, by, nowMs)
    }
  }

  /** Lag protection: not faster than this, in percent. What was asked for stays asked for. */
  limitSpeed(percent: number): void {
    const whole = Math.floor(percent)
    // Not a number limits nothing.
    const isLimit = whole < speedPercentMax
    this.#limitPercent = isLimit ? Math.max(whole, speedPercentMin) : speedPercentMax
    this.#applySpeed()
  }

  handleTime(nowMs: number): void {
    const pace = this.#pace
    if (pace.name === 'paused' && nowMs >= pace.endsAtMs) this.#goOn(undefined)
  }

  wakeAtMs(): number {
    return this.#pace.name === 'paused' ? this.#pace.endsAtMs : Number.POSITIVE_INFINITY
  }

  /** The oldest event that is not sealed yet. */
  pollEvent(): PaceEvent | undefined {
    return this.#events.shift()
  }

  #pause(by: PaceSource, nowMs: number): PaceRefusal | undefined {
    if (!isAtLeast(by, this.#rules.pauseBy)) return 'not-allowed'
    if (this.#pace.name === 'paused') return 'already'
    const seat = seatOf(by)
    if (seat !== undefined) {
      if (this.pausesLeft(seat) <= 0) return 'no-pause-left'
      this.#pauses.set(seat, (this.#pauses.get(seat) ?? 0) + 1)
    }
    // Whoever runs the relay may have reasons that last: maintenance, a referee.
    const lastsMs = by.type === 'relay' ? Number.POSITIVE_INFINITY : this.#rules.pauseMsMax
    this.#pace = { name: 'paused', by, endsAtMs: nowMs + lastsMs }
    this.#events.push({ type: 'pause', seat })
    return undefined
  }

  /** Who paused may resume, and everybody above. */
  #resume(by: PaceSource): PaceRefusal | undefined {
    const pace = this.#pace
    if (pace.name === 'going') return 'already'
    const [rank, rankOfPause] = [ranks.indexOf(by.type), ranks.indexOf(pace.by.type)]
    const isSame = rank === rankOfPause && (by.type !== 'player' || seatOf(by) === seatOf(pace.by))
    // An owner who gave his rights away after he paused is still the one who paused.
    const isOwnPause = seatOf(by) !== undefined && seatOf(by) === seatOf(pace.by)
    if (rank <= rankOfPause && !isSame && !isOwnPause) return 'not-allowed'
    this.#goOn(seatOf(by))
    return undefined
  }

  #goOn(seat: number | undefined): void {
    this.#pace = { name: 'going' }
    this.#events.push({ type: 'resume', seat })
  }

  #setSpeed(percent: number, by: PaceSource, nowMs: number): PaceRefusal | undefined {
    if (!isAtLeast(by, this.#rules.speedBy)) return 'not-allowed'
    const isWhole = Number.isInteger(percent)
    if (!isWhole || percent < speedPercentMin || percent > speedPercentMax) return 'bad-value'
    if (percent === this.#requestedPercent) return 'already'
    if (nowMs < this.#speedAgainAtMs && by.type !== 'relay') return 'too-soon'
    this.#speedAgainAtMs = nowMs + speedEveryMs
    this.#requestedPercent = percent
    this.#applySpeed()
    return undefined
  }

  #applySpeed(): void {
    const percent = Math.min(this.#requestedPercent, this.#limitPercent)
    if (percent === this.#effectivePercent) return
    this.#effectivePercent = percent
    this.#events.push({ type: 'speed', percent })
  }
}

function isAtLeast(by: PaceSource, rank: PaceRank): boolean {
  return ranks.indexOf(by.type) >= ranks.indexOf(rank)
}

function seatOf(by: PaceSource): number | undefined {
  return by.type === 'player' || by.type === 'owner' ? by.seat : undefined
}

/** The shortest time between two wishes for another speed: a slider sends many. */
const speedEveryMs = 1_000
