import type { MatchConfig } from '../../wire/match-config.ts'

/**
 * Orders of one issuer are sealed in the sequence of their issue (I-05), with one exception: in a pause
 * those that may run in one go past those that wait for its end (ORD-10). One that was passed over
 * otherwise was refused, and is never sealed.
 */
export class OrderSequence {
  #next = 0
  #nextInPause = 0

  /** The first order that may be sealed now, of those that are not sealed. */
  first(isPaused: boolean): number {
    return isPaused ? this.#nextInPause : this.#next
  }

  noteSealed(index: number, isPaused: boolean): void {
    this.#nextInPause = Math.max(this.#nextInPause, index + 1)
    if (!isPaused) this.#next = index + 1
  }
}

/** Whether an order may run in a pause, by the rules of its game. The first bits say its kind. */
export function runsInPause({ orderKinds }: MatchConfig, bytes: Uint8Array): boolean {
  const kindBits = 32 - Math.clz32(Math.max(orderKinds.length - 1, 0))
  const kind = bytes.length === 0 ? 0 : (bytes[0] as number) % 2 ** kindBits
  return orderKinds[kind]?.whenPaused === true
}
