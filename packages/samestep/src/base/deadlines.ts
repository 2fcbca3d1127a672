import { EventHeap } from './heap.ts'

/** Who has to be woken when: items by time, each once. Setting and moving a deadline makes no garbage. */
export class Deadlines<T> {
  readonly #heap = new EventHeap()
  /** The number under which an item is in the heap, and the item of each number. */
  readonly #numbers = new Map<T, number>()
  readonly #items: (T | undefined)[] = []
  readonly #free: number[] = []

  /** Sets, moves or, with `Infinity`, clears an item's deadline. */
  set(item: T, atMs: number): void {
    this.#place(this.#numbers.get(item) ?? this.#add(item), atMs)
  }

  /** As {@link set}, but of nobody who was forgotten, or never here. */
  move(item: T, atMs: number): void {
    const number = this.#numbers.get(item)
    if (number !== undefined) this.#place(number, atMs)
  }

  /** Forgets an item. One that is only without a deadline keeps its place here. */
  delete(item: T): void {
    const number = this.#numbers.get(item)
    if (number === undefined) return
    this.#heap.remove(number)
    this.#numbers.delete(item)
    this.#items[number] = undefined
    this.#free.push(number)
  }

  /** The soonest deadline; `Infinity` when there is none. */
  soonestMs(): number {
    return this.#heap.nextTime
  }

  /** Whose deadline that is. */
  soonest(): T | undefined {
    const number = this.#heap.nextItem
    return number < 0 ? undefined : this.#items[number]
  }

  /** An item whose deadline has come, which is then without one; `undefined` when there is none. */
  due(nowMs: number): T | undefined {
    return this.#heap.nextTime <= nowMs ? this.#items[this.#heap.pop()] : undefined
  }

  #place(number: number, atMs: number): void {
    const heap = this.#heap
    if (atMs === Number.POSITIVE_INFINITY) heap.remove(number)
    else if (!heap.has(number)) heap.push(number, atMs, 0)
    else if (heap.timeOf(number) !== atMs) heap.move(number, atMs, 0)
  }

  #add(item: T): number {
    const number = this.#free.pop() ?? this.#items.length
    this.#numbers.set(item, number)
    this.#items[number] = item
    return number
  }
}
