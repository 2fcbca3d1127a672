/** Timers that a tick starts, all of them due at once: nobody waits ten seconds for a check. */

type Timers = {
  setTimeout(work: () => void, ms?: number): unknown
  setInterval?(work: () => void, ms?: number): unknown
  clearInterval?(timer: unknown): void
  setImmediate?(work: () => void): unknown
}

const host = globalThis as unknown as Timers

/** An interval that a tick started comes this often. */
const intervalTimes = 3

/** Runs ticks, and what they left to be done later. */
export class HastyTimers {
  readonly #setTimeout = host.setTimeout
  readonly #setInterval = host.setInterval
  readonly #clearInterval = host.clearInterval
  readonly #setImmediate = host.setImmediate
  #started = 0

  /** Runs something whose timers are due at once. */
  run<T>(work: () => T): T {
    host.setTimeout = (callback) => this.#start(callback)
    if (this.#setInterval !== undefined) {
      host.setInterval = (callback) => this.#repeat(callback)
    }
    try {
      return work()
    } finally {
      host.setTimeout = this.#setTimeout
      if (this.#setInterval !== undefined) host.setInterval = this.#setInterval
    }
  }

  #start(callback: () => void): unknown {
    this.#started += 1
    return this.#setTimeout.call(globalThis, callback, 0)
  }

  #repeat(callback: () => void): unknown {
    this.#started += 1
    let times = 0
    const timer = this.#setInterval?.call(
      globalThis,
      () => {
        times += 1
        if (times >= intervalTimes) this.#clearInterval?.call(globalThis, timer)
        callback()
      },
      1,
    )
    return timer
  }

  /** Lets whatever is due come. */
  async pass(): Promise<void> {
    const waits = this.#started > 0 ? intervalTimes + 1 : 1
    this.#started = 0
    for (let wait = 0; wait < waits; wait++) {
      await new Promise<void>((resolve) => {
        if (waits === 1 && this.#setImmediate !== undefined) {
          this.#setImmediate.call(globalThis, () => resolve())
        } else this.#setTimeout.call(globalThis, () => resolve(), 2)
      })
    }
  }
}
