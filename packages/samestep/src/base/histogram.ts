/**
 * Durations by size, for ever: a few numbers that say what an average hides, and that can be added up
 * over players, links and processes. Noting one moves a number in an array and makes no garbage.
 */

/** Upper bounds of the buckets in ms, inclusive; longer durations have a bucket of their own. */
export const histogramStepsMs: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000,
]

/** The content of a histogram at one time. */
export interface HistogramView {
  /** The number of durations. */
  readonly count: number
  readonly sumMs: number
  readonly maxMs: number
  /** The number in each bucket: up to 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 and 2000 ms, and longer. */
  readonly counts: readonly number[]
}

/** Counts of durations in steps of growing size. */
export class Histogram {
  readonly #counts = new Float64Array(histogramStepsMs.length + 1)
  #count = 0
  #sumMs = 0
  #maxMs = 0

  note(ms: number): void {
    let step = 0
    while (step < histogramStepsMs.length && ms > (histogramStepsMs[step] as number)) step += 1
    this.#counts[step]! += 1
    this.#count += 1
    this.#sumMs += ms
    if (ms > this.#maxMs) this.#maxMs = ms
  }

  /** Adds what another one held. */
  add({ count, sumMs, maxMs, counts }: HistogramView): void {
    for (let step = 0; step < this.#counts.length; step++) this.#counts[step]! += counts[step] ?? 0
    this.#count += count
    this.#sumMs += sumMs
    this.#maxMs = Math.max(this.#maxMs, maxMs)
  }

  /** A copy of what it holds. */
  view(): HistogramView {
    return {
      count: this.#count,
      sumMs: this.#sumMs,
      maxMs: this.#maxMs,
      counts: [...this.#counts],
    }
  }
}

/** A histogram without anything in it. */
export const emptyHistogram: HistogramView = new Histogram().view()
