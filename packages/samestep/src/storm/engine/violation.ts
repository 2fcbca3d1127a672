/** What a failed check knows about its moment. */
export interface ViolationPlace {
  /** Virtual time. */
  readonly atMs: number
  /** Name of the node that was acting; `undefined` when it was none. */
  readonly node: string | undefined
}

/** Thrown when an invariant does not hold. Ends the run; the plan that led to it is kept. */
export class Violation extends Error {
  override readonly name = 'Violation'
  /** The id of the invariant, such as `I-03`. Shrinking keeps it the same. */
  readonly invariant: string
  readonly atMs: number
  readonly node: string | undefined
  readonly detail: string

  constructor(
    invariant: string,
    place: ViolationPlace,
    detail: string,
    options?: { readonly cause?: unknown },
  ) {
    const who = place.node === undefined ? '' : ` at ${place.node}`
    super(`${invariant} violated${who} after ${place.atMs} ms: ${detail}`, options)
    this.invariant = invariant
    this.atMs = place.atMs
    this.node = place.node
    this.detail = detail
  }
}
