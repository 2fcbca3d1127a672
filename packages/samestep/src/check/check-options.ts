import { UsageError } from '../base/errors.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { CallSiteResolver } from '../sim/trace/call-site.ts'
import type { GameGraphs } from './causes/game-graphs.ts'
import type { CheckId } from './lanes/lane.ts'
import { checkIds } from './lanes/lane.ts'
import type { Draw } from './lanes/lane-world.ts'
import type { Explore } from './scripts/explorer.ts'
import type { Script } from './scripts/script.ts'

/** The options of a check. */
export interface CheckOptions {
  /** Ticks in all matches together. Defaults to 5000. */
  readonly ticks?: number
  /** Seats of each match. Defaults to four, or as near to it as the game allows. */
  readonly seats?: number
  /** The seed of all random choices. Defaults to 7. */
  readonly seed?: number
  /** Fixed match options. The others are chosen at random. */
  readonly options?: object
  /** Suggests sensible orders, which are mixed with random ones. */
  readonly explore?: Explore | undefined
  /**
   * Draws the game for a seat; called between ticks for various viewers. It must not affect the simulation.
   */
  readonly draw?: Draw | undefined
  /**
   * The same game, loaded again from separate modules. Late joiners use it: what the game keeps in module
   * variables is then missing, as on another machine.
   */
  readonly fresh?: Game | undefined
  /** More of the same, each from unused modules: `samestep check` loads them. */
  readonly graphs?: GameGraphs | undefined
  /** The length of a match. Defaults to 1000 ticks. */
  readonly matchTicks?: number
  /**
   * Adds one match of this length with fewer lanes, for what happens only late in a match. None by default.
   */
  readonly longTicks?: number
  /** Runs only these checks. */
  readonly only?: readonly CheckId[]
  /** Skips these checks. */
  readonly skip?: readonly CheckId[]
  /** The maximum number of bytes that a tick may allocate; needs `heapBytes`. */
  readonly allocationBytesMax?: number | undefined
  /** Reads the size of the heap: `() => process.memoryUsage().heapUsed`. */
  readonly heapBytes?: () => number
  /** Whether a failing script is shrunk. Defaults to true. */
  readonly shrink?: boolean
  /** Maps lines of generated code to source lines, if the host does not do so itself. */
  readonly resolve?: CallSiteResolver | undefined
  /** Called now and then with the progress. */
  readonly onProgress?: (progress: CheckProgress) => void
  /** Called for every tick that is played, also while a failure is shrunk: a sign of life. */
  readonly onBeat?: ((tick: number) => void) | undefined
  /** Called for every match that was played without a failure, with its hash after each tick. */
  readonly onMatch?: (match: PlayedMatch) => void
}

/** The progress of a check. */
export interface CheckProgress {
  readonly stage: 'checking' | 'long' | 'shrinking' | 'diagnosing'
  readonly tick: number
  readonly ticks: number
  readonly match: number
  readonly orders: number
  /** While shrinking: the runs so far, and the remaining size of the script. */
  readonly runs: number
  readonly items: number
}

/** A match without a failure. */
export interface PlayedMatch {
  readonly script: Script
  /** Two words for each tick: the low and the high half of its sync hash. */
  readonly hashes: Uint32Array
}

/** Options with all defaults filled in. */
export interface CheckSettings extends CheckOptions {
  readonly ticks: number
  readonly seats: number
  readonly seed: number
  readonly matchTicks: number
  readonly longTicks: number
  readonly skipped: ReadonlySet<CheckId>
}

/** Twice as long as a shrunk script is ever needed for, short enough to be run in every test. */
const ticksDefault = 5_000
const seedDefault = 7
/** Orders that end a match would otherwise leave most of the ticks with nothing. */
const matchTicksDefault = 1_000
const seatsDefault = 4

/**
 * Fills in and checks the options.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what cannot be.
 */
export function settle(game: Game, options: CheckOptions): CheckSettings {
  const { min, max } = game.seats
  const seats = options.seats ?? Math.min(Math.max(seatsDefault, min), max)
  const { ticks = ticksDefault, seed = seedDefault, only, skip = [] } = options
  const { matchTicks = matchTicksDefault, longTicks = 0 } = options
  if (!Number.isSafeInteger(matchTicks) || matchTicks < 1) {
    refuse(`matches of ${matchTicks} ticks`, 'a whole number from 1')
  }
  if (!Number.isSafeInteger(longTicks) || longTicks < 0) {
    refuse(`a long match of ${longTicks} ticks`, 'a whole number from 0')
  }
  if (!Number.isSafeInteger(ticks) || ticks < 1) refuse(`${ticks} ticks`, 'a whole number from 1')
  if (!Number.isSafeInteger(seed) || seed < 0) refuse(`seed ${seed}`, 'a whole number from 0')
  if (!Number.isInteger(seats) || seats < min || seats > max) {
    refuse(`${seats} seats`, `a number from ${min} to ${max}, as '${game.id}' says`)
  }
  for (const id of [...(only ?? []), ...skip]) {
    if (!checkIds.includes(id)) refuse(`a check '${id}'`, `one of ${checkIds.join(', ')}`)
  }
  const left = only === undefined ? [] : checkIds.filter((id) => !only.includes(id))
  const skipped = new Set([...left, ...skip])
  return { ...options, ticks, seats, seed, matchTicks, longTicks, skipped }
}

function refuse(what: string, must: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot check with ${what}: write ${must}`)
}
