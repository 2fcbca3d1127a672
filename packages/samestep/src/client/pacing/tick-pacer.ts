import { UsageError } from '../../base/errors.ts'
import { ArrivalTrack } from './arrival-track.ts'
import { fpsMin, LoadMeter } from './load-meter.ts'

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

/** Where the pacing stands. Each state has its numbers beside it, as getters. */
export type PacerState =
  /** Ticks are run when they are due. */
  | 'active'
  /** The next tick is due and not here: {@link TickPacer.drySinceMs}. */
  | 'stalled'
  /** Far behind: {@link TickPacer.progress}, {@link TickPacer.ticksLeft}, {@link TickPacer.leftMs}. */
  | 'catching-up'
  /** Nobody looks: ticks are run when they come. */
  | 'hidden'
  /** A tick takes longer than it may at the speed that was asked for: this machine falls behind. */
  | 'slow'

/** Where the head was at a time, in ticks, and how far it goes by itself from there. */
export interface Motion {
  readonly head: number
  readonly atMs: number
  readonly ticksPerMs: number
}

/** Sharing of the thread while catching up, and where catching up begins (SMO-05, B-31). */
const simShare = 0.8
const ticksPerFrameMax = 30

/** Pictures per second while catching up: enough for a progress bar, few enough to lose little. */
const catchUpFps = 20

/**
 * What is due at once and still played, only faster: a third of a second, as a short outage of a radio
 * link leaves it. More would be a long hurry that looks broken.
 */
const dueMsMax = 334

/** How often the rate is reviewed at normal speed (SMO-01). */
const reviewMs = 500

/** Ticks per second that one tick of error adds to the rate, as in Spring: it is gone in seconds. */
const rateGain = 1

/** The rate stays within these shares of normal: motion beyond them looks wrong. */
const rateShareMin = 0.75
const rateShareMax = 1.5

