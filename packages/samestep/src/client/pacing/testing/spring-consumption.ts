/**
 * Spring's rate of consuming ticks as the catalogue describes it (SMO-01 to SMO-03), written from that
 * description: what our pacer is measured against.
 */

/** Spring's simulation rate. */
export const springTickRate = 30

/** SMO-01: how often the rate is reviewed. */
export function springReviewMs(speed: number): number {
  return 500 / speed
}

/** SMO-01: the queue as Spring smooths it: a shorter one counts at once, a longer one by a tenth. */
export function springQueue(queue: number, last: number): number {
  return queue < last ? queue : 0.9 * last + 0.1 * queue
}

/** SMO-01: ticks per second for a queue of so many ticks. Two of them are what it aims for. */
export function springRate(queue: number, speed: number): number {
  return springTickRate * speed + queue - 2 * speed
}

/** SMO-02: the older rule. */
export function springLegacyRate(queue: number, speed: number): number {
  return springTickRate * speed + queue / 2 - 1
}

/** Ticks consumed by Spring's rules, a frame at a time. */
export class SpringConsumer {
  /** Thousandths of ticks that may be consumed. */
  #budget = 0
  #queue = 2
  #rate = springTickRate
  #reviewAtMs = 0

  /** How many of the `ready` ticks run in this frame. */
  plan(nowMs: number, elapsedMs: number, ready: number): number {
    if (nowMs >= this.#reviewAtMs) {
      this.#queue = springQueue(ready, this.#queue)
      this.#rate = springRate(this.#queue, 1)
      this.#reviewAtMs = nowMs + springReviewMs(1)
    }
    this.#budget += elapsedMs * this.#rate
    let count = 0
    while (this.#budget > 0 && count < ready) {
      this.#budget -= 1_000
      count += 1
    }
    // SMO-03: nothing left: one whole tick is waited for before anything runs again.
    if (this.#budget > 0) this.#budget = -1_000
    return count
  }
}
