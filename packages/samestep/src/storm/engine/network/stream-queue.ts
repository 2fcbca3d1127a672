/** Room for a second of a game's traffic; grows by doubling. */
const capacityAtStart = 16

/**
 * What a stream holds, first in first out: a ring in three columns, because a queue that runs empty
 * thousands of times a second must not give its memory back each time.
 */
export class StreamQueue {
  #kinds = new Uint8Array(0)
  #arrivalsUs = new Float64Array(0)
  #bytes: (Uint8Array | undefined)[] = []
  #head = 0
  #count = 0
  /** Bytes in the queue. */
  waitingBytes = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** The first of the queue, which must not be empty. */
  get firstKind(): number {
    return this.#kinds[this.#head]!
  }

  get firstBytes(): Uint8Array {
    return this.#bytes[this.#head]!
  }

  get firstArrivalUs(): number {
    return this.#arrivalsUs[this.#head]!
  }

  push(kind: number, bytes: Uint8Array, arrivalUs: number): void {
    if (this.#count === this.#kinds.length) this.#grow()
    const tail = (this.#head + this.#count) & (this.#kinds.length - 1)
    this.#kinds[tail] = kind
    this.#arrivalsUs[tail] = arrivalUs
    this.#bytes[tail] = bytes
    this.#count++
    this.waitingBytes += bytes.length
  }

  dropFirst(): void {
    this.waitingBytes -= this.firstBytes.length
    this.#bytes[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#kinds.length - 1)
    this.#count--
  }

  clear(): void {
    this.#bytes.fill(undefined)
    this.#count = 0
    this.waitingBytes = 0
  }

  /** Twice the room, with the first element at the beginning. */
  #grow(): void {
    const old = this.#kinds.length
    const capacity = Math.max(capacityAtStart, old * 2)
    const kinds = new Uint8Array(capacity)
    const arrivalsUs = new Float64Array(capacity)
    const bytes = new Array<Uint8Array | undefined>(capacity).fill(undefined)
    for (let index = 0; index < this.#count; index++) {
      const from = (this.#head + index) & (old - 1)
      kinds[index] = this.#kinds[from]!
      arrivalsUs[index] = this.#arrivalsUs[from]!
      bytes[index] = this.#bytes[from]
    }
    this.#kinds = kinds
    this.#arrivalsUs = arrivalsUs
    this.#bytes = bytes
    this.#head = 0
  }
}
