import type { Timing } from './timing.ts'

/** Virtual time that passes only when a test says so, and as unevenly as it says. */
export class VirtualTiming implements Timing {
  #nowMs: number
  #serial = 0
  readonly #timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>()

  constructor(startMs = 1_000) {
    this.#nowMs = startMs
  }

  /** The number of pending timers: what was closed leaves none behind. */
  get timerCount(): number {
    return this.#timers.size
  }

  readonly nowMs = (): number => this.#nowMs

  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    const id = this.#serial++
    this.#timers.set(id, { atMs: this.#nowMs + Math.max(delayMs, 0), callback })
    return () => this.#timers.delete(id)
  }

  /** Lets time pass, timer by timer. Other pending work runs between any two of them. */
  async pass(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs
    await settle()
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = Math.max(next.atMs, this.#nowMs)
      next.callback()
      await settle()
    }
    this.#nowMs = Math.max(untilMs, this.#nowMs)
  }

  /**
   * Lets time pass without running anything, as in a stopped process; then runs everything that is overdue.
   */
  async stall(durationMs: number): Promise<void> {
    this.#nowMs += durationMs
    await this.pass(0)
  }

  #next(untilMs: number): { readonly atMs: number; readonly callback: () => void } | undefined {
    let found: [number, { readonly atMs: number; readonly callback: () => void }] | undefined
    for (const entry of this.#timers) {
      if (entry[1].atMs <= untilMs && (found === undefined || entry[1].atMs < found[1].atMs)) {
        found = entry
      }
    }
    if (found !== undefined) this.#timers.delete(found[0])
    return found?.[1]
  }
}

/** Enough turns for a dial, a greeting and a seat, which are some packets both ways. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 24; turn++) await Promise.resolve()
}
