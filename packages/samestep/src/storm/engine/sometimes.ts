/**
 * Counters of what a good simulator must bring about now and then. A batch of runs in which some
 * expected thing never happened has a hole, however green it is.
 */
export class Sometimes {
  readonly #counts = new Map<string, number>()

  /** `expected` are the ids that a whole batch must meet. */
  constructor(expected: readonly string[] = []) {
    for (const id of expected) this.#counts.set(id, 0)
  }

  /** Counts one occurrence, if the condition holds. Unknown ids are added. */
  hit(id: string, condition = true): void {
    if (condition) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  count(id: string): number {
    return this.#counts.get(id) ?? 0
  }

  /** Adds the counts of another run. */
  merge(counts: { readonly [id: string]: number }): void {
    for (const [id, count] of Object.entries(counts)) {
      this.#counts.set(id, (this.#counts.get(id) ?? 0) + count)
    }
  }

  /** All counts as plain data, by id in sequence. */
  toJson(): { [id: string]: number } {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** How much of what is known was met, and what was not. */
  report(): CoverageReport {
    const missing = [...this.#counts].filter(([, count]) => count === 0).map(([id]) => id)
    const known = this.#counts.size
    return { known, met: known - missing.length, missing: missing.sort(), counts: this.toJson() }
  }
}

/** Coverage of the "sometimes" ids. */
export interface CoverageReport {
  readonly known: number
  readonly met: number
  readonly missing: readonly string[]
  readonly counts: { readonly [id: string]: number }
}
