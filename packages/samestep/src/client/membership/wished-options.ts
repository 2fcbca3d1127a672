/**
 * The options that this client asked the match to have, until it hears what became of them. What it asks
 * for next is a change to these: the room that it sees is from before.
 *
 *     set size: 9 ──►  set map: 'b' ──►  (size 9, map b)      ◄── room: size 9      ◄── room: size 9, map b
 */
export class WishedOptions {
  #options: object | undefined
  #unanswered = 0

  /** The newest; `undefined` when everything was answered. */
  get options(): object | undefined {
    return this.#options
  }

  note(options: object): void {
    this.#options = options
    this.#unanswered += 1
  }

  /** So many were granted or denied, by whomever they were asked for. */
  answer(count: number): void {
    this.#unanswered -= count
    if (this.#unanswered <= 0) this.forget()
  }

  /** A lost link may have lost them: what the room shows next is what counts. */
  forget(): void {
    this.#options = undefined
    this.#unanswered = 0
  }
}
