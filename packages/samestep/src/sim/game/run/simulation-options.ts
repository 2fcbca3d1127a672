import { UsageError, WireError } from '../../../base/errors.ts'
import type { CellCheck } from '../../guard/cell-check.ts'
import { decodeRecord } from '../../schema/index.ts'
import type { PartDeclarations } from '../../state/part.ts'
import type { Trace } from '../../trace/trace.ts'
import type { GameOptions, GameShape } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { KindPolicy } from '../orders/order.ts'
import { inputsPart, randomPart, systemPart } from './engine-parts.ts'
import type { SimulationObserver } from './observers.ts'

/** The options of a simulation. */
export interface SimulationOptions<G extends GameShape> {
  /** The match's seed, made by the relay. All randomness derives from it. */
  readonly seed: number | string
  /** The number of seats. Defaults to the game's minimum. */
  readonly seats?: number
  /** The match's options; those omitted get their defaults. */
  readonly options?: Partial<GameOptions<G>>
  /** The rules that the match sets for each kind of order, by number. Defaults to those declared. */
  readonly orderPolicy?: readonly KindPolicy[]
  /** Binds snapshots to their match. */
  readonly matchId?: string
  /** More checks, and views that throw when written to. The default depends on the environment. */
  readonly development?: boolean
  /**
   * Makes `step` and the other functions of the game throw when they call something that differs between
   * machines (`SS_NONDETERMINISTIC`), and detects writes to the state from outside a tick
   * (`SS_OUTSIDE_WRITE`). Values that do not fit their cell become faults in the report. On by default in
   * development. A build with `NODE_ENV` set to production contains no guard at all.
   */
  readonly guard?: boolean
  /** Checks the values that game code writes, like the guard, where there is no guard. For tools. */
  readonly cells?: CellCheck
  /** Records every write to the state and every random draw. Slow; for finding the first difference. */
  readonly trace?: Trace
  /** How sync hashes are computed; `auto` uses WebAssembly where it is allowed. */
  readonly kernel?: 'auto' | 'wasm' | 'js'
  /** Also hash the state after every system. Expensive; for finding the system that differs. */
  readonly hashSystems?: boolean
  /** Called when the parts of a tick and its systems begin and end, for timing and tracing. */
  readonly observer?: SimulationObserver
}

/** The game's parts and the engine's own. A game without inputs has no part for them. */
export function declareParts<G extends GameShape, R>(game: Game<G, R>): PartDeclarations {
  const { inputCodec, streams, definition } = game
  return {
    ...definition.state,
    '#system': systemPart,
    '#random': randomPart(streams),
    ...(inputCodec.names.length > 0 ? { '#inputs': inputsPart(inputCodec) } : {}),
  }
}

/** Returns the number of seats, or throws if the game does not allow it. */
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

/**
 * The options of a match: complete, checked and deeply frozen. They are a copy: simulations share
 * nothing with each other, or with the declared defaults.
 */
export function makeOptions<G extends GameShape, R>(
  game: Game<G, R>,
  given: object,
): Readonly<GameOptions<G>> {
  const options = { ...game.optionsCodec.makeDefault(), ...given }
  game.optionsCodec.check(options, 'options')
  const own = game.optionsCodec.copy(options)
  return freezeDeep(game.optionsCodec.normalise(own)) as Readonly<GameOptions<G>>
}

/**
 * Decodes the options of a match. A relay passes them on unread, so the bytes may be anything: invalid
 * ones give the defaults, on every machine alike.
 */
export function readOptions<G extends GameShape, R>(
  game: Game<G, R>,
  bytes: Uint8Array,
): Readonly<GameOptions<G>> {
  try {
    return makeOptions(game, decodeRecord(game.optionsCodec, bytes))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return makeOptions(game, {})
  }
}

/** Freezes a value and everything in it. The bytes of a typed array cannot be frozen. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (value instanceof Map || value instanceof Set) {
    value.forEach((item: unknown, key: unknown) => {
      freezeDeep(item)
      freezeDeep(key)
    })
    // The entries of a Map or Set are not properties, so freezing alone does not protect them.
    for (const name of ['set', 'add', 'delete', 'clear']) {
      if (name in value) Object.defineProperty(value, name, { value: refuseChange })
    }
    return Object.freeze(value)
  }
  for (const item of Object.values(value)) freezeDeep(item)
  return Object.freeze(value)
}

function refuseChange(): never {
  throw new TypeError('Cannot change the options of a match: keep what changes in the state')
}
