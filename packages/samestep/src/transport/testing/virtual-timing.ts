import { EventHeap } from '../../base/heap.ts'
import type { Timing } from '../conditioner/conditioned-path.ts'

/** Time that passes only when a test says so. Microtasks run between any two timers. */
export class VirtualTiming implements Timing {
  #nowMs = 0
  readonly #heap = new EventHeap()
  readonly #actions: (() => void)[] = []

  readonly nowMs = (): number => this.#nowMs

  readonly schedule = (action: () => void, delayMs: number): (() => void) => {
    const item = this.#actions.push(action) - 1
    this.#heap.push(item, this.#nowMs + delayMs, 0)
    return () => {
      this.#actions[item] = () => {}
    }
  }

  /** Lets time pass, timer by timer. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs
    await settle()
    while (this.#heap.nextTime <= untilMs) {
      this.#nowMs = this.#heap.nextTime
      this.#actions[this.#heap.pop()]!()
      await settle()
    }
    this.#nowMs = untilMs
  }
}

/** Enough turns for a packet to cross memory, be answered, and the answer to come back. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve()
}
