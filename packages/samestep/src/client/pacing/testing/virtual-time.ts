import { EventHeap } from '../../../base/heap.ts'
import type { Prng } from '../../../base/prng.ts'

/** A clock that jumps to whatever happens next. Equal times happen in the sequence of being asked for. */
export class VirtualTime {
  nowMs = 0
  readonly #heap = new EventHeap()
  readonly #actions: ((() => void) | undefined)[] = []
  readonly #free: number[] = []

  at(atMs: number, action: () => void): void {
    if (atMs === Number.POSITIVE_INFINITY) return
    const item = this.#free.pop() ?? this.#actions.length
    this.#actions[item] = action
    this.#heap.push(item, Math.max(atMs, this.nowMs), 0)
  }

  run(untilMs: number): void {
    while (this.#heap.nextTime <= untilMs) {
      this.nowMs = this.#heap.nextTime
      const item = this.#heap.pop()
      const action = this.#actions[item]
      this.#actions[item] = undefined
      this.#free.push(item)
      action?.()
    }
    this.nowMs = untilMs
  }
}

/** One direction of a link whose packets keep their order. */
export class VirtualLink {
  readonly #time: VirtualTime
  readonly #prng: Prng
  readonly #latencyMs: (atMs: number) => number
  readonly #jitterMs: (atMs: number) => number
  #lastMs = 0

  constructor(
    time: VirtualTime,
    prng: Prng,
    latencyMs: (atMs: number) => number,
    jitterMs: (atMs: number) => number,
  ) {
    this.#time = time
    this.#prng = prng
    this.#latencyMs = latencyMs
    this.#jitterMs = jitterMs
  }

  /** `jitterMs` is the mean of a delay without memory. */
  send(deliver: () => void): void {
    const { nowMs } = this.#time
    const delayMs = this.#latencyMs(nowMs) + this.#jitterMs(nowMs) * this.#prng.exponential()
    this.#lastMs = Math.max(this.#lastMs, nowMs + delayMs)
    this.#time.at(this.#lastMs, deliver)
  }
}
