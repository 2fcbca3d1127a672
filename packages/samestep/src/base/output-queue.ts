/** Packets and notices of a machine, first in, first out, in arrays that are reused. */
export class OutputQueue<T> {
  #items: T[] = []
  #head = 0

  get isEmpty(): boolean {
    return this.#head === this.#items.length
  }

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The oldest item, or `undefined`. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head] as T
    this.#head += 1
    if (this.#head === this.#items.length) {
      this.#items.length = 0
      this.#head = 0
    } else if (this.#head >= compactAt) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}

/** Taken items are let go at the latest when there are so many. */
const compactAt = 1_024
