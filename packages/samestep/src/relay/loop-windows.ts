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
  readonly #bins: Uint16Array
  readonly #counts: Uint16Array
  readonly #levelCounts: Uint16Array
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
    this.#bins = new Uint16Array(seats * samples)
    this.#counts = new Uint16Array(seats * this.#binCount)
    this.#levelCounts = new Uint16Array(seats * this.#binCount)
    this.#noted = new Uint32Array(seats)
    this.#sorted = new Float32Array(samples)
  }

  /** Loops that are kept of a seat. */
  countOf(seat: number): number {
    return Math.min(this.#noted[seat] as number, this.#samples)
  }

  add(seat: number, loopMs: number): void {
    const noted = this.#noted[seat] as number
    const first = seat * this.#samples
    const at = first + (noted % this.#samples)
    const base = seat * this.#binCount
    if (noted >= this.#samples) this.#counts[base + (this.#bins[at] as number)]! -= 1
    if (noted >= this.#levelSamples) {
      const left = first + ((noted - this.#levelSamples) % this.#samples)
      this.#levelCounts[base + (this.#bins[left] as number)]! -= 1
    }
    const bin = this.#binOf(loopMs)
    this.#loops[at] = loopMs
    this.#bins[at] = bin
    this.#counts[base + bin]! += 1
    this.#levelCounts[base + bin]! += 1
    this.#noted[seat] = noted + 1
  }

  /** The bin that 95 % of a seat's loops do not exceed. */
  p95Bin(seat: number): number {
    const count = this.countOf(seat)
    return this.#binFromTop(this.#counts, seat, count - Math.ceil(count * 0.95 - 1e-9) + 1)
  }

  /** The bin of the median of a seat's newest loops. */
  levelBin(seat: number): number {
    const count = Math.min(this.#noted[seat] as number, this.#levelSamples)
    return this.#binFromTop(this.#levelCounts, seat, (count + 1) >> 1)
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
    const base = seat * this.#binCount
    this.#counts.fill(0, base, base + this.#binCount)
    this.#levelCounts.fill(0, base, base + this.#binCount)
  }

  /** Counts again what is kept, because a tick now takes another time. */
  setInterval(intervalMs: number): void {
    this.#binMs = intervalMs / binsPerTick
    for (let seat = 0; seat < this.#noted.length; seat++) {
      const noted = this.#noted[seat] as number
      const kept = Math.min(noted, this.#samples)
      this.clear(seat)
      const first = seat * this.#samples
      const base = seat * this.#binCount
      for (let back = 1; back <= kept; back++) {
        const at = first + ((noted - back) % this.#samples)
        const bin = this.#binOf(this.#loops[at] as number)
        this.#bins[at] = bin
        this.#counts[base + bin]! += 1
        if (back <= this.#levelSamples) this.#levelCounts[base + bin]! += 1
      }
      this.#noted[seat] = noted
    }
  }

  #binOf(loopMs: number): number {
    return Math.min(Math.ceil(Math.max(loopMs, 0) / this.#binMs), this.#binCount - 1)
  }

  #binFromTop(counts: Uint16Array, seat: number, rank: number): number {
    const base = seat * this.#binCount
    let bin = this.#binCount
    let above = 0
    while (above < rank && bin > 0) {
      bin -= 1
      above += counts[base + bin] as number
    }
    return bin
  }
}
