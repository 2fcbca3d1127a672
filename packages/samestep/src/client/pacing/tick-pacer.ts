import { unreachable } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { speedPercentMax } from '../../wire/limits.ts'
import { ArrivalTrack } from './arrival-track.ts'
import { fpsMin, LoadMeter } from './load-meter.ts'
import { reviewMs, TickHead } from './tick-head.ts'

/**
 * When sealed ticks are run, and what is drawn between them. A *head* moves over the ticks like the
 * head of a tape machine: tick n is run when the head reaches n, and drawn from its predecessor to it
 * while the head goes on to n + 1. The head only goes forward and never jumps while it plays, so
 * neither does the picture.
 *
 *     arrivals   1    2    3       4 5    6              7 8 9
 *     head       1────2────3────4────5────6────7   . . . 7────8────9
 *     alpha      0…1  0…1  0…1  0…1  0…1  0…1  1 (dry: stalled)
 *
 * Where the head should be is said by the arrivals ({@link ArrivalTrack}); it is brought there by going
 * a little faster or slower, corrected every 500 ms (SMO-01). When the next tick is not there, the head
 * waits for a whole interval: one visible pause instead of many small ones (SMO-03). Too much to play is
 * no longer played but caught up with, in a state of its own (SMO-11).
 */

/** Where the pacing stands, for who has to show it. */
export type PacerState =
  /** Ticks are run when they are due. */
  | { readonly name: 'active' }
  /** The next tick is due since then, and not here. */
  | { readonly name: 'stalled'; readonly sinceMs: number }
  /** Far behind. */
  | {
      readonly name: 'catching-up'
      /** How much of the way is made that was to be made when it began: 0 to 1, never less. */
      readonly progress: number
      /** Ticks that are here and not run. */
      readonly ticksLeft: number
      /** How long it still takes; `Infinity` for a machine that does not gain on the match. */
      readonly leftMs: number
    }
  /** Nobody looks: ticks are run when they come. */
  | { readonly name: 'hidden' }
  /** A tick takes longer than it may at the speed that was asked for: this machine falls behind. */
  | { readonly name: 'slow'; readonly loadPercent: number }

/** Where the head was at a time, in ticks, and how far it goes by itself from there. */
export interface Motion {
  readonly head: number
  readonly atMs: number
  readonly ticksPerMs: number
}

/** Sharing of the thread while catching up, and where catching up begins (SMO-05, B-31). */
const simShare = 0.8

/**
 * Ticks of one frame at the most, at so many per second: those of a second, so that a machine which draws
 * five pictures in it still gains on the match.
 */
export function ticksPerFrameFor(ticksPerSecond: number): number {
  return Math.max(Math.ceil(ticksPerSecond), 30)
}

/** What is due when somebody has caught up: what came since the last picture, of which there are 20. */
const caughtUpMs = 60

/** Pictures per second while catching up: enough for a progress bar, few enough to lose little. */
const catchUpFps = 20

/**
 * What is due at once and still played, only faster: a third of a second, as a short outage of a radio
 * link leaves it. More would be a long hurry that looks broken.
 */
const dueMsMax = 334

/** Above that share of its time a tick is too slow, and below this one it is no longer. */
const slowPercent = 100
const recoveredPercent = 90

/** Decides how many ticks to run now and how far between two of them the picture is. */
export class TickPacer {
  /** What the arrivals say. */
  readonly arrivals: ArrivalTrack
  /** What the ticks cost. */
  readonly load: LoadMeter
  /** Until when the ticks of the last {@link plan} may run; then the next picture is due (SMO-04). */
  deadlineMs = 0
  /** The speed that the players asked for: who cannot keep up with that is slow, also while spared. */
  requestedPercent = 100
  readonly #intervalMs: number
  readonly #head: TickHead
  readonly #ticksPerFrameMax: number
  #speedPercent = 100
  #isHidden = false
  #isSlow = false
  #plannedMs = 0
  #simulatedTick = 0
  #readyTick = 0
  #shownTick = 0
  #shownAlpha = 0

  constructor(tickRate: number) {
    this.#intervalMs = 1_000 / tickRate
    this.arrivals = new ArrivalTrack(tickRate)
    this.load = new LoadMeter(tickRate)
    this.#ticksPerFrameMax = ticksPerFrameFor(tickRate)
    this.#head = new TickHead(this.arrivals, this.#intervalMs)
  }

