import type { Timing } from './timing.ts'

/** Time that passes only when a test says so, and as badly as it says. */
export class VirtualTiming implements Timing {
  #nowMs: number
  #serial = 0
  readonly #timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>()

  constructor(startMs = 1_000) {
    this.#nowMs = startMs
  }

  /** Timers that wait: what was closed leaves none behind. */
  get timerCount(): number {
    return this.#timers.size
  }

  readonly nowMs = (): number => this.#nowMs

  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    const id = this.#serial++
    this.#timers.set(id, { atMs: this.#nowMs + Math.max(delayMs, 0), callback })
    return () => this.#timers.delete(id)
  }

  /** Lets time pass, timer by timer. Everything else has its turn between any two. */
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

  /** Nothing has its turn for so long, as in a process that was stopped; then all that is overdue. */
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
