import { UsageError } from '../../../base/errors.ts'
import { gameIdPattern, seatsMax, tickRateMax } from '../../limits.ts'
import type { AnyField } from '../../schema/field.ts'
import type { StructField } from '../../schema/index.ts'
import { struct } from '../../schema/index.ts'
import { checkRefs } from '../../state/column-set.ts'
import type { DeclarationContext, PartDeclarations } from '../../state/part.ts'
import type { RenderDeclaration } from '../../state/previous.ts'
import { checkRender } from '../../state/previous.ts'
import type { DerivedDeclarations } from '../derived/derived.ts'
import type { OrderDeclarations } from '../orders/order.ts'
import { OrderCodec } from '../orders/order.ts'
import type { ContentManifest } from './content.ts'
import { contentFault } from './content.ts'
import type { GameShape, InputFields, System, SystemDeclaration } from './context.ts'
import type { GameDefinition, GameRules, ShapeOf } from './definition.ts'
import type { Fingerprint } from './fingerprint.ts'
import { fingerprintOf } from './fingerprint.ts'
import { checkHistories } from './histories.ts'
import type { DeclaredState, PartsOf, StateHints } from './state-hints.ts'

/** A checked game, ready to be simulated, joined or replayed. Made by {@link defineGame}. */
export interface Game<G extends GameShape = GameShape, R = unknown> {
  readonly id: string
  readonly version: number
  readonly tickRate: number
  readonly seats: { readonly min: number; readonly max: number }
  /** Machines whose fingerprints differ would desync, and cannot join the same match. */
  readonly fingerprint: Fingerprint
  /** The files that every match of the game depends on; pass those of a single match to `joinMatch`. */
  readonly content: ContentManifest
  readonly orderCodec: OrderCodec
  readonly inputCodec: StructField<InputFields>
  readonly optionsCodec: StructField<InputFields>
  readonly systems: readonly System<G>[]
  readonly streams: readonly string[]
  readonly render: R
  /** The definition, for the simulation. */
  readonly definition: AnyDefinition<G>
}

/** A definition whose exact types only its own game knows. */
export type AnyDefinition<G extends GameShape> = GameDefinition<
  G['state'],
  G['input'],
  G['orders'],
  G['options'],
  G['random'],
  G['derived'],
  // biome-ignore lint/suspicious/noExplicitAny: the columns to keep were checked against the state.
  any
>

// biome-ignore lint/complexity/noBannedTypes: the record without fields.
type None = {}

/**
 * Defines a game: its state, what players can do, and one pure step. The same definition runs in
 * browsers, in Node, in tests and in replays.
 *
 * The whole definition is checked at once, so that a mistake shows when the game starts and not during a
 * match.
 *
 * @throws UsageError `SS_BAD_DEFINITION`, with a message that says what to write instead.
 *
 * @example
 * ```ts
 * export const dots = defineGame({
 *   id: 'dots', version: 1, tickRate: 30, seats: { min: 1, max: 8 },
 *   state: { dots: table(8, { x: i16, y: i16 }) },
 *   orders: { move: { dx: i8, dy: i8 } },
 *   setup({ state, seats }) {
 *     for (let seat = 0; seat < seats; seat++) state.dots.add({ x: 10 * seat })
 *   },
 *   step({ state, orders }) {
 *     for (const { seat, data } of orders) {
 *       state.dots.x[seat] += data.dx
 *       state.dots.y[seat] += data.dy
 *     }
 *   },
 * })
 * ```
 */
export function defineGame<
  const S extends DeclaredState,
  const I extends InputFields = None,
  const O extends OrderDeclarations = None,
  const P extends InputFields = None,
  const N extends string = never,
  const D extends DerivedDeclarations = None,
  const R extends RenderDeclaration<PartsOf<S>> = None,
>(
  given: GameRules<PartsOf<S>, I, O, P, N, D, R> & { readonly state: S & StateHints<S> },
): Game<{ state: PartsOf<S>; input: I; orders: O; options: P; random: N; derived: D }, R> {
  // What the compiler could not refuse, in JavaScript, checkState does.
  const definition = given as unknown as GameDefinition<PartsOf<S>, I, O, P, N, D, R>
  checkIdentity(definition)
  checkState(definition.state, definition.version)
  if (definition.render !== undefined) checkRender(definition.render, definition.state)
  const systems = collectSystems(definition)
  const orderCodec = new OrderCodec(definition.orders ?? {})
  checkOrders(orderCodec, definition)
  const inputCodec = struct(definition.input ?? {}) as StructField<InputFields>
  const optionsCodec = struct(definition.options ?? {}) as StructField<InputFields>
  const streams = definition.random ?? []
  checkStreams(streams)
  const contentProblem = contentFault(definition.content ?? {})
  if (contentProblem !== undefined) {
    refuse(`Cannot define game '${definition.id}' with this content: ${contentProblem}`)
  }
  const tickRate = definition.tickRate ?? 30
  return Object.freeze({
    id: definition.id,
    version: definition.version,
    tickRate,
    seats: definition.seats,
    fingerprint: fingerprintOf({
      definition,
      tickRate,
      orders: orderCodec.describe(),
      input: inputCodec.describe(),
      options: optionsCodec.describe(),
      systems: systems.map(({ name }) => name),
      streams,
    }),
    content: Object.freeze({ ...definition.content }),
    orderCodec,
    inputCodec,
    optionsCodec,
    systems,
    streams,
    render: (definition.render ?? {}) as R,
    definition,
  }) as Game<ShapeOf<PartsOf<S>, I, O, P, N, D>, R>
}

