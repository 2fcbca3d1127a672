import { OutputQueue } from '../base/output-queue.ts'
import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { speedPercentMax, speedPercentMin } from '../wire/limits.ts'
import type { PaceConfig } from '../wire/messages/match-config.ts'
import { paceDefaults, paceRanks } from '../wire/messages/match-config.ts'

/**
 * Who may stop a match, for how long, and how fast it goes. All are requests: what is granted becomes
 * an event of the next tick, for everybody the same (I-19). Ticks go on in a pause (CLK-14).
 *
 * Speed has two figures: what was asked for, and what is (LAG-08). Lag protection may hold the second
 * below the first; it comes back by itself when the load is gone.
 */

/** Who asks, by {@link paceRanks}. */
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
  /** Faster than the relay works for this match; the number is the most, in percent. */
  | `speed-max-${number}`

/** The least that one must be to ask for something. */
type PaceRank = PaceConfig['pauseBy']

/** A pause, as a record keeps it. */
export interface PauseView {
  readonly by: PaceSource['type']
  readonly seat: number | undefined
  /** How long it still lasts; `undefined` for one without an end. */
  readonly remainingMs: number | undefined
}

/** What a request makes of a match. */
export type PaceEvent = Extract<SystemEvent, { type: 'pause' | 'resume' | 'speed' }>

type Pace =
  | { readonly name: 'going' }
  | { readonly name: 'paused'; readonly by: PaceSource; endsAtMs: number }

/** Pauses and speed of one match. */
export class PauseBudget {
  readonly #rules: PaceConfig
  readonly #events = new OutputQueue<PaceEvent>()
  /**
   * Pauses by seat, and those of owners without one under {@link noSeat}. Kept when the player changes:
   * neither coming back nor handing the match to a friend who watches buys further ones.
   */
  readonly #pauses = new Map<number, number>()
  #pace: Pace = { name: 'going' }
  #requestedPercent = 100
  #limitPercent: number = speedPercentMax
  #effectivePercent = 100
  #speedAgainAtMs = Number.NEGATIVE_INFINITY
  #haltRevision = 0

  readonly #percentMax: number

  /** `percentMax` is the most that anybody may ask for. */
  constructor(rules: PaceConfig = paceDefaults, percentMax: number = speedPercentMax) {
    this.#rules = rules
    this.#percentMax = percentMax
  }

  get isPaused(): boolean {
    return this.#pace.name === 'paused'
  }

  /** Whether it is a halt that stops the match: see {@link halt}. */
  get isHalted(): boolean {
    const pace = this.#pace
    return pace.name === 'paused' && pace.by === halted
  }

  /** Changes when a halt begins or ends. */
  get haltRevision(): number {
    return this.#haltRevision
  }

  /** The speed that was asked for, in percent of the game's tick rate. */
  get requestedPercent(): number {
    return this.#requestedPercent
  }

  /** The speed that is. */
  get effectivePercent(): number {
    return this.#effectivePercent
  }

  /** Why nobody can have that speed, whoever asks; `undefined` when somebody could. */
  speedFault(percent: number): PaceRefusal | undefined {
    const isSpeed = Number.isInteger(percent) && percent >= speedPercentMin
    if (!isSpeed || percent > speedPercentMax) return 'bad-value'
    return percent > this.#percentMax ? `speed-max-${this.#percentMax}` : undefined
  }

  /** Pauses that a seat has left. */
  pausesLeft(seat: number): number {
    return this.#rules.pausesMax - (this.#pauses.get(seat) ?? 0)
  }

  /** The pause that holds now, for the record. */
  pauseView(nowMs: number): PauseView | undefined {
    const pace = this.#pace
    if (pace.name === 'going') return undefined
    const remainingMs =
      pace.endsAtMs === Number.POSITIVE_INFINITY
        ? undefined
        : Math.min(Math.max(Math.ceil(pace.endsAtMs - nowMs), 0), this.#rules.pauseMsMax)
    return { by: pace.by.type, seat: seatOf(pace.by), remainingMs }
  }

  /** Pauses that were used up, for the record. */
  pausesView(): { seat: number | undefined; count: number }[] {
    return [...this.#pauses].map(([seat, count]) => {
      return { seat: seat === noSeat ? undefined : seat, count }
    })
  }

