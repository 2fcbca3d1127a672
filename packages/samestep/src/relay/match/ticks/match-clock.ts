import { TickClock } from './tick-clock.ts'

type ClockState =
  /** The match has not begun. */
  | { readonly name: 'unstarted' }
  | { readonly name: 'ticking'; readonly clock: TickClock }
  /** A tick is due, and waits for inputs. */
  | { readonly name: 'waiting'; readonly clock: TickClock; readonly sinceMs: number }
  /** No member has a link. */
  | { readonly name: 'resting'; readonly clock: TickClock }

/**
 * When the ticks of a match are sealed:
 *
 *     unstarted ──start──► ticking ◄──all inputs, or too long──► waiting (policy `wait` only)
 *                            │ ▲                                    │
 *         last link is lost  ▼ │ somebody is back                   │
 *                           resting ◄───────────────────────────────┘
 *
 * A match without any link costs nothing: its clock stands still until a member is back, or until all
 * are given up. Ticks that nobody receives would only cost work and memory.
 */
export class MatchClock {
  /** How long a due tick waits for its inputs; 0 for not at all. */
  readonly #waitMs: number
  readonly #makeUpMs: number | undefined
  #state: ClockState = { name: 'unstarted' }
  /** How long the newest tick waited for an input that came. */
  waitedMs = 0
  /** How long it waited, whether the input came or not. */
  heldUpMs = 0

  /** At most `makeUpMs` of lost time is made up; if left out, the default. */
  constructor(waitMs: number, makeUpMs?: number) {
    this.#waitMs = waitMs
    this.#makeUpMs = makeUpMs
  }

  get isStarted(): boolean {
    return this.#state.name !== 'unstarted'
  }

  /** Whether a due tick waits for inputs. */
  get isWaiting(): boolean {
    return this.#state.name === 'waiting'
  }

  /** Since when a due tick has waited for inputs; `Infinity` if none does. */
  get waitingSinceMs(): number {
    return this.#state.name === 'waiting' ? this.#state.sinceMs : Number.POSITIVE_INFINITY
  }

  /** The time between two ticks at the current speed; 0 before the match begins. */
  get intervalMs(): number {
    return this.#state.name === 'unstarted' ? 0 : this.#state.clock.intervalMs
  }

  start(tickRate: number, nowMs: number): void {
    this.#state = { name: 'ticking', clock: new TickClock(tickRate, nowMs, this.#makeUpMs) }
  }

  setSpeed(percent: number, nowMs: number): void {
    if (this.#state.name !== 'unstarted') this.#state.clock.setSpeed(percent, nowMs)
  }

  /** Sets whether any member has a link. Returns whether the clock stopped or went on because of it. */
  setAttended(isAttended: boolean, nowMs: number): 'rests' | 'goes-on' | undefined {
    const state = this.#state
    if (state.name === 'unstarted' || (state.name === 'resting') !== isAttended) return undefined
    const { clock } = state
    // The time in between is not made up.
    if (isAttended) clock.postpone(nowMs)
    this.#state = { name: isAttended ? 'ticking' : 'resting', clock }
    return isAttended ? 'goes-on' : 'rests'
  }

  /**
   * Whether a tick is to be sealed now; then it counts as sealed. `isComplete`: all inputs are there.
   */
  takeTick(isComplete: boolean, nowMs: number): boolean {
    const state = this.#state
    if (state.name === 'unstarted' || state.name === 'resting') return false
    const { clock } = state
    if (!clock.isDue(nowMs)) return false
    const sinceMs = state.name === 'waiting' ? state.sinceMs : nowMs
    if (!isComplete && nowMs < sinceMs + this.#waitMs) {
      if (state.name === 'ticking') this.#state = { name: 'waiting', clock, sinceMs }
      return false
    }
    if (state.name === 'waiting') {
      // However the wait ended, its time is not made up afterwards.
      clock.postpone(nowMs)
      this.#state = { name: 'ticking', clock }
    }
    clock.advance(nowMs)
    this.heldUpMs = nowMs - sinceMs
    this.waitedMs = isComplete ? this.heldUpMs : 0
    return true
  }

  /** When a tick is due, or has waited long enough. */
  wakeAtMs(isComplete: boolean): number {
    const state = this.#state
    switch (state.name) {
      case 'unstarted':
      case 'resting':
        return Number.POSITIVE_INFINITY
      case 'waiting':
        return isComplete ? state.clock.wakeAtMs() : state.sinceMs + this.#waitMs
      case 'ticking':
        return state.clock.wakeAtMs()
    }
  }

  /** Whether ticks come by themselves, without any input. */
  isGoing(isComplete: boolean): boolean {
    const { name } = this.#state
    return name === 'ticking' || (name === 'waiting' && isComplete)
  }
}
