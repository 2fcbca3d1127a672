import { LateTicks } from './late-ticks.ts'

/** How somebody plays. */
export type Playing =
  | { readonly name: 'active' }
  | {
      readonly name: 'lagging'
      /** Since when it is so far behind that it would be another game. */
      behindSinceMs: number
      /** When so few late ticks will be left that it lags no more. */
      readonly calmAtMs: number
    }

/** Whether somebody who plays keeps up: executes ticks not long after their seal, sends inputs in time. */
export class Lag {
  readonly late: LateTicks
  readonly #farTicks: number
  readonly #levelTicks: number
  /** How far behind it was when it last proved anything. */
  behindTicks = 0

  constructor(tickRate: number) {
    this.late = new LateTicks(tickRate)
    this.#farTicks = (farMs * tickRate) / 1_000
    this.#levelTicks = (levelMs * tickRate) / 1_000
  }

  /** Whether it is too far behind to call it playing. */
  get isFar(): boolean {
    return this.behindTicks > this.#farTicks
  }

  /** Whether it is close enough to be level again. */
  get isLevel(): boolean {
    return this.behindTicks <= this.#levelTicks
  }

  /** How somebody plays now who played so before. */
  judge(before: Playing, nowMs: number): Playing {
    const isLate = this.late.isMany(nowMs, before.name === 'lagging')
    if (!this.isFar && !isLate) return before.name === 'active' ? before : { name: 'active' }
    const sinceMs = before.name === 'lagging' ? before.behindSinceMs : Number.POSITIVE_INFINITY
    return {
      name: 'lagging',
      // Late inputs cost nobody but who sends them: a far player is told, and may stay.
      behindSinceMs: this.isFar ? Math.min(sinceMs, nowMs) : Number.POSITIVE_INFINITY,
      calmAtMs: isLate ? this.late.calmAtMs() : Number.POSITIVE_INFINITY,
    }
  }
}

const farMs = 2_000
const levelMs = 500
