/**
 * How much a tick allocates, from a reading of the heap before and after it. Single readings lie: a
 * collection in between makes them negative, a compiler's work too large. The median of many is fair.
 */

/** Ticks before which compilers are still at work. */
const warmTicks = 256
/** Readings of which the median is taken. */
const windowTicks = 64

/** Takes readings around ticks. */
export class AllocationMeter {
  readonly #heapBytes: () => number
  /** What a reading itself allocates. */
  readonly #costBytes: number
  readonly #window: number[] = []
  #ticks = 0
  #before = 0
  /** The median of the last full window, in bytes per tick; `undefined` before there is one. */
  bytesPerTick: number | undefined

  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes
    const costs = Array.from({ length: 9 }, () => {
      const before = heapBytes()
      return heapBytes() - before
    })
    this.#costBytes = Math.max(median(costs), 0)
  }

  begin(): void {
    this.#before = this.#heapBytes()
  }

  end(): void {
    const bytes = this.#heapBytes() - this.#before - this.#costBytes
    this.#ticks += 1
    if (this.#ticks <= warmTicks || bytes < 0) return
    this.#window.push(bytes)
    if (this.#window.length < windowTicks) return
    this.bytesPerTick = median(this.#window)
    this.#window.length = 0
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >>> 1] ?? 0
}
