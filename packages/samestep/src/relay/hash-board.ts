import { recentHashesMax } from '../sim/limits.ts'

/**
 * The sync hashes that clients report, by tick. The first report of a tick is what later ones are
 * compared with; who of them is right is for others to find out.
 */
export class HashBoard {
  /** By tick modulo the number kept: the tick, and the two words of its first report. */
  readonly #reports = new Uint32Array(3 * recentHashesMax)
  /** The newest tick of which several said the same. */
  comparedTick = 0
  /** Reports that contradicted the first of their tick. */
  mismatches = 0

  /** Notes a report. False when it contradicts the first report for the same tick. */
  report(tick: number, lo: number, hi: number): boolean {
    const place = 3 * (tick % recentHashesMax)
    if (this.#reports[place] !== tick) {
      // An old report that finds its place taken by a newer tick has nothing to be compared with.
      if (tick < (this.#reports[place] as number)) return true
      this.#reports[place] = tick
      this.#reports[place + 1] = lo
      this.#reports[place + 2] = hi
      return true
    }
    return this.#compare(tick, lo, hi)
  }

  /** As {@link report}, for somebody whose word others are not compared with. */
  matches(tick: number, lo: number, hi: number): boolean {
    const place = 3 * (tick % recentHashesMax)
    return this.#reports[place] !== tick || this.#compare(tick, lo, hi)
  }

  #compare(tick: number, lo: number, hi: number): boolean {
    const place = 3 * (tick % recentHashesMax)
    const isSame = this.#reports[place + 1] === lo && this.#reports[place + 2] === hi
    if (!isSame) this.mismatches += 1
    else if (tick > this.comparedTick) this.comparedTick = tick
    return isSame
  }
}