/** A pause shorter than half a picture at 60 per second is not seen, and costs no rebuffering. */
const unseenMs = 8

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
  #speedPercent = 100
  #isHidden = false
  #isCatchingUp = false
  #isSlow = false
  /** Whether the head was ever put on a tick. */
  #hasHead = false
  #head = 0
  /** Ticks per ms. */
  #rate: number
  #reviewAtMs = 0
  #plannedMs = 0
  #simulatedTick = 0
  #readyTick = 0
  #drySinceMs = -1
  #dryTick = 0
  /** When the tick came that ends the drought. */
  #wetAtMs = -1
  #caughtFromTick = 0
  #caughtFromMs = 0
  #progress = 0
  #shownTick = 0
  #shownAlpha = 0

  constructor(tickRate: number) {
    this.#intervalMs = 1_000 / tickRate
    this.#rate = 1 / this.#intervalMs
    this.arrivals = new ArrivalTrack(tickRate)
    this.load = new LoadMeter(tickRate)
  }

  get state(): PacerState {
    if (this.#isHidden) return 'hidden'
    if (this.#isSlow) return 'slow'
    if (this.#isCatchingUp) return 'catching-up'
    return this.#drySinceMs < 0 ? 'active' : 'stalled'
  }

  /** Since when the next tick is due and not here; −1 if it is, or none is due. */
  get drySinceMs(): number {
    return this.#drySinceMs
  }

  /** How much of the way is made that was to be made when catching up began: 0 to 1, never less. */
  get progress(): number {
    return this.#isCatchingUp ? this.#progress : 1
  }

  /** Ticks that are here and not run. */
  get ticksLeft(): number {
    return Math.max(this.#readyTick - this.#simulatedTick, 0)
  }

  /** How long catching up still takes; `Infinity` for a machine that does not gain on the match. */
  get leftMs(): number {
    if (!this.#isCatchingUp) return 0
    const ranTicks = this.#simulatedTick - this.#caughtFromTick
    const tookMs = this.#plannedMs - this.#caughtFromMs
    const guess = simShare / Math.max(this.load.typicalTickMs, 0.01)
    const gained = (tookMs >= reviewMs ? ranTicks / tookMs : guess) - 1 / this.#pacedMs
    return gained <= 0 ? Number.POSITIVE_INFINITY : this.ticksLeft / gained
  }

  /** Ticks between the head and the newest that is here. */
  get depth(): number {
    return this.#hasHead ? Math.max(this.#readyTick - this.#head, 0) : 0
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
    return this.#speedPercent === 0 ? 0 : this.#rate * this.#pacedMs
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
    this.arrivals.setInterval(this.#pacedMs, fromTick)
    this.#rate = 1 / this.#pacedMs
    this.#reviewAtMs = 0
    if (wasHalted) this.#lift()
  }

  /** Said by the driver: nobody looks, and no pictures are asked for. */
  setHidden(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return
    this.#isHidden = isHidden
    // Who is hidden gets the time of day late and in lumps: it says nothing about the network.
    if (!isHidden) this.#lift()
  }

  /** All ticks up to this one are here to be run. Call it when they come, not when they are looked at. */
  noteArrival(newestReadyTick: number, nowMs: number): void {
    if (this.#drySinceMs >= 0 && this.#wetAtMs < 0 && newestReadyTick > this.#dryTick) {
      this.#wetAtMs = nowMs
    }
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
    return Math.min(due, Math.max(affordable, 1), ticksPerFrameMax)
  }

  /** Notes what became of the plan. */
  noteRan(count: number, costMs: number): void {
    this.#simulatedTick += count
    this.load.noteTicks(count, costMs)
    if (!this.#isCatchingUp) return
    const made = this.#simulatedTick - this.#caughtFromTick
    const progress = made / Math.max(made + this.ticksLeft, 1)
    if (progress > this.#progress) this.#progress = progress
  }

  /** Where between the last two ticks the picture is: 0 to 1, and never back while they are the last. */
  alpha(nowMs: number): number {
    const ahead = Math.max(nowMs - this.#plannedMs, 0) * this.#shownRate
    const alpha = Math.min(Math.max(this.#head + ahead - this.#simulatedTick, 0), 1)
    if (this.#shownTick === this.#simulatedTick && alpha < this.#shownAlpha) return this.#shownAlpha
    this.#shownTick = this.#simulatedTick
    this.#shownAlpha = alpha
    return alpha
  }

  /** How the picture moves on until the next plan: what {@link alpha} says, for another thread. */
  get motion(): Motion {
    return { head: this.#head, atMs: this.#plannedMs, ticksPerMs: this.#shownRate }
  }

  /** When {@link plan} has something to run, for who draws no pictures; `Infinity` before more comes. */
  wakeAtMs(): number {
    if (this.#readyTick <= this.#simulatedTick) return Number.POSITIVE_INFINITY
    if (this.#isHalted || this.#isCatchingUp || !this.#hasHead) return this.#plannedMs
    if (this.#drySinceMs >= 0) return this.#resumeAtMs()
    const wait = (this.#simulatedTick + 1 - this.#head) / this.#rate
    return this.#plannedMs + Math.max(wait, 0)
  }

  /** Nobody looks, or nothing moves: what comes is run at once. */
  get #isHalted(): boolean {
    return this.#isHidden || this.#speedPercent === 0
  }

  /** How fast the head moves that is drawn: not at all where it waits, or is put where it belongs. */
  get #shownRate(): number {
    return this.#drySinceMs < 0 && !this.#isHalted && !this.#isCatchingUp ? this.#rate : 0
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
    if (this.#isCatchingUp) this.#beginCatchUp(this.#plannedMs)
  }

  #dueTicks(elapsedMs: number, nowMs: number): number {
    const ready = this.#readyTick - this.#simulatedTick
    if (this.#isHalted) return ready
    if (!this.arrivals.hasStarted) return 0
    if (!this.#hasHead || this.#isCatchingUp) this.#putHead(nowMs)
    else this.#moveHead(elapsedMs, nowMs)
    const due = Math.min(Math.floor(this.#head), this.#readyTick) - this.#simulatedTick
    if (this.#isCatchingUp) {
      if (due <= 1) this.#isCatchingUp = false
      return due
    }
    const wanted = Math.min(this.arrivals.headAt(nowMs), this.#readyTick) - this.#simulatedTick
    if (wanted * this.#pacedMs <= dueMsMax || this.#drySinceMs >= 0) return due
    this.#beginCatchUp(nowMs)
    return Math.floor(wanted)
  }

  /** Puts the head where the arrivals want it, but never before what was run or after what is here. */
  #putHead(nowMs: number): void {
    const head = Math.max(this.arrivals.headAt(nowMs), this.#simulatedTick)
    this.#head = Math.min(head, this.#readyTick + 1)
    this.#hasHead = true
    this.#reviewAtMs = 0
  }

  /** Takes the head off: it is put on again, without a hurry, where it belongs by then. */
  #lift(): void {
    this.#hasHead = false
    this.#isCatchingUp = false
    this.#endDrought()
    this.arrivals.restart()
  }

  #moveHead(elapsedMs: number, nowMs: number): void {
    if (this.#drySinceMs >= 0) {
      const resumeAtMs = this.#resumeAtMs()
      if (nowMs < resumeAtMs) return
      // A tick came too late for its place: those after it get an interval more, but not for ever.
      const lateMs = resumeAtMs - this.#drySinceMs
      this.arrivals.postpone(Math.min(lateMs, this.#pacedMs))
      this.#endDrought()
      this.#reviewAtMs = 0
      elapsedMs = nowMs - resumeAtMs
    }
    const limit = this.#readyTick + 1
    // A state that was loaded is where it is: the head never lies before what was run.
    const head = Math.max(this.#head + elapsedMs * this.#rate, this.#simulatedTick)
    if ((head - limit) / this.#rate > unseenMs) {
      this.#drySinceMs = nowMs - (head - limit) / this.#rate
      this.#dryTick = this.#readyTick
      this.#head = limit
      return
    }
    this.#head = head
    if (nowMs >= this.#reviewAtMs) this.#review(nowMs)
  }

  #resumeAtMs(): number {
    if (this.#wetAtMs < 0) return Number.POSITIVE_INFINITY
    return Math.max(this.#wetAtMs, this.#drySinceMs + this.#pacedMs)
  }

  #endDrought(): void {
    this.#drySinceMs = -1
    this.#wetAtMs = -1
  }

  #review(nowMs: number): void {
    const error = this.arrivals.headAt(nowMs) - this.#head
    const paced = 1 / this.#pacedMs
    const rate = paced + (error * rateGain) / 1_000
    this.#rate = Math.min(Math.max(rate, paced * rateShareMin), paced * rateShareMax)
    this.#reviewAtMs = nowMs + (reviewMs * 100) / this.#speedPercent
  }

  #beginCatchUp(nowMs: number): void {
    this.#isCatchingUp = true
    this.#caughtFromTick = this.#simulatedTick
    this.#caughtFromMs = nowMs
    this.#progress = 0
  }
}

/** Faster than that, no machine plays: it catches up. */
export const speedPercentMax = 1_000
