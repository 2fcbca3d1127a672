import type { SyncHash } from '../../hash/tree.ts'
import type { PartDeclarations, ViewOf } from '../../state/part.ts'
import type { BlendOf, PreviousOf } from '../../state/previous.ts'
import { PreviousTick } from '../../state/previous.ts'
import type { SinglePart } from '../../state/single.ts'
import type { State } from '../../state/state.ts'
import type { TableFields } from '../../state/table-rows.ts'
import type { GameOptions, GameShape } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { KindPolicy } from '../orders/order.ts'
import { SystemState } from './system-state.ts'

/** What is fixed before tick 0. */
export interface SimulationTerms<G extends GameShape> {
  readonly matchId: string
  readonly seats: number
  /** Complete, checked and frozen. */
  readonly options: Readonly<GameOptions<G>>
  readonly seed: number | string
  readonly orderPolicy: readonly KindPolicy[]
}

/** The read-only side of a simulation, available in whichever thread it runs. */
export abstract class SimulationView<G extends GameShape = GameShape, R = unknown> {
  readonly game: Game<G, R>
  readonly seats: number
  readonly options: Readonly<GameOptions<G>>
  readonly seed: number | string
  readonly matchId: string
  /** Which kinds of orders the match allows, by the number of the kind. */
  readonly orderPolicy: readonly KindPolicy[]
  /** All parts, the engine's own included: for snapshots, hashes and tools. */
  readonly parts: State<PartDeclarations>
  /** What is kept of the previous tick, for showing this simulation in another thread. */
  readonly previousTick: PreviousTick<PartDeclarations, object>
  protected readonly system: SystemState

  protected constructor(
    game: Game<G, R>,
    terms: SimulationTerms<G>,
    parts: State<PartDeclarations>,
  ) {
    this.game = game
    this.seats = terms.seats
    this.options = terms.options
    this.seed = terms.seed
    this.matchId = terms.matchId
    this.orderPolicy = terms.orderPolicy
    this.parts = parts
    this.system = new SystemState(parts.part('#system') as SinglePart<TableFields>)
    this.previousTick = new PreviousTick(parts, (game.render ?? {}) as object)
  }

  /** The game's clock: the number of ticks that ran, as `step` sees it. A pause stops it. */
  get tick(): number {
    return this.system.tick
  }

  /**
   * The number of the last bundle that ran; 0 after setup. It also increases in a pause; hashes and orders
   * use it.
   */
  get matchTick(): number {
    return this.system.matchTick
  }

  get isPaused(): boolean {
    return this.system.isPaused
  }

  /** The match's speed in percent of the tick rate, as last set by an event. */
  get speedPercent(): number {
    return this.system.speedPercent
  }

  /** Ticks between making an input and executing it, as last set by an event; 0 before the first. */
  get inputDelay(): number {
    return this.system.inputDelay
  }

  /** Whether a seat has a player, according to the join and leave events so far. */
  isPresent(seat: number): boolean {
    return this.system.isPresent(seat)
  }

  /** The current state, read-only. */
  get view(): ViewOf<G['state']> {
    return this.parts.view as ViewOf<G['state']>
  }

  /** The columns named in `render`, as they were one tick earlier. */
  get previous(): PreviousOf<G['state'], R> {
    return this.previousTick.previous as PreviousOf<G['state'], R>
  }

  /** Values interpolated between the two ticks: `blend.units.x(row, alpha)`. */
  get blend(): BlendOf<R> {
    return this.previousTick.blend as BlendOf<R>
  }

  /** The sync hash after an earlier match tick, or `undefined` if it is no longer remembered. */
  abstract syncHashAt(tick: number): SyncHash | undefined
}
