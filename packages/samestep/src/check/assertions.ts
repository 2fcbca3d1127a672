/**
 * Checks for a game's own test suite: plain functions that throw, for vitest, node:test and whatever
 * else runs tests.
 */

import { UsageError } from '../base/errors.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { OrderOutcome } from '../sim/game/run/report.ts'
import type { Simulation } from '../sim/game/run/simulation.ts'
import { createSimulation } from '../sim/game/run/simulation.ts'
import { checkGame } from './check-game.ts'
import type { CheckOptions } from './check-options.ts'
import { settle } from './check-options.ts'
import type { CheckFailure } from './failure-text.ts'
import type { CheckId } from './lanes/lane.ts'
import { Explorer } from './scripts/explorer.ts'
import type { MatchScript, MatchScriptItem } from './scripts/match-script.ts'
import { openScript, sealItems } from './scripts/match-script.ts'
import type { Script, ScriptItem } from './scripts/script.ts'
import { bundleOf, ScriptReader } from './scripts/script.ts'

/** Thrown by the assertions; `failure` has all details. */
export class CheckError extends Error {
  // The name by which test runners know that a test failed, and did not break.
  override readonly name = 'AssertionError'
  readonly failure: CheckFailure

  constructor(failure: CheckFailure) {
    super(failure.text)
    this.failure = failure
  }
}

/** Long enough to meet most mistakes, short enough for every run of a test suite. */
const ticksInTests = 600

function assertChecks<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions,
  only: readonly CheckId[],
): void {
  const { failure } = checkGame(game, { ticks: ticksInTests, ...options, only })
  if (failure !== undefined) throw new CheckError(failure)
}

/**
 * Throws unless two instances agree in every tick: side by side, on machines with another clock, time zone,
 * language and engine, drawn for other viewers, and when the match is played again.
 *
 * @throws CheckError with the tick, system, row, field, values, line and likely cause.
 */
export function assertDeterministic<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions = {},
): void {
  assertChecks(game, options, ['throws', 'twin', 'machine', 'viewer', 'later'])
}

const reloading: readonly CheckId[] = [
  'throws',
  'bytes',
  'reload',
  'rejoin',
  'derived',
  'order',
  'nan',
  'full',
]

/**
 * Throws unless saving and loading lose nothing: saving again gives the same bytes, the copy stays equal,
 * Maps and Sets keep their sequence, and derived data equals a fresh computation.
 *
 * @throws CheckError with the tick, system, row, field, values, line and likely cause.
 */
export function assertReloads<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions = {},
): void {
  assertChecks(game, options, reloading)
}

/**
 * Throws if a function that may only read writes: `validate`, `recompute` of derived data, and `draw` if
 * given.
 *
 * @throws CheckError with the tick, row, field, values, line and likely cause.
 */
export function assertPure<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions = {},
): void {
  assertChecks(game, options, ['pure', 'derived', 'viewer'])
}

/**
 * Throws unless all machines end in the same state, however they got there: from the start, from a snapshot
 * in the middle, through a snapshot in every tick, or as a second match in the same process.
 *
 * @throws CheckError with the tick, system, row, field, values, line and likely cause.
 */
export function assertConverges<G extends GameShape, R>(
  game: Game<G, R>,
  options: CheckOptions = {},
): void {
  assertChecks(game, options, ['throws', 'twin', 'reload', 'rejoin', 'later'])
}

/** The options of {@link simulate}. */
export interface SimulateOptions<G extends GameShape = GameShape>
  extends Pick<CheckOptions, 'ticks' | 'seats' | 'seed' | 'options' | 'explore'> {
  /**
   * Plays this instead of random actions: a whole match, as in {@link Simulated}, or a list of items. With
   * a list, `ticks` defaults to the tick of the last item.
   */
  readonly script?: MatchScript<G> | readonly MatchScriptItem<G>[] | Script
}

/** A match that was played. */
export interface Simulated<G extends GameShape, R> {
  readonly simulation: Simulation<G, R>
  /** Everything that happened, for reading and for playing again. */
  readonly script: MatchScript<G>
  /** The result of every order, in sequence. */
  readonly outcomes: readonly (OrderOutcome & { readonly tick: number })[]
}

/**
 * Plays a game at random, or a script, and returns the simulation at the end: for tests of a game's own
 * rules, such as that no unit ever has more health than its maximum.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for invalid options, `SS_BAD_ORDER` and `SS_BAD_VALUE` for items
 * that do not fit the game; also whatever the game's code threw, and an error for a value that did not fit
 * its cell.
 *
 * @example
 * ```ts
 * const { simulation } = simulate(dots, { seats: 4, seed: 7, ticks: 1_000 })
 * for (const row of simulation.state.units) assert(simulation.state.units.hp[row] <= 100)
 *
 * simulate(dots, { seats: 2, script: [{ tick: 3, seat: 1, order: 'move', data: { dx: 1, dy: 0 } }] })
 * ```
 */
export function simulate<G extends GameShape, R>(
  game: Game<G, R>,
  options: SimulateOptions<G> = {},
): Simulated<G, R> {
  const { explore } = options
  const given = givenScript(game as unknown as Game, options)
  const { seats, seed, ticks } = given ?? settle(game as unknown as Game, checkOptionsOf(options))
  const chosen = (given?.options ?? options.options ?? {}) as never
  const simulation = createSimulation(game, { seed, seats, options: chosen })
  const plain = simulation as unknown as Simulation
  const explorer = new Explorer(plain.game, seats, seed, explore)
  const reader = given === undefined ? undefined : new ScriptReader(given.items)
  const items: ScriptItem[] = []
  const outcomes: (OrderOutcome & { readonly tick: number })[] = []
  for (let tick = 1; tick <= ticks; tick++) {
    const next = reader?.at(tick) ?? explorer.next(tick, plain)
    items.push(...next)
    const report = plain.step(bundleOf(tick, next))
    for (const { where, name, error } of report.faults) throwFault(tick, where, name, error)
    for (const outcome of report.outcomes) outcomes.push({ tick, ...outcome })
  }
  const script = given ?? { seed, seats, ticks, items, options: plain.options }
  return { simulation, script: openScript(plain.game, script), outcomes }
}

/** The script that was given, sealed. */
function givenScript(game: Game, options: SimulateOptions): Script | undefined {
  const { script } = options
  if (script === undefined) return undefined
  if ('items' in script) return { ...script, items: sealItems(game, script.items) }
  const items = sealItems(game, script)
  const { ticks = Math.max(items.at(-1)?.tick ?? 1, 1) } = options
  const { seats, seed } = settle(game, { ...checkOptionsOf(options), ticks })
  return { seed, seats, ticks, options: options.options ?? {}, items }
}

function checkOptionsOf({ script: _, ...options }: SimulateOptions): CheckOptions {
  return options
}

function throwFault(tick: number, where: string, name: string, error: unknown): never {
  if (error instanceof UsageError) throw error
  throw new Error(`${where} '${name}' threw at tick ${tick}: ${String(error)}`, { cause: error })
}
