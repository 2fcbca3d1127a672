import type { PartDeclarations } from '../../state/part.ts'
import type { RenderDeclaration } from '../../state/previous.ts'
import type { DerivedDeclarations } from '../derived/derived.ts'
import type { OrderDeclarations } from '../orders/order.ts'
import type { ContentManifest } from './content.ts'
import type {
  ApplyContext,
  InputFields,
  SetupContext,
  StepContext,
  SystemDeclaration,
  ValidateContext,
} from './context.ts'

/** What `validate` returns: nothing or `true` accepts the order; `false` or a reason refuses it. */
export type Verdict = boolean | string | undefined

/** The definition of a game. See {@link defineGame}. */
export interface GameDefinition<
  S extends PartDeclarations,
  I extends InputFields,
  O extends OrderDeclarations,
  P extends InputFields,
  N extends string,
  D extends DerivedDeclarations,
  R extends RenderDeclaration<S>,
> extends GameRules<S, I, O, P, N, D, R> {
  readonly state: S
}

/** A game definition without its state, which determines the types of the rest. */
export interface GameRules<
  S extends PartDeclarations,
  I extends InputFields,
  O extends OrderDeclarations,
  P extends InputFields,
  N extends string,
  D extends DerivedDeclarations,
  R extends RenderDeclaration<S>,
> {
  /** Lower-case letters, digits and hyphens: `space-miners`. */
  readonly id: string
  /** A whole number from 1. Raise it whenever players of two builds could disagree. */
  readonly version: number
  /** Ticks per second; 30 by default. */
  readonly tickRate?: number
  readonly seats: { readonly min: number; readonly max: number }
  /** The held controls of a seat, one record per tick. Omit it in games that use only orders. */
  readonly input?: I
  readonly orders?: O
  /** The options of a match. */
  readonly options?: P
  /** Names of additional random streams, each with its own sequence. */
  readonly random?: readonly N[]
  readonly derived?: D
  /** Columns to keep from the previous tick, for drawing between two ticks. */
  readonly render?: R
  /** The source text of the simulation, so that builds with different code refuse each other at once. */
  readonly source?: string | readonly string[]
  /**
   * The files that every match of the game depends on, with their hashes: part of the fingerprint. Pass
   * files that only some matches use, such as the chosen map, as `content` to `joinMatch`.
   */
  readonly content?: ContentManifest

  /** Fills the state before tick 1. */
  setup?(context: SetupContext<ShapeOf<S, I, O, P, N, D>>): void
  /** Decides whether an order may run now. It runs on every machine, and must not change anything. */
  validate?(context: ValidateContext<ShapeOf<S, I, O, P, N, D>>): Verdict
  /**
   * Executes one order, before the step. With `apply`, each order is validated after the previous one was
   * applied; without it, all orders are validated first and `step` gets the accepted ones.
   */
  apply?(context: ApplyContext<ShapeOf<S, I, O, P, N, D>>): void
  /** Runs one tick. Define either `step` or `systems`. */
  step?(context: StepContext<ShapeOf<S, I, O, P, N, D>>): void
  readonly systems?: readonly SystemDeclaration<ShapeOf<S, I, O, P, N, D>>[]
}

/** The type arguments of a game as one type. */
export interface ShapeOf<
  S extends PartDeclarations,
  I extends InputFields,
  O extends OrderDeclarations,
  P extends InputFields,
  N extends string,
  D extends DerivedDeclarations,
> {
  readonly state: S
  readonly input: I
  readonly orders: O
  readonly options: P
  readonly random: N
  readonly derived: D
}
