import type { ArrivalTrack } from './arrival-track.ts'

/**
 * The head of the tape: where between two ticks the picture is, and what keeps it there. See
 * `tick-pacer.ts` for the picture of it.
 */
export type HeadState =
  /** On no tick: it is put where it belongs when ticks are next planned. */
  | { readonly name: 'lifted' }
  | { readonly name: 'playing' }
  /** The tick after `lastTick` is due since `sinceMs`, and came at `wetAtMs`, or not yet. */
  | {
      readonly name: 'dry'
      readonly sinceMs: number
      readonly lastTick: number
      readonly wetAtMs: number | undefined
    }
  /** Too far behind to play: it follows what is run. */
  | {
      readonly name: 'catching-up'
      readonly fromTick: number
      readonly fromMs: number
      /** How much of the way is made: 0 to 1, never less than before. */
      readonly progress: number
    }

/** How often the rate is reviewed at normal speed (SMO-01). */
export const reviewMs = 500

/** Ticks per second that one tick of error adds to the rate, as in Spring: it is gone in seconds. */
const rateGain = 1

/** The rate stays within these shares of normal: motion beyond them looks wrong. */
const rateShareMin = 0.75
const rateShareMax = 1.5

/** A pause shorter than half a picture at 60 per second is not seen, and costs no rebuffering. */
const unseenMs = 8

const lifted: HeadState = { name: 'lifted' }
const playing: HeadState = { name: 'playing' }

/** Moves over the ticks as the arrivals want it: forward only, and never in a jump while it plays. */
export class TickHead {
  readonly #arrivals: ArrivalTrack
  /** The length of a tick at normal speed. */
  readonly #intervalMs: number
  #state: HeadState = lifted
  /** The length of a tick at the speed of the match. */
  #pacedMs: number
  #position = 0
  /** Ticks per ms. */
  #rate: number
  #reviewAtMs = 0

  constructor(arrivals: ArrivalTrack, intervalMs: number) {
    this.#arrivals = arrivals
    this.#intervalMs = intervalMs
    this.#pacedMs = intervalMs
    this.#rate = 1 / intervalMs
  }

  get state(): HeadState {
    return this.#state
  }

  /** In ticks. */
  get position(): number {
    return this.#position
  }

  /** Ticks per ms while it plays. */
  get rate(): number {
    return this.#rate
  }

  /** Whether it moves by itself. It waits where it is dry, and is put where it belongs otherwise. */
  get isMoving(): boolean {
    return this.#state.name === 'playing' || this.#state.name === 'lifted'
  }

  /** When a head that is dry goes on; `Infinity` before the tick that it waits for is here. */
  resumeAtMs({ sinceMs, wetAtMs }: HeadState & { readonly name: 'dry' }): number {
    if (wetAtMs === undefined) return Number.POSITIVE_INFINITY
    return Math.max(wetAtMs, sinceMs + this.#pacedMs)
  }

  /** A tick lasts so long from now on. */
  setPace(pacedMs: number): void {
    this.#pacedMs = pacedMs
    this.#rate = 1 / pacedMs
    this.#reviewAtMs = 0
  }

  /** Ticks up to this one came: perhaps the one that is waited for. */
  noteArrival(newestTick: number, nowMs: number): void {
    const state = this.#state
    if (state.name !== 'dry' || state.wetAtMs !== undefined || newestTick <= state.lastTick) return
    this.#state = { ...state, wetAtMs: nowMs }
  }

  /** Takes the head off: it is put on again, without a hurry, where it belongs by then. */
  lift(): void {
    this.#state = lifted
    this.#arrivals.restart()
  }

  /** Goes where it should be at this time, by playing or by being put there. */
  advance(elapsedMs: number, nowMs: number, simulatedTick: number, readyTick: number): void {
    const state = this.#state
    switch (state.name) {
      case 'lifted':
        this.#put(nowMs, simulatedTick, readyTick)
        this.#state = playing
        return
      case 'catching-up':
        this.#put(nowMs, simulatedTick, readyTick)
        return
      case 'playing':
        this.#play(elapsedMs, nowMs, simulatedTick, readyTick)
        return
      case 'dry': {
        const resumeAtMs = this.resumeAtMs(state)
        if (nowMs < resumeAtMs) return
        // A tick came too late for its place: those after it get an interval more, but not for ever.
        this.#arrivals.postpone(Math.min(resumeAtMs - state.sinceMs, this.#pacedMs))
        this.#state = playing
        this.#reviewAtMs = 0
        this.#play(nowMs - resumeAtMs, nowMs, simulatedTick, readyTick)
      }
    }
  }

  /** There is too much to play: what is due is run, as fast as it goes. */
  beginCatchUp(nowMs: number, simulatedTick: number): void {
    this.#state = { name: 'catching-up', fromTick: simulatedTick, fromMs: nowMs, progress: 0 }
  }

  /** Little enough is left to play it. */
  endCatchUp(): void {
    this.#state = playing
  }

  /** Notes how far a catch-up is, and what is left to run. */
  noteRan(simulatedTick: number, ticksLeft: number): void {
    const state = this.#state
    if (state.name !== 'catching-up') return
    const made = simulatedTick - state.fromTick
    const progress = made / Math.max(made + ticksLeft, 1)
    if (progress > state.progress) this.#state = { ...state, progress }
  }

  /** Puts the head where the arrivals want it, but never before what was run or after what is here. */
  #put(nowMs: number, simulatedTick: number, readyTick: number): void {
    const position = Math.max(this.#arrivals.headAt(nowMs), simulatedTick)
    this.#position = Math.min(position, readyTick + 1)
    this.#reviewAtMs = 0
  }

  #play(elapsedMs: number, nowMs: number, simulatedTick: number, readyTick: number): void {
    const limit = readyTick + 1
    // A state that was loaded is where it is: the head never lies before what was run.
    const position = Math.max(this.#position + elapsedMs * this.#rate, simulatedTick)
    const lateMs = (position - limit) / this.#rate
    if (lateMs > unseenMs) {
      const sinceMs = nowMs - lateMs
      this.#state = { name: 'dry', sinceMs, lastTick: readyTick, wetAtMs: undefined }
      this.#position = limit
      return
    }
    this.#position = position
    if (nowMs >= this.#reviewAtMs) this.#review(nowMs)
  }

  #review(nowMs: number): void {
    const error = this.#arrivals.headAt(nowMs) - this.#position
    const paced = 1 / this.#pacedMs
    const rate = paced + (error * rateGain) / 1_000
    this.#rate = Math.min(Math.max(rate, paced * rateShareMin), paced * rateShareMax)
    this.#reviewAtMs = nowMs + (reviewMs * this.#pacedMs) / this.#intervalMs
  }
}
