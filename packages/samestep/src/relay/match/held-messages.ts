/** A message, and when it may be sent. */
interface Held {
  readonly bytes: Uint8Array
  readonly dueAtMs: number
}

/**
 * Messages to somebody who sees the match later than it happens: what is said about it must not arrive
 * before it. They go out in the sequence in which they came.
 */
export class HeldMessages {
  readonly #queue: Held[] = []

  get count(): number {
    return this.#queue.length
  }

  /** When there are too many the oldest is lost, and never sent early. */
  add(bytes: Uint8Array, dueAtMs: number): void {
    if (this.#queue.length === heldMax) this.#queue.shift()
    this.#queue.push({ bytes, dueAtMs })
  }

  /** The next message that is due. */
  take(nowMs: number): Uint8Array | undefined {
    const next = this.#queue[0]
    if (next === undefined || next.dueAtMs > nowMs) return undefined
    this.#queue.shift()
    return next.bytes
  }
}

/** Messages that are held for one spectator: two per second, over the longest delay. */
export const heldMax = 600
