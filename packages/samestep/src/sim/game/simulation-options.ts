import { UsageError } from '../../base/errors.ts'
import type { PartDeclarations } from '../state/part.ts'
import type { Trace } from '../trace/trace.ts'
import type { GameOptions, GameShape } from './context.ts'
import type { Game } from './define-game.ts'
import { inputsPart, randomPart, systemPart } from './engine-parts.ts'

/** How a simulation is started. */
export interface SimulationOptions<G extends GameShape> {
  /** The match's seed, made by the relay. Everything random follows from it. */
  readonly seed: number | string
  /** How many seats the match has. The game's minimum by default. */
  readonly seats?: number
  /** The match's options; those left out get their defaults. */
  readonly options?: Partial<GameOptions<G>>
  /** Binds snapshots to their match. */
  readonly matchId?: string
  /** More checks, and views that throw when written to. By default as the environment says. */
  readonly development?: boolean
  /**
   * Makes `step` and its relatives throw when they call what differs between machines (`SS_NONDETERMINISTIC`),
   * and notices writes to the state from outside a tick (`SS_OUTSIDE_WRITE`). By default in
   * development. A build with `NODE_ENV` set to production has no guard at all.
   */
  readonly guard?: boolean
  /** Records every write to the state and every random draw: slow, for finding a first difference. */
  readonly trace?: Trace
  /** Where sync hashes are computed; `auto` takes WebAssembly where it is allowed. */
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /** Hash the state after every system too: dear, for finding the one that differs. */
  readonly hashSystems?: boolean
  /** Told when systems begin and end, for timing and tracing. */
  readonly observer?: SimulationObserver
}

/** Watches systems run. It must not touch the state. */
export interface SimulationObserver {
  systemBegins?(name: string, tick: number): void
  systemEnds?(name: string, tick: number): void
}

/** The game's parts and the engine's own. A game without inputs has nothing to hold. */
export function declareParts<G extends GameShape, R>(game: Game<G, R>): PartDeclarations {
  const { inputCodec, streams, definition } = game
  return {
    ...definition.state,
    '#system': systemPart,
    '#random': randomPart(streams),
    ...(inputCodec.names.length > 0 ? { '#inputs': inputsPart(inputCodec) } : {}),
  }
}

/** The number of seats, unless the game is not for so many. */
export function checkSeats(
  game: { readonly id: string; readonly seats: { min: number; max: number } },
  seats: number,
): number {
  const { min, max } = game.seats
  if (!Number.isInteger(seats) || seats < min || seats > max) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot start '${game.id}' with ${seats} seats: it is for ${min} to ${max}`,
    )
  }
  return seats
}

/** The options of a match, complete and checked. */
export function makeOptions<G extends GameShape, R>(
  game: Game<G, R>,
  given: object,
): Readonly<GameOptions<G>> {
  const options = { ...game.optionsCodec.makeDefault(), ...given }
  game.optionsCodec.check(options, 'options')
  return Object.freeze(game.optionsCodec.normalise(options)) as Readonly<GameOptions<G>>
}
