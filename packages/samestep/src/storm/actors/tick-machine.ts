import { MachineClock } from '../../base/machine-clock.ts'
import type { Client } from '../../client/client.ts'

/**
 * The machine that runs a client's ticks. In the simple case all that are here run at once and cost
 * nothing. A paced one runs them when they are due, as somebody does who draws pictures in between, and
 * each costs time: while a machine is too slow, more than there is.
 */
export class TickMachine {
  readonly #client: Client
  readonly #isPaced: boolean
  readonly #onRan: () => void
  readonly #tickMs: number
  readonly #slowTickMs: number
  /** Ticks that a slow machine runs in one go, at the most. */
  readonly #budgetMax: number
  /** Goes as the client's own: whoever plans ticks must have the time by which they came. */
  readonly #clock = new MachineClock()
  /** How many times slower than at its best; 1 while nothing is wrong. */
  #factor = 1
  #budgetAtMs = 0
  #budget = 0
  /** Until when it is busy with what it ran last, in its own time. */
  #busyUntilMs = 0

  /** Ticks that are run at once, and by how much the groups of this machine are shifted. */
  readonly #ticksPerRun: number
  readonly #phase: number

  constructor(
    client: Client,
    isPaced: boolean,
    onRan: () => void,
    groups: { readonly ticksPerRun: number; readonly phase: number } = { ticksPerRun: 1, phase: 0 },
  ) {
    this.#ticksPerRun = groups.ticksPerRun
    this.#phase = groups.phase
    // A fast game has cheap ticks, or no machine would keep up with it.
    const share = Math.min(30 / client.game.tickRate, 1)
    this.#tickMs = tickMs * share
    this.#slowTickMs = slowTickMs * share
    this.#budgetMax = 5 / share
    this.#client = client
    this.#isPaced = isPaced
    this.#onRan = onRan
  }

  /** Makes ticks cost so many times more; 1 for normal. */
  slowDown(factor: number): void {
    this.#factor = factor
  }

  /** To be told with everything that the client is told. */
  noteTime(nowMs: number): void {
    this.#clock.advance(nowMs)
  }

  run(nowMs: number): void {
    if (this.#isPaced) this.#runPaced()
    else this.#runAll(nowMs)
  }

  /** Called when everything else is done. */
  rest(nowMs: number): void {
    if (this.#client.readyTicks === 0) this.#budgetAtMs = nowMs
  }

  /** When it has something to run, by the driver's clock. */
  wakeAtMs(): number {
    const client = this.#client
    if (this.#groupedTicks === 0 || client.status === 'closed') return Number.POSITIVE_INFINITY
    if (!this.#isPaced) return this.#budgetAtMs + 10
    const planned = client.running?.pacer.wakeAtMs() ?? Number.POSITIVE_INFINITY
    const { timeMs } = this.#clock
    // What came while it was busy is in no plan yet: the next picture brings one.
    const plannedMs = planned === Number.POSITIVE_INFINITY ? timeMs + pictureMs : planned
    return this.#clock.driverTime(Math.max(plannedMs, timeMs + 1, this.#busyUntilMs))
  }

  /** Ready ticks that make up whole groups. */
  get #groupedTicks(): number {
    const { readyTicks } = this.#client
    if (this.#isPaced || this.#ticksPerRun === 1 || readyTicks === 0) return readyTicks
    const over = (this.#client.cursors.simulatedTick + readyTicks + this.#phase) % this.#ticksPerRun
    return Math.max(readyTicks - over, 0)
  }

  #runAll(nowMs: number): void {
    const client = this.#client
    const grouped = this.#groupedTicks
    if (grouped === 0) return
    for (
      let left = Math.min(this.#takeBudget(nowMs), grouped);
      left > 0 && client.runTicks(1) === 1;
      left--
    ) {
      this.#onRan()
    }
  }

  #runPaced(): void {
    const client = this.#client
    const pacer = client.running?.pacer
    const { timeMs } = this.#clock
    if (pacer === undefined || timeMs < this.#busyUntilMs) return
    const { simulatedTick } = client.cursors
    const planned = pacer.plan(timeMs, simulatedTick, simulatedTick + client.readyTicks)
    const costMs = this.#factor === 1 ? this.#tickMs : this.#slowTickMs * this.#factor
    let count = 0
    // None after the deadline, save the first.
    while (count < planned && (count === 0 || timeMs + count * costMs < pacer.deadlineMs)) {
      if (client.runTicks(1) === 0) break
      count += 1
      this.#onRan()
    }
    if (count === 0) return
    pacer.noteRan(count, count * costMs)
    this.#busyUntilMs = timeMs + count * costMs
  }

  #takeBudget(nowMs: number): number {
    if (this.#factor === 1) return Number.POSITIVE_INFINITY
    const perSecond = 1_000 / (this.#slowTickMs * this.#factor)
    const elapsed = Math.min(Math.max(nowMs - this.#budgetAtMs, 0), 1_000)
    this.#budget = Math.min(this.#budget + (elapsed * perSecond) / 1_000, this.#budgetMax)
    this.#budgetAtMs = nowMs
    const whole = Math.floor(this.#budget)
    this.#budget -= whole
    return whole
  }
}

/**
 * What a tick of a game of 30 per second costs on a machine that has time to spare, and on one that has
 * none at twice that.
 */
const tickMs = 3
const slowTickMs = 1_000 / 60

/** Between two pictures. */
const pictureMs = 1_000 / 60
