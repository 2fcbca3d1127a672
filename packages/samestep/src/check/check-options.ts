import { UsageError } from '../base/errors.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { CallSiteResolver } from '../sim/trace/call-site.ts'
import type { GameGraphs } from './causes/game-graphs.ts'
import type { CheckId } from './lanes/lane.ts'
import { checkIds } from './lanes/lane.ts'
import type { Draw } from './lanes/lane-world.ts'
import type { Explore } from './scripts/explorer.ts'
import type { Script } from './scripts/script.ts'

/** How a game is checked. */
export interface CheckOptions {
  /** Ticks over all matches; 5000 by default. */
  readonly ticks?: number
  /** Seats of each match; four by default, or as near to it as the game allows. */
  readonly seats?: number
  /** Everything by chance follows from it; 7 by default. */
  readonly seed?: number
  /** Match options that are fixed. The others are drawn. */
  readonly options?: object
  /** Suggests sensible orders, which are mixed with random ones. */
  readonly explore?: Explore | undefined
  /** Draws a picture for a seat; called between ticks for various viewers. It must not matter. */
  readonly draw?: Draw | undefined
  /**
   * The same game, loaded once more from modules of its own. Whoever joins late has it: what the game
   * keeps in variables of its modules is then not there, as on another machine.
   */
  readonly fresh?: Game | undefined
  /** More of the same, each from modules that nobody has used: `samestep check` loads them. */
  readonly graphs?: GameGraphs | undefined
  /** How long a match is; 1000 ticks by default. */
  readonly matchTicks?: number
  /** One more match, this long, with fewer lanes: for what only happens late. None by default. */
  readonly longTicks?: number
  /** The only checks to make. */
  readonly only?: readonly CheckId[]
  /** Checks to leave out. */
  readonly skip?: readonly CheckId[]
  /** The most bytes that a tick may allocate; needs `heapBytes`. */
  readonly allocationBytesMax?: number | undefined
  /** Reads the size of the heap: `() => process.memoryUsage().heapUsed`. */
  readonly heapBytes?: () => number
  /** Whether a failing script is made small; it is by default. */
  readonly shrink?: boolean
  /** Finds source lines behind those of generated code, where the host does not show them itself. */
  readonly resolve?: CallSiteResolver | undefined
  /** Told now and then how far it is. */
  readonly onProgress?: (progress: CheckProgress) => void
  /** Told of every tick that is played, also while a finding is made small: a sign of life. */
  readonly onBeat?: ((tick: number) => void) | undefined
  /** Told of every match that was played without a finding, with its hash after each tick. */
  readonly onMatch?: (match: PlayedMatch) => void
}

/** How far a check is. */
export interface CheckProgress {
  readonly stage: 'checking' | 'long' | 'shrinking' | 'diagnosing'
  readonly tick: number
  readonly ticks: number
  readonly match: number
  readonly orders: number
  /** While shrinking: runs so far, and what is left of the script. */
  readonly runs: number
  readonly items: number
}

/** A match that went well. */
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
