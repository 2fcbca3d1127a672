import { UsageError } from '../../base/errors.ts'
import { binsPerTick, LoopWindows } from './loop-windows.ts'

/**
 * Chooses the one input delay of a match (DLY-01, DLY-02). What each input says is its *loop*: the time
 * from sealing a tick to the arrival of the input that its bundle called for. A delay of d ticks is
 * enough for a seat if nearly all its loops are shorter than d intervals. Loops do not depend on the
 * delay in force, so a change is never answered by its own echo.
 *
 *     sealed R                          sealed R + delay
 *        │── down ──► client ── up ──►│◄── margin ──►│      loop = delay × interval − margin
 *
 * The rules:
 *
 *     need       p95 of a seat's loops of 4 s, plus 2 ms, in whole ticks
 *     match      the largest need of the seats that count, within the game's range
 *     raise      at once and all the way when the median of half a second does not fit: one visible
 *                change instead of many; by 1 tick for each 0.5 s that only the jitter does not fit
 *     lower      all the way when the need was below for 4 s; a quarter of a tick is kept free, and a
 *                lowering that had to be taken back within a minute doubles the 4 s, up to 60 s:
 *                players bear a constant delay better than a changing one (DLY-10)
 *     count      seats that are active and were heard of in the last 4 s. A seat whose median loop does
 *                not fit the largest delay of the range is *hopeless*: most of its inputs would be late
 *                all the same, so it does not count and costs the others nothing, until its median has
 *                fitted for 4 s. One whose jitter alone does not fit gets the largest delay.
 */

/** What a game allows, and where it starts. */
export interface DelayOptions {
  readonly seats: number
  readonly tickRate: number
  /** In ticks. Equal limits turn the controller off; order-driven games have 0 to 0. */
  readonly range: { readonly min: number; readonly max: number }
  /** In ticks, within the range. */
  readonly initial?: number
  /** Whether a seat that no delay of the range helps is ignored, or holds the match at the largest. */
  readonly hopeless?: 'ignore' | 'clamp'
}

/** Loops that are kept per seat, and those that tell a step from a burst: in seconds of normal speed. */
const windowS = 4
const levelS = 0.5
/** For slow games: fewer make no median. */
const levelSamplesMin = 5

/** A seat that was not heard of for that long does not count. */
const silenceMsMax = 4_000

/** On top of the p95: for the relay's own lateness and rounding on the way. */
const spareMs = 2

/** Quarters of a tick that a lower delay leaves free, so that a loop on the edge does not flap. */
const lowerSpareBins = 1

/** Between two looks: a step is seen within that. */
const lookMs = 100
/** How long a need that is no step must last for a raise by one. A step shows itself before that. */
const raiseEveryMs = 500

const lowerAfterMsMin = 4_000
const lowerAfterMsMax = 60_000
/** A raise within that after a lowering shows that it was wrong; surviving it, that it was right. */
const regretMs = 60_000

/** The input delay of one match. */
export class DelayController {
  readonly #min: number
  readonly #max: number
  readonly #hopelessPolicy: 'ignore' | 'clamp'
  readonly #normalIntervalMs: number
  #intervalMs: number
  #delayTicks: number
  readonly #windows: LoopWindows
  readonly #heardMs: Float64Array
  readonly #isActive: Uint8Array
  readonly #isHopeless: Uint8Array
  readonly #hopefulSinceMs: Float64Array
  #lookAtMs = Number.NEGATIVE_INFINITY
  #nowMs = 0
  /** Since when the delay is too small without being raised; −1 while it is large enough. */
  #aboveSinceMs = -1
  /** When the delay was lowered, while that may still prove wrong, −1 otherwise; and from what. */
  #loweredAtMs = -1
  #loweredFrom = 0
  #lowerAfterMs = lowerAfterMsMin
  #belowSinceMs = -1
  #largestBelow = 0

