/**
 * Who made how many matches, over all workers. A worker decides at once, by what it knows; it tells the
 * process with the port of each match that is made or over, and that one tells the other workers.
 *
 *     worker 1 ── made ──► port ── made elsewhere ──► workers 2, 3 …
 *
 * So a limit may be passed by what comes to several workers within the same millisecond or two: by no
 * more than the connections that one address may have before it has joined.
 */

import type { Match } from '../relay/match/match.ts'
import { Makers } from '../relay/match/people/makers.ts'

/** What a worker says of one match. */
export interface MakerChange {
  readonly address: string
  /** Made, or over. */
  readonly change: 1 | -1
}

/** The makers as one worker knows them. */
export class SharedMakers extends Makers<Match> {
  readonly #own = new Map<Match, string>()
  readonly #tell: (change: MakerChange) => void

  constructor(perMinute: number, tell: (change: MakerChange) => void) {
    super(perMinute)
    this.#tell = tell
  }

  override note(match: Match, address: string | undefined, nowMs: number): void {
    super.note(match, address, nowMs)
    if (address === undefined) return
    this.#own.set(match, address)
    this.#tell({ address, change: 1 })
  }

  override forget(match: Match): void {
    super.forget(match)
    const address = this.#own.get(match)
    if (address === undefined) return
    this.#own.delete(match)
    this.#tell({ address, change: -1 })
  }
}

/** A worker hears of what others have. */
export function noteElsewhere(
  makers: Makers<Match>,
  { isNews, changes }: MakersElsewhere,
  nowMs: number,
): void {
  for (const [address, change] of changes) {
    if (isNews && change === 1) makers.noteMadeElsewhere(address, nowMs)
    else makers.noteElsewhere(address, change)
  }
}

/** What is known of all workers, in the process with the port. */
export class MakerHub {
  /** By worker, then by address. */
  readonly #counts: readonly Map<string, number>[]
  readonly #tell: (worker: number, elsewhere: MakersElsewhere) => void

  /** `tell` says to a worker what others have. */
  constructor(workers: number, tell: (worker: number, elsewhere: MakersElsewhere) => void) {
    this.#counts = Array.from({ length: workers }, () => new Map<string, number>())
    this.#tell = tell
  }

  /** A worker told of a match: all others hear of it. */
  handleChange(worker: number, { address, change }: MakerChange): void {
    add(this.#counts[worker]!, address, change)
    this.#tellOthers(worker, { isNews: true, changes: [[address, change]] })
  }

  /** A worker is new, and knows of nobody: it hears of what all others have. */
  handleReady(worker: number): void {
    const sums = new Map<string, number>()
    this.#counts.forEach((counts, other) => {
      if (other === worker) return
      for (const [address, count] of counts) add(sums, address, count)
    })
    this.#tell(worker, { isNews: false, changes: [...sums] })
  }

  /** A worker is gone, and its matches with it, or to be made by nobody in particular. */
  handleGone(worker: number): void {
    const counts = this.#counts[worker]!
    const changes = [...counts].map(([address, count]): [string, number] => [address, -count])
    counts.clear()
    this.#tellOthers(worker, { isNews: false, changes })
  }

  /** Addresses of one worker that have any, for leak checks. */
  sizeOf(worker: number): number {
    return this.#counts[worker]!.size
  }

  #tellOthers(worker: number, elsewhere: MakersElsewhere): void {
    for (let other = 0; other < this.#counts.length; other++) {
      if (other !== worker) this.#tell(other, elsewhere)
    }
  }
}

/** What other workers have. */
export interface MakersElsewhere {
  /** Whether it happened just now, and counts for the minute. */
  readonly isNews: boolean
  /** By address: how many more or fewer matches. */
  readonly changes: readonly (readonly [address: string, change: number])[]
}

function add(counts: Map<string, number>, address: string, change: number): void {
  const sum = (counts.get(address) ?? 0) + change
  if (sum > 0) counts.set(address, sum)
  else counts.delete(address)
}