  /** Goes on where another relay was. */
  restore(
    pause: PauseView | undefined,
    pauses: readonly { readonly seat: number | undefined; readonly count: number }[],
    requestedPercent: number,
    effectivePercent: number,
    nowMs: number,
  ): void {
    for (const { seat, count } of pauses) this.#pauses.set(seat ?? noSeat, count)
    this.#requestedPercent = requestedPercent
    this.#effectivePercent = effectivePercent
    if (pause === undefined) return
    const { by, seat, remainingMs = Number.POSITIVE_INFINITY } = pause
    const source: PaceSource = by === 'vote' || by === 'relay' ? { type: by } : sourceOf(by, seat)
    const isHalt = by === 'owner' && pause.remainingMs === undefined
    this.#pace = { name: 'paused', by: isHalt ? halted : source, endsAtMs: nowMs + remainingMs }
  }

  /**
   * Stops the match until somebody resumes it: its owner, a vote, or whoever runs the relay. Whatever
   * pause there was becomes part of it. No player's pauses are counted for it.
   */
  halt(): void {
    if (this.isHalted) return
    if (this.#pace.name === 'going') this.#events.push({ type: 'pause', seat: undefined })
    this.#haltRevision += 1
    this.#pace = { name: 'paused', by: halted, endsAtMs: Number.POSITIVE_INFINITY }
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
    if (by.type === 'player' || by.type === 'owner') {
      const account = seat ?? noSeat
      if (this.pausesLeft(account) <= 0) return 'no-pause-left'
      this.#pauses.set(account, (this.#pauses.get(account) ?? 0) + 1)
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
    const [rank, rankOfPause] = [paceRanks.indexOf(by.type), paceRanks.indexOf(pace.by.type)]
    const isSame = rank === rankOfPause && (by.type !== 'player' || seatOf(by) === seatOf(pace.by))
    // An owner who gave his rights away after he paused is still the one who paused.
    const isOwnPause = seatOf(by) !== undefined && seatOf(by) === seatOf(pace.by)
    if (rank <= rankOfPause && !isSame && !isOwnPause) return 'not-allowed'
    this.#goOn(seatOf(by))
    return undefined
  }

  #goOn(seat: number | undefined): void {
    if (this.isHalted) this.#haltRevision += 1
    this.#pace = { name: 'going' }
    this.#events.push({ type: 'resume', seat })
  }

  #setSpeed(percent: number, by: PaceSource, nowMs: number): PaceRefusal | undefined {
    if (!isAtLeast(by, this.#rules.speedBy)) return 'not-allowed'
    const fault = this.speedFault(percent)
    if (fault !== undefined) return fault
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

function sourceOf(type: 'player' | 'owner', seat: number | undefined): PaceSource {
  return type === 'player' ? { type, seat: seat ?? noSeat } : { type, seat }
}

function isAtLeast(by: PaceSource, rank: PaceRank): boolean {
  return paceRanks.indexOf(by.type) >= paceRanks.indexOf(rank)
}

function seatOf(by: PaceSource): number | undefined {
  return by.type === 'player' || by.type === 'owner' ? by.seat : undefined
}

/**
 * A halt is as a pause of the owner, without an end: whoever may resume that may resume it, and records
 * tell it by the same words. No owner's own pause is without an end.
 */
const halted: PaceSource = Object.freeze({ type: 'owner', seat: undefined })

/** Where pauses of owners count who only watch: all of them together have as many as a seat. */
const noSeat = -1

/** The shortest time between two wishes for another speed: a slider sends many. */
const speedEveryMs = 1_000
