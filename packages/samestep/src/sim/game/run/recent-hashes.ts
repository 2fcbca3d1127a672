import type { SyncHash } from '../../hash/tree.ts'
import { syncHashFromWords } from '../../hash/tree.ts'
import { recentHashesFor } from '../../limits.ts'

/** The sync hashes of the last ticks. */
export class RecentHashes {
  /** How many are remembered. */
  readonly #count: number
  /** Two words per hash, indexed by tick modulo their number. */
  readonly #words: Uint32Array
  readonly #scratch = new Uint32Array(2)
  #firstTick = 0
  #lastTick = -1

  constructor(tickRate: number) {
    this.#count = recentHashesFor(tickRate)
    this.#words = new Uint32Array(2 * this.#count)
  }

  /** Forgets everything: the hashes that follow belong to another history. */
  restart(tick: number): void {
    this.#firstTick = tick
    this.#lastTick = tick - 1
  }

  remember(tick: number, lo: number, hi: number): void {
    const index = (tick % this.#count) * 2
    this.#words[index] = lo
    this.#words[index + 1] = hi
    this.#lastTick = tick
  }

  at(tick: number): SyncHash | undefined {
    if (!this.wordsAt(tick, this.#scratch)) return undefined
    return syncHashFromWords(this.#scratch[0] as number, this.#scratch[1] as number)
  }

  wordsAt(tick: number, out: Uint32Array): boolean {
    const newest = this.#lastTick
    const oldest = Math.max(this.#firstTick, newest - this.#count + 1)
    if (tick > newest || tick < oldest) return false
    const index = (tick % this.#count) * 2
    out[0] = this.#words[index] as number
    out[1] = this.#words[index + 1] as number
    return true
  }
}
