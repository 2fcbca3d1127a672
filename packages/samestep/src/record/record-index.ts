import { indexEveryTicks } from './limits.ts'
import type { RecordItem, RecordPlace } from './reader.ts'

/**
 * Finds ticks in a record that was read once: it remembers one place in every `indexEveryTicks` of a
 * match, from which a `RecordReader` reads on. So it stays small beside the file, and is made anew rather
 * than stored, where it could be wrong.
 */
export class RecordIndex {
  readonly #places: RecordPlace[] = []

  /** Notes what was read, and the place behind it. Only one match: replays have no other. */
  add({ entry, tick, isLast }: RecordItem, behind: RecordPlace): void {
    if (entry.name !== 'bundle' || !isLast) return
    const last = this.#places.at(-1)
    if (last === undefined || tick >= last.tick + indexEveryTicks) this.#places.push(behind)
  }

  /** The newest place behind which a tick lies; `undefined` when it is to be read from the beginning. */
  find(tick: number): RecordPlace | undefined {
    let [low, high] = [0, this.#places.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#places[middle] as RecordPlace).tick < tick) low = middle + 1
      else high = middle
    }
    return this.#places[low - 1]
  }
}
