import { unreachable } from '../../base/assert.ts'
import { UsageError } from '../../base/errors.ts'
import { speedPercentMax } from '../../wire/limits.ts'
import { ArrivalTrack } from './arrival-track.ts'
import { fpsMin, LoadMeter } from './load-meter.ts'
import { reviewMs, TickHead } from './tick-head.ts'

/**
 * Decides when sealed ticks run, and what is drawn between them. A *head* moves over the ticks like the
 * head of a tape player. Tick n runs when the head reaches n; while the head moves on to n + 1, the
 * picture moves from tick n − 1 to tick n. The head only moves forward and never jumps while it plays,
 * so neither does the picture.
 *
 *     arrivals   1    2    3       4 5    6              7 8 9
 *     head       1────2────3────4────5────6────7   . . . 7────8────9
 *     alpha      0…1  0…1  0…1  0…1  0…1  0…1  1 (dry: stalled)
 *
 * The arrivals determine where the head should be ({@link ArrivalTrack}). It gets there by moving a
 * little faster or slower, corrected every 500 ms (SMO-01). If the next tick is missing, the head stops
 * for at least a whole interval: one visible pause instead of many small ones (SMO-03). A backlog that
 * is too long to play is caught up with in a state of its own (SMO-11).
 */

/** The state of the pacing, to be shown to the player. */
export type PacerState =
  /** Ticks run when they are due. */
  | { readonly name: 'active' }
  /** The next tick was missing when it was due, at `sinceMs`. */
  | { readonly name: 'stalled'; readonly sinceMs: number }
  /** Far behind: ticks run as fast as possible. */
  | {
      readonly name: 'catching-up'
      /** The share of the ticks that have run since catching up began: 0 to 1, never decreasing. */
      readonly progress: number
      /** Ticks that were received and have not run yet. */
      readonly ticksLeft: number
      /** The time left; `Infinity` if this machine does not gain on the match. */
      readonly leftMs: number
    }
  /** The game is hidden: ticks run when they arrive. */
  | { readonly name: 'hidden' }
  /** Ticks take longer than the requested speed allows: this machine falls behind. */
  | { readonly name: 'slow'; readonly loadPercent: number }

/** The position of the head at one time, in ticks, and how fast it moves from there. */
export interface Motion {
  readonly head: number
  readonly atMs: number
  readonly ticksPerMs: number
}

/** The simulation's share of the thread while catching up (SMO-05, B-31). */
const simShare = 0.8

/**
 * The most ticks to run in one frame: those of one second, so that a machine that draws five frames per
 * second still gains on the match.
 */
export function ticksPerFrameFor(ticksPerSecond: number): number {
  return Math.max(Math.ceil(ticksPerSecond), 30)
}

/** Catching up ends when no more than this is due: a little more than a frame at 20 per second. */
const caughtUpMs = 60

/** Frames per second while catching up: enough for a progress bar, few enough to cost little. */
const catchUpFps = 20

/**
 * The most that may be due and still be played, only faster: a third of a second, as after a short
 * outage of a radio link. Playing more than that faster would look broken.
 */
const dueMsMax = 334

/** Above the first load at the requested speed, this machine is slow; below the second, no longer. */
const slowPercent = 100
const recoveredPercent = 90

/** Decides how many ticks to run now, and where between two of them the picture is. */
export class TickPacer {
  /** Tracks when ticks arrive. */
  readonly arrivals: ArrivalTrack
  /** Measures what ticks and frames cost. */
  readonly load: LoadMeter
  /** Until when the ticks of the last {@link plan} may run; then the next frame is due (SMO-04). */
  deadlineMs = 0
  /**
   * The speed that the players asked for. A machine that cannot keep up with it is slow, even while the
   * match runs slower for its sake.
   */
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

  /** The progress of catching up, 0 to 1; 1 if there is nothing to catch up with. */
  get progress(): number {
    const { state } = this.#head
    return state.name === 'catching-up' ? state.progress : 1
  }

