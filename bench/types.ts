/** One thing that is timed. It must do the same work on every call. Return a value to keep it alive. */
export type Contender = () => unknown

/** A ratio that a suite promises: time of `of` divided by time of `against`. */
export type Target = {
  readonly of: string
  readonly against: string
  /** Fails when the ratio is larger. */
  readonly atMost?: number
  /** Fails when the ratio is smaller (use it as "at least N times faster": swap of and against). */
  readonly atLeast?: number
}

/** A figure that is not a time, such as bytes. Shown beside the times, with its own limit. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly atMost?: number
  readonly atLeast?: number
}

export type Prepared = {
  readonly contenders: { readonly [name: string]: Contender }
  readonly figures?: readonly Figure[]
  /** Called when the suite is over. */
  close?(): void
}

/** One table of the bench. Files named `suites/*.bench.ts` export `suites: readonly Suite[]`. */
export type Suite = {
  /** Short and unique; `npm run bench -- hash` runs the suites whose name contains the word. */
  readonly name: string
  /** What one call does, for the reader: "one hash of 640 KB". */
  readonly work: string
  /** The contender to which every ratio in the table refers. */
  readonly baseline: string
  readonly targets?: readonly Target[]
  prepare(): Prepared | Promise<Prepared>
}
