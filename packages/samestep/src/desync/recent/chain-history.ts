/**
 * The chain over the sync hashes of all ticks, as it was after each of the last ticks. Two clients agree
 * up to the first tick that they ran differently and never again, so a search over these finds it.
 */
export class ChainHistory {
  /** Three words per tick: the tick plus one, 0 for none, and the chain. */
  #rows: Uint32Array
  #ticks: number

  constructor(ticks: number) {
    this.#ticks = ticks
    this.#rows = new Uint32Array(3 * ticks)
  }

  /** From now on so many ticks are remembered, which are more than before. */
  makeRoom(ticks: number): void {
    const before = this.#rows
    this.#ticks = ticks
    this.#rows = new Uint32Array(3 * ticks)
    for (let from = 0; from < before.length; from += 3) {
      const next = before[from] as number
      if (next > 0) this.note(next - 1, before.subarray(from + 1, from + 3))
    }
  }

  note(tick: number, chain: Uint32Array): void {
    const at = 3 * (tick % this.#ticks)
    this.#rows[at] = tick + 1
    this.#rows[at + 1] = chain[0] as number
    this.#rows[at + 2] = chain[1] as number
  }

  /** Puts the chain after a tick into `out`. False, and `out` as it was, when it is not remembered. */
  wordsAt(tick: number, out: Uint32Array): boolean {
    const at = 3 * (tick % this.#ticks)
    if (this.#rows[at] !== tick + 1) return false
    out[0] = this.#rows[at + 1] as number
    out[1] = this.#rows[at + 2] as number
    return true
  }

  clear(): void {
    this.#rows.fill(0)
  }
}
