import { WireError } from '../../base/errors.ts'
import type { RecentTicks } from '../../desync/recent/recent-ticks.ts'
import type { OrderOutbox } from '../outbox/order-outbox.ts'
import type { BundleInbox } from '../run/bundle-inbox.ts'
import { joinMatchState } from '../state/match-state.ts'
import { RecoveryKeep } from './recovery-keep.ts'

/** The match whose relay may be lost. */
export interface RecoverySource {
  readonly simulation: { readonly matchTick: number }
  readonly recent: RecentTicks
  readonly inbox: BundleInbox
  readonly orders: OrderOutbox
  readonly isWaitingForState: boolean
}

/** A state that a client has of its own, and the bundles from there on. */
export interface BackState {
  readonly tick: number
  readonly state: Uint8Array
  readonly bundles: readonly Uint8Array[]
}

/**
 * How a client goes on when its relay was lost: it gives the next one what it kept, goes back when it had
 * run further than most, and settles or repeats the orders that the lost one had.
 */
export class MatchRecovery {
  readonly keep: RecoveryKeep
  readonly #source: RecoverySource
  /** Orders below a number that are lost unless they are in a tick up to this one. */
  #lost: { readonly tick: number; readonly below: number } | undefined

  constructor(source: RecoverySource, tickRate: number) {
    this.#source = source
    this.keep = new RecoveryKeep(tickRate)
  }

  /** A tick ran. */
  noteRan(bundle: Uint8Array): void {
    this.keep.noteRan(this.#source.simulation.matchTick, bundle)
    if (this.#lost !== undefined) this.#settleLost(this.#lost)
  }

  /** The oldest tick that this client can go back to by itself, and run everything again from there. */
  get backTick(): number {
    const { simulation, recent } = this.#source
    const { matchTick } = simulation
    const from = Math.max(this.keep.oldestTick - 1, 0)
    return Math.min(recent.states.oldestFrom(from)?.tick ?? matchTick, matchTick)
  }

  /** The newest state up to a tick, and the bundles from it up to that tick. */
  stateBefore(tick: number): BackState | undefined {
    const kept = this.#source.recent.states.newestUpTo(tick)
    if (kept === undefined) return undefined
    const bundles: Uint8Array[] = []
    for (let at = kept.tick + 1; at <= tick; at++) {
      const bundle = this.keep.at(at)
      if (bundle === undefined) return undefined
      bundles.push(bundle)
    }
    return { tick: kept.tick, state: joinMatchState(kept.words, kept.snapshot), bundles }
  }

  /**
   * The match goes on from a tick, and what came behind it never was. Gives where to begin again, when
   * that was run; what only waited to be run is dropped.
   *
   * @throws WireError when there is no state from before: the relay was told so.
   */
  rewind(tick: number): BackState | undefined {
    const { simulation, inbox, isWaitingForState } = this.#source
    if (simulation.matchTick <= tick || isWaitingForState) {
      inbox.truncate(tick)
      return undefined
    }
    const kept = this.stateBefore(tick)
    if (kept !== undefined) return kept
    throw new WireError('SS_WIRE_MISMATCH', 0, `Cannot go back to tick ${tick}`)
  }

  /** What to tell a relay that does not know the match. */
  give(): ReturnType<RecoveryKeep['give']> {
    const { inbox } = this.#source
    return this.keep.give(inbox.receivedTick, (tick) => inbox.at(tick))
  }

  /**
   * Another relay goes on from a tick: orders that the lost one took, and that are in no tick up to it,
   * are lost; all later ones are sent again.
   */
  rewindOrders(nextOrder: number, rebuiltTick: number): void {
    this.#source.orders.rewind(nextOrder)
    this.keep.forgetTags()
    this.#lost = { tick: rebuiltTick, below: nextOrder }
    this.#settleLost(this.#lost)
  }

  #settleLost({ tick, below }: { readonly tick: number; readonly below: number }): void {
    if (this.#source.simulation.matchTick < tick) return
    this.#lost = undefined
    this.#source.orders.loseBelow(below)
  }
}
