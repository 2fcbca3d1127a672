/**
 * The newest loops of every seat, counted in bins of a quarter tick: a look at a percentile walks over
 * a few counts instead of sorting, and a new loop changes four of them. With thousands of players that
 * is the difference between nothing and a tenth of a processor.
 *
 *     ring of a seat   … 41 43 40 120 44 42 │ 40 42 41     ms, the oldest is written over
 *     counts                                                of the whole ring, and
 *     level counts                           └─ of these    of the newest half second
 */

/** Bins per tick: needs are whole ticks, and a quarter is the slack that a lower delay must leave. */
export const binsPerTick = 4

/** How many loops are kept, and into how many bins they are counted. */
export interface LoopWindowsOptions {
  readonly seats: number
  /** Loops kept per seat. */
  readonly samples: number
  /** The newest of them, whose median is the level. */
  readonly levelSamples: number
  /** Longer loops than so many ticks are counted as one more. */
  readonly ticksMax: number
  readonly intervalMs: number
}

/** Loops of all seats of a match, side by side. */
export class LoopWindows {
  readonly #samples: number
  readonly #levelSamples: number
  readonly #binCount: number
  readonly #loops: Float32Array
  /** By seat and bin, side by side: of the whole ring, and of its newest. */
  readonly #counts: Uint16Array
  /** Loops noted since the seat started; the ring holds the newest. */
  readonly #noted: Uint32Array
  readonly #sorted: Float32Array
  #binMs: number

  constructor(options: LoopWindowsOptions) {
    const { seats, samples, levelSamples, ticksMax, intervalMs } = options
    this.#samples = samples
    this.#levelSamples = levelSamples
    this.#binCount = (ticksMax + 1) * binsPerTick + 1
    this.#binMs = intervalMs / binsPerTick
    this.#loops = new Float32Array(seats * samples)
    this.#counts = new Uint16Array(2 * seats * this.#binCount)
    this.#noted = new Uint32Array(seats)
    this.#sorted = new Float32Array(samples)
  }

  /** Loops that are kept of a seat. */
  countOf(seat: number): number {
    return Math.min(this.#noted[seat] as number, this.#samples)
  }

  /** With many matches, each far place costs a cache miss: so bins are not kept, but found again. */
  add(seat: number, loopMs: number): void {
    const noted = this.#noted[seat] as number
    const first = seat * this.#samples
    const at = first + (noted % this.#samples)
    const base = 2 * seat * this.#binCount
    const loops = this.#loops
    const counts = this.#counts
    if (noted >= this.#samples) counts[base + 2 * this.#binOf(loops[at] as number)]! -= 1
    if (noted >= this.#levelSamples) {
      const left = first + ((noted - this.#levelSamples) % this.#samples)
      counts[base + 2 * this.#binOf(loops[left] as number) + 1]! -= 1
    }
    // As it will be read: its bin must be the same when it leaves.
    const loop = Math.fround(loopMs)
    loops[at] = loop
    const bin = base + 2 * this.#binOf(loop)
    counts[bin]! += 1
    counts[bin + 1]! += 1
    this.#noted[seat] = noted + 1
  }

  /** The bin that 95 % of a seat's loops do not exceed. */
  p95Bin(seat: number): number {
    const count = this.countOf(seat)
    return this.#binFromTop(seat, 0, count - Math.ceil(count * 0.95 - 1e-9) + 1)
  }

  /** The bin of the median of a seat's newest loops. */
  levelBin(seat: number): number {
    const count = Math.min(this.#noted[seat] as number, this.#levelSamples)
    return this.#binFromTop(seat, 1, (count + 1) >> 1)
  }

  /** What a share of a seat's loops does not exceed, in ms; −1 without any. Sorts: not for every tick. */
  loopMs(seat: number, share: number): number {
    const count = this.countOf(seat)
    if (count === 0) return -1
    const first = seat * this.#samples
    for (let index = 0; index < count; index++) {
      const loop = this.#loops[first + index] as number
      let place = index
      while (place > 0 && (this.#sorted[place - 1] as number) > loop) {
        this.#sorted[place] = this.#sorted[place - 1] as number
        place -= 1
      }
      this.#sorted[place] = loop
    }
    return this.#sorted[Math.max(Math.ceil(share * count - 1e-9), 1) - 1] as number
  }

  clear(seat: number): void {
    this.#noted[seat] = 0
    const base = 2 * seat * this.#binCount
    this.#counts.fill(0, base, base + 2 * this.#binCount)
  }

  /** Counts again what is kept, because a tick now takes another time. */
  setTickInterval(intervalMs: number): void {
    this.#binMs = intervalMs / binsPerTick
    for (let seat = 0; seat < this.#noted.length; seat++) {
      const noted = this.#noted[seat] as number
      const kept = Math.min(noted, this.#samples)
      this.clear(seat)
      const first = seat * this.#samples
      const base = 2 * seat * this.#binCount
      for (let back = 1; back <= kept; back++) {
        const at = first + ((noted - back) % this.#samples)
        const bin = base + 2 * this.#binOf(this.#loops[at] as number)
        this.#counts[bin]! += 1
        if (back <= this.#levelSamples) this.#counts[bin + 1]! += 1
      }
      this.#noted[seat] = noted
    }
  }

  #binOf(loopMs: number): number {
    return Math.min(Math.ceil(Math.max(loopMs, 0) / this.#binMs), this.#binCount - 1)
  }

  /** `which` is 0 for the whole ring, 1 for its newest. */
  #binFromTop(seat: number, which: 0 | 1, rank: number): number {
    const base = 2 * seat * this.#binCount + which
    let bin = this.#binCount
    let above = 0
    while (above < rank && bin > 0) {
      bin -= 1
      above += this.#counts[base + 2 * bin] as number
    }
    return bin
  }
}