  constructor(options: DelayOptions) {
    const { seats, tickRate, range, hopeless = 'ignore' } = options
    const initial = options.initial ?? range.min
    const isRange = Number.isInteger(range.min) && Number.isInteger(range.max) && range.min >= 0
    if (!isRange || range.max < range.min || initial < range.min || initial > range.max) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot choose an input delay from ${range.min} to ${range.max} ticks starting with ${initial}: the limits must be integers in rising order, and the start within them`,
      )
    }
    this.#min = range.min
    this.#max = range.max
    this.#hopelessPolicy = hopeless
    this.#normalIntervalMs = 1_000 / tickRate
    this.#intervalMs = this.#normalIntervalMs
    this.#delayTicks = initial
    this.#windows = new LoopWindows({
      seats: this.isOff ? 0 : seats,
      samples: Math.max(Math.round(windowS * tickRate), 2 * levelSamplesMin),
      levelSamples: Math.max(Math.round(levelS * tickRate), levelSamplesMin),
      ticksMax: range.max,
      intervalMs: this.#intervalMs,
    })
    this.#heardMs = new Float64Array(seats).fill(Number.NEGATIVE_INFINITY)
    this.#isActive = new Uint8Array(seats)
    this.#isHopeless = new Uint8Array(seats)
    this.#hopefulSinceMs = new Float64Array(seats).fill(-1)
  }

  /** Whether the range leaves nothing to choose. */
  get isOff(): boolean {
    return this.#min === this.#max
  }

  /** Goes on with what another relay chose. */
  restore(ticks: number): void {
    this.#delayTicks = Math.min(Math.max(ticks, this.#min), this.#max)
  }

  /** The delay in force. */
  get delayTicks(): number {
    return this.#delayTicks
  }

  /** Whether no delay of the range helps a seat: for its player to be told. */
  isHopeless(seat: number): boolean {
    return this.#isHopeless[seat] === 1
  }

  /** Seats that lag, hide, catch up or have no player do not count, and start anew when they do. */
  setActive(seat: number, isActive: boolean): void {
    const flag = isActive ? 1 : 0
    if (this.#isActive[seat] === flag) return
    this.#isActive[seat] = flag
    if (!this.isOff) this.#windows.clear(seat)
    this.#isHopeless[seat] = 0
    this.#hopefulSinceMs[seat] = -1
  }

  /** The match goes on at another speed: the same loops are fewer or more ticks. */
  setSpeed(percent: number): void {
    if (percent <= 0) return
    this.#intervalMs = (this.#normalIntervalMs * 100) / percent
    this.#windows.setTickInterval(this.#intervalMs)
  }

  /**
   * Notes by how much an input came before its seal, negative when after it. Once per input, when it
   * comes first, late ones too. `delayTicks` is the number of ticks from the newest bundle that the
   * client had when it made the input to the input's tick; `heldMs` how long the client held it back.
   */
  noteMargin(seat: number, marginMs: number, delayTicks: number, nowMs: number, heldMs = 0): void {
    if (this.isOff || this.#isActive[seat] === 0) return
    // Nobody holds for more than an interval; who says so would only make himself late.
    const held = Math.min(Math.max(heldMs, 0), this.#intervalMs)
    this.#windows.add(seat, delayTicks * this.#intervalMs - marginMs - held + spareMs)
    this.#heardMs[seat] = nowMs
  }

  /** The new delay for an ordered event, or `undefined` while it stays. */
  update(nowMs: number): number | undefined {
    if (this.isOff || nowMs < this.#lookAtMs) return undefined
    this.#lookAtMs = nowMs + lookMs
    this.#nowMs = nowMs
    let level = 0
    let need = 0
    let lowerNeed = 0
    for (let seat = 0; seat < this.#isActive.length; seat++) {
      if (!this.#isHeard(seat, nowMs)) continue
      const levelBin = this.#levelBin(seat)
      this.#judge(seat, levelBin)
      if (this.#isHopeless[seat] === 1 && this.#hopelessPolicy === 'ignore') continue
      const p95Bin = this.#windows.p95Bin(seat)
      level = Math.max(level, this.#ticksFor(levelBin))
      need = Math.max(need, this.#ticksFor(p95Bin))
      lowerNeed = Math.max(lowerNeed, this.#ticksFor(p95Bin + lowerSpareBins))
    }
    // Nobody counts: nothing is known that would speak for a change.
    if (need === 0) return undefined
    return this.#raise(level, need) ?? this.#lower(lowerNeed)
  }

  /**
   * What a share of a seat's loops of the last 4 s does not exceed, without what it held back; −1 when
   * it was not heard of. 1 gives the longest, 0.5 the median: what a client's send shift is told.
   */
  loopMs(seat: number, share: number, nowMs: number): number {
    if (this.isOff || !this.#isHeard(seat, nowMs)) return -1
    return Math.max(this.#windows.loopMs(seat, share) - spareMs, 0)
  }

  #isHeard(seat: number, nowMs: number): boolean {
    if (this.#isActive[seat] === 0 || this.#windows.countOf(seat) === 0) return false
    return nowMs - (this.#heardMs[seat] as number) <= silenceMsMax
  }

  /** 0 while there is too little to tell a level from a burst: a step shows itself soon enough. */
  #levelBin(seat: number): number {
    return this.#windows.countOf(seat) < levelSamplesMin ? 0 : this.#windows.levelBin(seat)
  }

  #judge(seat: number, levelBin: number): void {
    if (levelBin > this.#max * binsPerTick) {
      this.#isHopeless[seat] = 1
      this.#hopefulSinceMs[seat] = -1
    } else if (this.#isHopeless[seat] === 1) {
      const since = this.#hopefulSinceMs[seat] as number
      if (since < 0) this.#hopefulSinceMs[seat] = this.#nowMs
      else if (this.#nowMs - since >= lowerAfterMsMin) this.#isHopeless[seat] = 0
    }
  }

  #ticksFor(bin: number): number {
    return Math.min(Math.max(Math.ceil(bin / binsPerTick), this.#min, 1), this.#max)
  }

  #raise(level: number, need: number): number | undefined {
    if (need <= this.#delayTicks) {
      this.#aboveSinceMs = -1
      return undefined
    }
    this.#belowSinceMs = -1
    const nowMs = this.#nowMs
    const isStep = level > this.#delayTicks
    if (this.#aboveSinceMs < 0) this.#aboveSinceMs = nowMs
    if (!isStep && nowMs - this.#aboveSinceMs < raiseEveryMs) return undefined
    const raised = isStep ? Math.max(level, need) : this.#delayTicks + 1
    // What the delay of before would not have been enough for either is no fault of the lowering.
    if (this.#loweredAtMs >= 0 && raised <= this.#loweredFrom)
      this.#lowerAfterMs = Math.min(2 * this.#lowerAfterMs, lowerAfterMsMax)
    // One mistake is regretted once.
    this.#loweredAtMs = -1
    this.#aboveSinceMs = nowMs
    this.#delayTicks = raised
    return raised
  }

  #lower(need: number): number | undefined {
    const nowMs = this.#nowMs
    if (this.#loweredAtMs >= 0 && nowMs - this.#loweredAtMs >= regretMs) {
      this.#lowerAfterMs = Math.max(this.#lowerAfterMs / 2, lowerAfterMsMin)
      this.#loweredAtMs = -1
    }
    if (need >= this.#delayTicks) {
      this.#belowSinceMs = -1
      return undefined
    }
    if (this.#belowSinceMs < 0) this.#belowSinceMs = nowMs
    const belowMs = nowMs - this.#belowSinceMs
    // Until then, loops from before the improvement are still in the window.
    this.#largestBelow = belowMs < windowS * 1_000 ? 0 : Math.max(this.#largestBelow, need)
    if (belowMs < this.#lowerAfterMs) return undefined
    this.#belowSinceMs = -1
    this.#loweredAtMs = nowMs
    this.#loweredFrom = this.#delayTicks
    this.#delayTicks = this.#largestBelow
    return this.#delayTicks
  }
}