  /** Ticks that were received and have not run yet. */
  get ticksLeft(): number {
    return Math.max(this.#readyTick - this.#simulatedTick, 0)
  }

  /** The time that catching up still takes; `Infinity` if this machine does not gain on the match. */
  get leftMs(): number {
    const { state } = this.#head
    if (state.name !== 'catching-up') return 0
    const ranTicks = this.#simulatedTick - state.fromTick
    const tookMs = this.#plannedMs - state.fromMs
    const guess = simShare / Math.max(this.load.typicalTickMs, 0.01)
    const gained = (tookMs >= reviewMs ? ranTicks / tookMs : guess) - 1 / this.intervalMs
    return gained <= 0 ? Number.POSITIVE_INFINITY : this.ticksLeft / gained
  }

  /** Ticks between the head and the newest received one. */
  get depth(): number {
    const { state, position } = this.#head
    return state.name === 'lifted' ? 0 : Math.max(this.#readyTick - position, 0)
  }

  /** Ticks by which the earliest arrivals are delayed, so that slower ones are there in time. */
  get targetDepth(): number {
    return this.arrivals.delayMs / this.arrivals.intervalMs
  }

  get jitterMs(): number {
    return this.arrivals.jitterMs
  }

  /** The pace relative to the match's: above 1 while a little too far behind. */
  get rate(): number {
    return this.#speedPercent === 0 ? 0 : this.#head.rate * this.intervalMs
  }

  /** How long a tick takes at the speed of the match. */
  get intervalMs(): number {
    return (this.#intervalMs * 100) / Math.max(this.#speedPercent, 1)
  }

  get speedPercent(): number {
    return this.#speedPercent
  }

  /** The match continues at another speed after the last tick that ran; 0 while it stands still. */
  set speedPercent(percent: number) {
    this.setSpeed(percent, this.#simulatedTick)
  }

  /** Like {@link speedPercent}, but from a given tick on, which {@link noteRan} may not know yet. */
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
    this.arrivals.setTickInterval(this.intervalMs, fromTick)
    this.#head.setPace(this.intervalMs)
    if (wasHalted) this.#head.lift()
  }

  /** Called by the driver when the game is hidden, so that no frames are drawn, or shown again. */
  setHidden(isHidden: boolean): void {
    if (isHidden === this.#isHidden) return
    this.#isHidden = isHidden
    // A hidden page is called late and in bursts, so its arrivals say nothing about the network.
    if (!isHidden) this.#head.lift()
  }

  /** All ticks up to this one are ready to run. Call it when they arrive, not when they are used. */
  noteArrival(newestReadyTick: number, nowMs: number): void {
    this.#head.noteArrival(newestReadyTick, nowMs)
    if (!this.#isHidden && this.#speedPercent > 0) this.arrivals.note(newestReadyTick, nowMs)
  }

  /** Returns how many ticks to run now. Only the first may start after {@link deadlineMs}. */
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

  /** Records how many ticks ran, and what they cost. */
  noteRan(count: number, costMs: number): void {
    this.#simulatedTick += count
    this.load.noteTicks(count, costMs)
    this.#head.noteRan(this.#simulatedTick, this.ticksLeft)
  }

  /** Where to draw between the last two ticks: 0 to 1, never decreasing until another tick runs. */
  drawAlpha(nowMs: number): number {
    const ahead = Math.max(nowMs - this.#plannedMs, 0) * this.#shownRate
    const alpha = Math.min(Math.max(this.#head.position + ahead - this.#simulatedTick, 0), 1)
    if (this.#shownTick === this.#simulatedTick && alpha < this.#shownAlpha) return this.#shownAlpha
    this.#shownTick = this.#simulatedTick
    this.#shownAlpha = alpha
    return alpha
  }

  /** How the picture moves until the next plan: the data of {@link drawAlpha}, for another thread. */
  get motion(): Motion {
    return { head: this.#head.position, atMs: this.#plannedMs, ticksPerMs: this.#shownRate }
  }

  /**
   * When {@link plan} next has ticks to run, for drivers that draw nothing; `Infinity` if none are
   * here.
   */
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

  /** Hidden, or at speed 0: ticks run as soon as they arrive. */
  get #isHalted(): boolean {
    return this.#isHidden || this.#speedPercent === 0
  }

  /** The speed of the head as it is drawn, in ticks per ms. */
  get #shownRate(): number {
    return this.#head.isMoving && !this.#isHalted ? this.#head.rate : 0
  }

  /**
   * The time to simulate in one frame: a share relative to drawing, but frames keep coming (SMO-05).
   */
  #budgetMs(): number {
    const balancedMs = (this.load.drawMs * simShare) / (1 - simShare)
    const fluentMs = (1_000 / catchUpFps) * simShare
    return Math.min(Math.max(balancedMs, fluentMs), (1_000 / fpsMin) * simShare)
  }

  #judgeLoad(): void {
    const percent = (this.load.simPercent * this.requestedPercent) / 100
    // The first ticks are always slow: the engine has not optimised the code yet.
    if (percent > slowPercent && this.load.hasSettled) this.#isSlow = true
    if (percent >= recoveredPercent || !this.#isSlow) return
    this.#isSlow = false
    // Progress made while the machine was too slow says nothing about how long the rest takes.
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
      if (due <= 1 || due * this.intervalMs <= caughtUpMs) this.#head.endCatchUp()
      return due
    }
    const wanted = Math.min(this.arrivals.headAt(nowMs), this.#readyTick) - this.#simulatedTick
    if (wanted * this.intervalMs <= dueMsMax || state.name === 'dry') return due
    this.#beginCatchUp(nowMs)
    return Math.floor(wanted)
  }

  #beginCatchUp(nowMs: number): void {
    this.#head.beginCatchUp(nowMs, this.#simulatedTick)
  }
}
