/**
 * Numbers the questions of a match to its clients. One that was given up may still be answered: its number
 * must not be that of the next question, whatever that is about.
 */
export class ProbeNumbers {
  #last = 0

  next(): number {
    this.#last = (this.#last + 1) % 65_536
    return this.#last
  }
}
