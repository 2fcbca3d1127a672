import type { Logger } from 'pino'

/** Errors of the relay itself: told, counted, survived. */
export class FaultLog {
  readonly #log: Logger
  #count = 0
  #lines = 0
  #second = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /** How many there were. */
  get count(): number {
    return this.#count
  }

  /** One happened; `about` says where. */
  note(error: unknown, about: object = {}): void {
    this.#count += 1
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#second) this.#lines = 0
    this.#second = second
    this.#lines += 1
    if (this.#lines > linesMax) return
    this.#log.error({ err: error, ...about, faults: this.#count }, 'an error of the relay itself')
  }
}

/** Faults in one second that are written out in full; of more, only their number. */
const linesMax = 5
