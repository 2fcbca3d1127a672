import type { DeepDifference } from '../../base/deep-diff.ts'
import type { Fault, OrderOutcome, SystemHash } from '../../sim/game/run/report.ts'
import type { Difference } from '../../sim/state/part.ts'
import type { Factor } from '../machine/machine-state.ts'
import type { AnyBundle } from '../scripts/script.ts'
import type { Copy } from './copy.ts'

/**
 * A check plays one match in several lanes at once. The original plays it plainly; every other lane
 * plays it in another way that must not matter, and is compared after every tick:
 *
 *     original   step ─────────► step ─────────► step ─────────►
 *     twin       on another machine, drawn for another viewer
 *     reload     saved and loaded between any two ticks
 *     rejoin     loaded now and then, and kept
 *     later      the same match some hundred ticks later, in the same process
 *     cells      with columns that look at what is written to them
 */

/** The kinds of checks. The names are part of the API: reports and `--skip` use them. */
export type CheckId =
  | 'throws'
  | 'cells'
  | 'twin'
  | 'machine'
  | 'viewer'
  | 'bytes'
  | 'reload'
  | 'rejoin'
  | 'later'
  | 'pure'
  | 'derived'
  | 'order'
  | 'nan'
  | 'canonical'
  | 'full'
  | 'allocation'
  | 'async'
  | 'elsewhere'
  | 'engines'

/** What each check requires of a game, in the sequence in which they run. */
export const checkTitles: { readonly [id in CheckId]: string } = {
  throws: 'no rule of the game throws',
  cells: 'every value fits the cell that it is written to',
  viewer: 'drawing changes nothing, for any viewer and frame rate',
  twin: 'two instances agree',
  machine: 'another clock, zone, language and engine change nothing',
  pure: 'validate only reads',
  reload: 'a copy that is loaded every tick stays equal',
  bytes: 'save, load and save again give the same bytes',
  derived: 'derived data equals what recomputing gives',
  order: 'Maps and Sets keep their sequence across a reload',
  nan: 'no bits of a NaN are in the state',
  rejoin: 'a late joiner stays equal',
  later: 'a match that is replayed later is the same',
  canonical: 'decoders accept only canonical bytes',
  full: 'full tables cause no difference',
  allocation: 'a tick allocates no more than its limit',
  async: 'nothing is written once a tick is over',
  elsewhere: 'other processes, with other locales, agree',
  engines: 'other engines agree',
}

/** The ids of all checks, as a failure names them. */
export const checkIds = Object.keys(checkTitles) as readonly CheckId[]

/** The check lanes that can be run alone. */
export type LaneId =
  | 'original'
  | 'twin'
  | 'reload'
  | 'rejoin'
  | 'later'
  | 'bytes'
  | 'cells'
  | 'full'

/** One side of a comparison when it failed. */
export interface Side {
  /** Who it is, for the report: `the original`, `the reloaded copy`. */
  readonly name: string
  readonly copy: Copy
  readonly systemHashes: readonly SystemHash[]
}

/** Something that must not be, as it was seen. */
export interface Finding {
  readonly check: CheckId
  readonly lane: LaneId
  readonly tick: number
  readonly sides: readonly [Side, Side] | undefined
  readonly differences: readonly Difference[]
  /** What only the objects themselves show, not the hashed state. */
  readonly hidden: readonly DeepDifference[]
  /** The function of the game, where it is known: `validate 'move'`, a derived value, a system. */
  readonly place: string | undefined
  /** What the game threw. */
  readonly error: unknown
  /** Further details for people. */
  readonly detail: string
  /** In what the machines differed, once that is known. */
  readonly factor: Factor | undefined
  /** What a custom part did with memory that is not its own to keep, or to give away. */
  readonly memory: 'kept' | 'live' | undefined
}

/** A tick that the original has just run, as lanes see it. */
export interface RunTick {
  readonly tick: number
  readonly bundle: AnyBundle
  readonly original: Copy
  readonly faults: readonly Fault[]
  readonly outcomes: readonly OrderOutcome[]
  readonly systemHashes: readonly SystemHash[]
  /** The original's state as bytes; made once for all who ask. */
  snapshot(): Uint8Array
}

/** A finding with what is left out filled in. */
export function makeFinding(
  finding: Pick<Finding, 'check' | 'lane' | 'tick'> & Partial<Finding>,
): Finding {
  return {
    sides: undefined,
    differences: [],
    hidden: [],
    place: undefined,
    error: undefined,
    detail: '',
    factor: undefined,
    memory: undefined,
    ...finding,
  }
}

/** Plays the match in its own way after the original, tick by tick. */
export interface Lane {
  /** Runs the tick that the original has run; gives what is wrong, if anything. */
  run(tick: RunTick): Finding | undefined
  /** The match is over. */
  finish?(): Finding | undefined
}
