/** Packets and notices of a machine, first in, first out, in arrays that are reused. */
export class OutputQueue<T> {
  #items: (T | undefined)[] = []
  /** Where the oldest item is, and where the next one goes. */
  #head = 0
  #end = 0

  get isEmpty(): boolean {
    return this.#head === this.#end
  }

  get length(): number {
    return this.#end - this.#head
  }

  push(item: T): void {
    this.#items[this.#end] = item
    this.#end += 1
  }

  /** The oldest item, or `undefined`. */
  shift(): T | undefined {
    if (this.#head === this.#end) return undefined
    const item = this.#items[this.#head] as T
    // The array keeps its length, which is dear to set, but nothing that was taken.
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head === this.#end) {
      if (this.#end > keptMax) this.#items = []
      this.#head = 0
      this.#end = 0
    } else if (this.#head >= compactAt) {
      this.#items = this.#items.slice(this.#head, this.#end)
      this.#end -= this.#head
      this.#head = 0
    }
    return item
  }
}

/** Taken items are let go at the latest when there are so many. */
const compactAt = 1_024

/** Places that an empty queue keeps; after a flood it starts over. */
const keptMax = 16_384
