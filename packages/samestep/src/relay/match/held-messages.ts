/** A message, and when it may be sent. */
interface Held {
  readonly bytes: Uint8Array
  readonly dueAtMs: number
}

/**
 * Messages to a member who sees the match with a delay: what they say about it must not arrive before
 * it is seen. They are sent in the sequence in which they were added.
 */
export class HeldMessages {
  readonly #queue: Held[] = []

  get count(): number {
    return this.#queue.length
  }

  /** If there are too many, the oldest is dropped; none is sent early. */
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

/** Messages held for one spectator, at most: two per second, over the longest delay. */
export const heldMax = 600