/** The parts of a definition that are checked without knowing its exact types. */
type Checked = {
  readonly id: string
  readonly version: number
  readonly tickRate?: number
  readonly seats: { readonly min: number; readonly max: number }
  readonly orders?: object
  readonly apply?: unknown
  readonly state: PartDeclarations
}

function refuse(message: string): never {
  throw new UsageError('SS_BAD_DEFINITION', message)
}

const namePattern = /^[A-Za-z][A-Za-z0-9_]*$/

function checkIdentity({ id, version, tickRate, seats }: Checked): void {
  if (typeof id !== 'string' || !gameIdPattern.test(id)) {
    refuse(
      `Cannot define a game with id '${id}': use up to 63 lower-case letters, digits and hyphens, such as 'space-miners'`,
    )
  }
  if (!Number.isInteger(version) || version < 1) {
    refuse(`Cannot define game '${id}' with version ${version}: write a whole number from 1`)
  }
  if (
    tickRate !== undefined &&
    (!Number.isInteger(tickRate) || tickRate < 1 || tickRate > tickRateMax)
  ) {
    refuse(
      `Cannot define game '${id}' with tickRate ${tickRate}: write whole ticks per second from 1 to ${tickRateMax}`,
    )
  }
  const { min, max } = seats ?? {}
  const isFine =
    Number.isInteger(min) && Number.isInteger(max) && min >= 1 && min <= max && max <= seatsMax
  if (!isFine) {
    refuse(
      `Cannot define game '${id}' with seats ${JSON.stringify(seats)}: write { min, max } with 1 ≤ min ≤ max ≤ ${seatsMax}`,
    )
  }
}

function checkState(state: PartDeclarations, version: number): void {
  if (typeof state !== 'object' || state === null) {
    refuse('Cannot define a game without state: write state: { units: table(100, { x: fixed }) }')
  }
  const entries = Object.entries(state)
  const tables = new Set(entries.filter(([, part]) => part?.kind === 'table').map(([name]) => name))
  for (const [name, part] of entries) {
    if (!namePattern.test(name)) {
      refuse(`Cannot name a part of the state '${name}': use letters, digits and _`)
    }
    if (typeof part?.create !== 'function') {
      if (isField(part)) {
        const wrapped = part.column === undefined ? 'plain(struct({ … }))' : 'single({ … })'
        refuse(
          `Cannot use the field ${part.kind} as state.${name}: wrap it: ${wrapped.replace('…', `${name}: ${part.kind}`)}`,
        )
      }
      refuse(
        `Cannot use ${JSON.stringify(part)} as state.${name}: write table(…), single(…), queue(…), plain(…) or custom(…)`,
      )
    }
    part.check(`state.${name}`, { tables })
    checkHistories(`state.${name}`, part.describe(), version)
  }
}

/** Fields look like parts to who writes the first game: both are words for what there is. */
function isField(value: unknown): value is AnyField {
  return typeof value === 'object' && value !== null && 'makeDefault' in value && 'bitsMax' in value
}

function collectSystems(definition: {
  readonly id: string
  readonly step?: unknown
  readonly systems?: readonly SystemDeclaration<never>[]
}): readonly System<never>[] {
  const { step, systems, id } = definition
  if ((step === undefined) === (systems === undefined)) {
    refuse(
      `Cannot define game '${id}' with ${step === undefined ? 'neither step nor systems' : 'both step and systems'}: give one of them`,
    )
  }
  if (systems === undefined) {
    if (typeof step !== 'function') refuse(`Cannot use ${typeof step} as the step of game '${id}'`)
    return [{ name: 'step', run: step as System<never>['run'] }]
  }
  const named = systems.map((entry) =>
    typeof entry === 'function' ? { name: entry.name, run: entry } : entry,
  )
  const seen = new Set<string>()
  for (const { name, run } of named) {
    if (typeof run !== 'function') refuse(`Cannot use system '${name}': it has no run function`)
    if (name === '') refuse("Cannot use a system without a name: write system('movement', …)")
    if (seen.has(name)) refuse(`Cannot use two systems named '${name}': their reports would mix`)
    seen.add(name)
  }
  return named
}

function checkOrders(codec: OrderCodec, { id, apply, state }: Checked): void {
  const entries = Object.entries(state)
  const context: DeclarationContext = {
    tables: new Set(entries.filter(([, part]) => part.kind === 'table').map(([name]) => name)),
  }
  for (const { name, whenPaused, codec: fields } of codec.types) {
    checkRefs(`orders.${name}`, fields, context)
    if (whenPaused && apply === undefined) {
      refuse(
        `Cannot let order '${name}' of game '${id}' run while paused: step does not run then; write apply({ state, order }) to run it`,
      )
    }
  }
}

function checkStreams(streams: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of streams) {
    if (!namePattern.test(name))
      refuse(`Cannot name a random stream '${name}': use letters and digits`)
    if (seen.has(name)) refuse(`Cannot declare the random stream '${name}' twice`)
    seen.add(name)
  }
}
