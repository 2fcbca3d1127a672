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

/**
 * What `validate` answers: nothing or `true` lets the order through; `false` or a sentence refuses it.
 */
export type Verdict = boolean | string | undefined

/** Everything that a developer says about a game. See {@link defineGame}. */
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

/** A game definition without its state, from which the types of all the rest follow. */
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
  /** The held controls of a seat, one record per tick. Leave it out for games of orders alone. */
  readonly input?: I
  readonly orders?: O
  /** What a match can be configured with. */
  readonly options?: P
  /** Names of further random streams, each with its own sequence. */
  readonly random?: readonly N[]
  readonly derived?: D
  /** Columns to keep from the tick before, for drawing in between. */
  readonly render?: R
  /** The simulation's source text: two builds with different code then refuse each other at once. */
  readonly source?: string | readonly string[]
  /**
   * The files that every match of the game depends on, with their hashes: part of the fingerprint. What
   * only some matches use, such as the chosen map, is for `content` of `joinMatch`.
   */
  readonly content?: ContentManifest

  /** Fills the state before tick 1. */
  setup?(context: SetupContext<ShapeOf<S, I, O, P, N, D>>): void
  /** Says whether an order may run now. Must not change anything, and runs on every machine. */
  validate?(context: ValidateContext<ShapeOf<S, I, O, P, N, D>>): Verdict
  /**
   * Carries out one order, before the step. With it, each order is validated after the one before it
   * was applied; without it, all are validated first and `step` gets those that passed.
   */
  apply?(context: ApplyContext<ShapeOf<S, I, O, P, N, D>>): void
  /** One tick. Give either `step` or `systems`. */
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