  get state(): PacerState {
    if (this.#isHidden) return { name: 'hidden' }
    if (this.#isSlow) return { name: 'slow', loadPercent: Math.round(this.load.simPercent) }
    const head = this.#head.state
    switch (head.name) {
      case 'catching-up': {
        const { progress, ticksLeft, leftMs } = this
        return { name: 'catching-up', progress, ticksLeft, leftMs }
      }
      case 'dry':
        return { name: 'stalled', sinceMs: head.sinceMs }
      case 'lifted':
      case 'playing':
        return { name: 'active' }
      default:
        return unreachable(head)
    }
  }

  /** How much of a catch-up is made, 0 to 1; 1 when there is none. */
  get progress(): number {
    const { state } = this.#head
    return state.name === 'catching-up' ? state.progress : 1
  }

  /** Ticks that are here and not run. */
  get ticksLeft(): number {
    return Math.max(this.#readyTick - this.#simulatedTick, 0)
  }

  /** How long catching up still takes; `Infinity` for a machine that does not gain on the match. */
  get leftMs(): number {
    const { state } = this.#head
    if (state.name !== 'catching-up') return 0
    const ranTicks = this.#simulatedTick - state.fromTick
    const tookMs = this.#plannedMs - state.fromMs
    const guess = simShare / Math.max(this.load.typicalTickMs, 0.01)
    const gained = (tookMs >= reviewMs ? ranTicks / tookMs : guess) - 1 / this.#pacedMs
    return gained <= 0 ? Number.POSITIVE_INFINITY : this.ticksLeft / gained
  }

  /** Ticks between the head and the newest that is here. */
  get depth(): number {
    const { state, position } = this.#head
    return state.name === 'lifted' ? 0 : Math.max(this.#readyTick - position, 0)
  }

  /** Ticks by which the first arrivals are held back, so that the late ones are in time. */
  get targetDepth(): number {
    return this.arrivals.delayMs / this.arrivals.intervalMs
  }

  get jitterMs(): number {
    return this.arrivals.jitterMs
  }

  /** The pace as a share of the match's: above 1 while a little too far behind. */
  get rate(): number {
    return this.#speedPercent === 0 ? 0 : this.#head.rate * this.#pacedMs
  }

  get speedPercent(): number {
    return this.#speedPercent
  }

  /** The match goes on at another speed from the tick that was run last; 0 while it stands still. */
  set speedPercent(percent: number) {
    this.setSpeed(percent, this.#simulatedTick)
  }

  /** As {@link speedPercent}, from a tick on that {@link noteRan} was not told of yet. */
  setSpeed(percent: number, fromTick: number): void {
    if (!(percent >= 0 && percent <= speedPercentMax)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot play at ${percent} %: the speed must be from 0 to ${speedPercentMax}`,
      )
    }
    if (percent === this.#speedPercent) return
    const wasHalted = this.#speedPercent === 0
    this.#speedPercent = percent
    if (percent === 0) return
    this.arrivals.setTickInterval(this.#pacedMs, fromTick)
    this.#head.setPace(this.#pacedMs)
    if (wasHalted) this.#head.lift()
  }

  /** Said by the driver: nobody looks, and no pictures are asked for. */
  setHidden(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return
    this.#isHidden = isHidden
    // Who is hidden gets the time of day late and in lumps: it says nothing about the network.
    if (!isHidden) this.#head.lift()
  }

  /** All ticks up to this one are here to be run. Call it when they come, not when they are looked at. */
  noteArrival(newestReadyTick: number, nowMs: number): void {
    this.#head.noteArrival(newestReadyTick, nowMs)
    if (!this.#isHidden && this.#speedPercent > 0) this.arrivals.note(newestReadyTick, nowMs)
  }

  /** How many ticks to run now, but none after {@link deadlineMs}, save the first. */
  plan(nowMs: number, simulatedTick: number, readyTick: number): number {
    const elapsedMs = Math.max(nowMs - this.#plannedMs, 0)
    this.#plannedMs = nowMs
    this.#simulatedTick = simulatedTick
    this.#readyTick = readyTick
    const budgetMs = this.#budgetMs()
    this.deadlineMs = nowMs + budgetMs
    this.#judgeLoad()
    this.arrivals.settle()
    const due = this.#dueTicks(elapsedMs, nowMs)
    if (due <= 0) return 0
    const affordable = Math.floor(budgetMs / Math.max(this.load.typicalTickMs, 0.01))
    return Math.min(due, Math.max(affordable, 1), this.#ticksPerFrameMax)
  }

  /** Notes what became of the plan. */
  noteRan(count: number, costMs: number): void {
    this.#simulatedTick += count
    this.load.noteTicks(count, costMs)
    this.#head.noteRan(this.#simulatedTick, this.ticksLeft)
  }

  /**
   * Where between the last two ticks the picture is that is drawn now: 0 to 1, and never back while
   * they are the last.
   */
  drawAlpha(nowMs: number): number {
    const ahead = Math.max(nowMs - this.#plannedMs, 0) * this.#shownRate
    const alpha = Math.min(Math.max(this.#head.position + ahead - this.#simulatedTick, 0), 1)
    if (this.#shownTick === this.#simulatedTick && alpha < this.#shownAlpha) return this.#shownAlpha
    this.#shownTick = this.#simulatedTick
    this.#shownAlpha = alpha
    return alpha
  }

  /** How the picture moves on until the next plan: what {@link drawAlpha} says, for another thread. */
  get motion(): Motion {
    return { head: this.#head.position, atMs: this.#plannedMs, ticksPerMs: this.#shownRate }
  }

  /** When {@link plan} has something to run, for who draws no pictures; `Infinity` before more comes. */
  wakeAtMs(): number {
    if (this.#readyTick <= this.#simulatedTick) return Number.POSITIVE_INFINITY
    const { state, position, rate } = this.#head
    if (this.#isHalted || state.name === 'catching-up' || state.name === 'lifted') {
      return this.#plannedMs
    }
    if (state.name === 'dry') return this.#head.resumeAtMs(state)
    const wait = (this.#simulatedTick + 1 - position) / rate
    return this.#plannedMs + Math.max(wait, 0)
  }

  /** Nobody looks, or nothing moves: what comes is run at once. */
  get #isHalted(): boolean {
    return this.#isHidden || this.#speedPercent === 0
  }

  /** How fast the head moves that is drawn. */
  get #shownRate(): number {
    return this.#head.isMoving && !this.#isHalted ? this.#head.rate : 0
  }

  get #pacedMs(): number {
    return (this.#intervalMs * 100) / Math.max(this.#speedPercent, 1)
  }

  /** For simulation in one frame: its share against the picture's, but a picture now and then (SMO-05). */
  #budgetMs(): number {
    const balancedMs = (this.load.drawMs * simShare) / (1 - simShare)
    const fluentMs = (1_000 / catchUpFps) * simShare
    return Math.min(Math.max(balancedMs, fluentMs), (1_000 / fpsMin) * simShare)
  }

  #judgeLoad(): void {
    const percent = (this.load.simPercent * this.requestedPercent) / 100
    // A first tick is always slow: the engine has not seen the code before.
    if (percent > slowPercent && this.load.hasSettled) this.#isSlow = true
    if (percent >= recoveredPercent || !this.#isSlow) return
    this.#isSlow = false
    // What was made of the way while it grew longer says nothing about how long the rest takes.
    if (this.#head.state.name === 'catching-up') this.#beginCatchUp(this.#plannedMs)
  }

  #dueTicks(elapsedMs: number, nowMs: number): number {
    const ready = this.#readyTick - this.#simulatedTick
    if (this.#isHalted) return ready
    if (!this.arrivals.hasStarted) return 0
    this.#head.advance(elapsedMs, nowMs, this.#simulatedTick, this.#readyTick)
    const { state, position } = this.#head
    const due = Math.min(Math.floor(position), this.#readyTick) - this.#simulatedTick
    if (state.name === 'catching-up') {
      if (due <= 1 || due * this.#pacedMs <= caughtUpMs) this.#head.endCatchUp()
      return due
    }
    const wanted = Math.min(this.arrivals.headAt(nowMs), this.#readyTick) - this.#simulatedTick
    if (wanted * this.#pacedMs <= dueMsMax || state.name === 'dry') return due
    this.#beginCatchUp(nowMs)
    return Math.floor(wanted)
  }

  #beginCatchUp(nowMs: number): void {
    this.#head.beginCatchUp(nowMs, this.#simulatedTick)
  }
}
