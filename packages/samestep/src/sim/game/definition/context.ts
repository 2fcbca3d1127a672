import type { Random } from '../../random/random.ts'
import type { AnyField, RecordOf } from '../../schema/field.ts'
import type { LiveOf, PartDeclarations, ViewOf } from '../../state/part.ts'
import type { DerivedDeclarations, DerivedOf } from '../derived/derived.ts'
import type { OrderDeclarations, OrderOf } from '../orders/order.ts'
import type { SystemEvent } from '../run/bundle.ts'

/** Fields of an input or of the match options. */
export type InputFields = { readonly [name: string]: AnyField }

/**
 * The types of a game's parts. Name them once to write systems in separate files:
 *
 * @example
 * ```ts
 * type Tick = StepContext<{ state: typeof state; orders: typeof orders }>
 * export function movement({ state }: Tick) { … }
 * ```
 */
export interface GameShape {
  readonly state: PartDeclarations
  readonly input: InputFields
  readonly orders: OrderDeclarations
  readonly options: InputFields
  readonly random: string
  readonly derived: DerivedDeclarations
}

// biome-ignore lint/complexity/noBannedTypes: the record without fields is the default for all of them.
type None = {}

type StateDeclared<G> = G extends { readonly state: infer V extends PartDeclarations } ? V : None
type OrdersDeclared<G> = G extends { readonly orders: infer V extends OrderDeclarations } ? V : None
type InputDeclared<G> = G extends { readonly input: infer V extends InputFields } ? V : None
type OptionsDeclared<G> = G extends { readonly options: infer V extends InputFields } ? V : None
type StreamsDeclared<G> = G extends { readonly random: infer V extends string } ? V : never
type DerivedDeclared<G> = G extends { readonly derived: infer V extends DerivedDeclarations }
  ? V
  : None

/** The state of a game, writable, as `step` gets it. */
export type GameState<G extends Partial<GameShape>> = LiveOf<StateDeclared<G>>

/** The held controls of one seat. */
export type GameInput<G extends Partial<GameShape>> = RecordOf<InputDeclared<G>>

/** The options of a match. */
export type GameOptions<G extends Partial<GameShape>> = RecordOf<OptionsDeclared<G>>

/** Any order of the game. */
export type GameOrder<G extends Partial<GameShape>> = OrderOf<OrdersDeclared<G>>

/** What `setup` gets. It runs once, before tick 1. */
export interface SetupContext<G extends Partial<GameShape>> {
  readonly state: GameState<G>
  readonly derived: DerivedOf<DerivedDeclared<G>>
  readonly random: Random<StreamsDeclared<G>>
  /** The number of seats; seats are numbered from 0. */
  readonly seats: number
  readonly options: Readonly<GameOptions<G>>
}

/** What `validate` gets. It must not change anything. */
export interface ValidateContext<G extends Partial<GameShape>> {
  readonly state: ViewOf<StateDeclared<G>>
  readonly derived: DerivedOf<DerivedDeclared<G>>
  /** As in {@link StepContext}. */
  readonly tick: number
  readonly seat: number
  readonly order: GameOrder<G>
  readonly options: Readonly<GameOptions<G>>
}

/** What `apply` gets, for one order that `validate` accepted. */
export interface ApplyContext<G extends Partial<GameShape>> extends SetupContext<G> {
  /** As in {@link StepContext}; in a pause, the last tick that ran. */
  readonly tick: number
  readonly seat: number
  readonly order: GameOrder<G>
}

/** What `step` and every system get, once per tick. */
export interface StepContext<G extends Partial<GameShape>> extends SetupContext<G> {
  /** The game's clock: 1 in the first tick, then one more in each tick that runs. A pause stops it. */
  readonly tick: number
  /** The held controls, by seat. A seat without a player holds the defaults. */
  readonly inputs: readonly Readonly<GameInput<G>>[]
  /** The accepted orders of this tick, in sealed sequence. */
  readonly orders: readonly GameOrder<G>[]
  readonly events: readonly SystemEvent[]
}

/** One named part of a step. Systems run in the declared sequence. */
export interface System<G extends Partial<GameShape>> {
  readonly name: string
  run(context: StepContext<G>): void
}

/** A system as it may be declared: an object, or a function whose name is used. */
export type SystemDeclaration<G extends Partial<GameShape>> =
  | System<G>
  | ((context: StepContext<G>) => void)

/** Names a system, since a minifier would remove the function's own name. */
export function system<G extends Partial<GameShape>>(
  name: string,
  run: (context: StepContext<G>) => void,
): System<G> {
  return { name, run }
}
