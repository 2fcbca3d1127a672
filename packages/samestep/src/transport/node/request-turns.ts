/**
 * The order in which requests are read and answered. Requests wait here, and are taken for two
 * milliseconds at a time; between two such turns the event loop looks at its timers and at all other
 * sockets. So ticks are late by one turn at most, however many requests there are.
 *
 *     socket ─► head is whole ─► waits its turn ─► parser ─► answer
 *                                     ▲
 *                 timers, packets ────┘ go before the next turn
 */
import { requestTurnMs } from './websocket-limits.ts'

/** What a queue of turns is made with; only tests need other clocks. */
export interface RequestTurnsOptions {
  nowMs?(): number
  /** Calls back once, after timers and sockets were looked at. */
  schedule?(callback: () => void): void
}

/** The queue of requests that wait to be read. */
export class RequestTurns {
  readonly #nowMs: () => number
  readonly #schedule: (callback: () => void) => void
  #waiting: (() => void)[] = []
  /** The first one that has not had its turn. */
  #next = 0
  #isScheduled = false

  constructor({ nowMs, schedule }: RequestTurnsOptions = {}) {
    this.#nowMs = nowMs ?? (() => performance.now())
    this.#schedule = schedule ?? ((callback) => void setImmediate(callback))
  }

  /** Calls back once, behind all who wait already. The callback must not throw. */
  wait(turn: () => void): void {
    this.#waiting.push(turn)
    this.#scheduleNext()
  }

  #scheduleNext(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(() => this.#run())
  }

  #run(): void {
    this.#isScheduled = false
    const untilMs = this.#nowMs() + requestTurnMs
    // Whoever asks again during this turn waits for the next one.
    const end = this.#waiting.length
    do this.#waiting[this.#next++]!()
    while (this.#next < end && this.#nowMs() < untilMs)
    if (this.#next === this.#waiting.length) {
      this.#waiting = []
      this.#next = 0
      return
    }
    if (this.#next >= compactAt) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    this.#scheduleNext()
  }
}

/** Finished turns that are kept in front of the queue before it is copied. */
const compactAt = 1_024
