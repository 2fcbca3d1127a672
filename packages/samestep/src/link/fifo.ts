/** Taken places after which the others move to the front, if there are no more of them than taken. */
const takenMin = 64

/** Places that an empty queue keeps: bursts above it give their memory back. */
const keptMax = 1_024

/** Shared by all queues that never held two items at once. Never written to. */
const noItems: undefined[] = []

/**
 * First in, first out, without garbage: an array's own `shift` and `length = 0` give its memory back,
 * so that a queue of one message per tick would allocate anew every tick.
 */
export class Fifo<T extends object | string> {
  // `private` instead of `#` for the reason given in BitWriter.
  /** The oldest item. Mostly it is the only one, and then nothing else is touched. */
  private first: T | undefined
  /** What stands behind it. */
  private items: (T | undefined)[] = noItems
  private head = 0
  private tail = 0

  get length(): number {
    return this.first === undefined ? 0 : 1 + this.tail - this.head
  }

  push(item: T): void {
    if (this.first === undefined) {
      this.first = item
      return
    }
    if (this.items === noItems) this.items = []
    this.items[this.tail++] = item
  }

  /** The oldest item, which stays. */
  peek(): T | undefined {
    return this.first
  }

  /** Takes the oldest item. */
  shift(): T | undefined {
    const item = this.first
    if (item !== undefined) this.first = this.head === this.tail ? undefined : this.takeNext()
    return item
  }

  clear(): void {
    this.first = undefined
    this.items = noItems
    this.head = 0
    this.tail = 0
  }

  private takeNext(): T | undefined {
    const item = this.items[this.head]
    this.items[this.head++] = undefined
    if (this.head === this.tail) this.rewind()
    else if (this.head >= takenMin && this.head * 2 >= this.tail) this.compact()
    return item
  }

  private rewind(): void {
    if (this.tail > keptMax) this.items = noItems
    this.head = 0
    this.tail = 0
  }

  private compact(): void {
    this.items = this.items.slice(this.head, this.tail)
    this.tail -= this.head
    this.head = 0
  }
}
