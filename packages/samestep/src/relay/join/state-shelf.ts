import type { Fetch } from '../../link/transfer/manifest.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import type { NoState } from './state-broker.ts'
import type { StatePeer } from './state-peer.ts'
import { StateServer } from './state-server.ts'

/** What a shelf needs of the match around it. */
export interface ShelfParts<P extends StatePeer> {
  /** When a tick is old enough to be seen: in the past for those that are. */
  dueAtMs(tick: number): number
  /** The oldest tick that is still kept: a state from before it leads nowhere. */
  firstTick(): number
  /** Whether somebody watches, or waits to. */
  hasAudience(): boolean
  /** Asks players for the state of now. It comes by {@link StateShelf.add}. False when nobody is there. */
  order(nowMs: number): boolean
  /** Whether players are away who may come back, and bring the state with them. */
  hasAbsent(): boolean
  /** Somebody who waited has a good state: ticks follow from the one after it. */
  begin(peer: P, tick: number, nowMs: number): void
  /** Nobody could give a state, or none was good: whoever waited cannot come in. */
  giveUp(peer: P, why: NoState, nowMs: number): void
}

/**
 * States for those who see the match later than it happens. A state of now would show them what they
 * must not see yet, so each is put on a shelf until it is old enough.
 *
 *     fetched          a               b               c
 *     old enough       └── delay ──► a └── delay ──► b └── …
 *                                    └ who comes now gets a, and the ticks after it
 *
 * While somebody watches there is always one that is old enough, and one that will be. The first
 * spectator of a long match waits for as long as the delay is.
 */
export class StateShelf<P extends StatePeer> {
  readonly #parts: ShelfParts<P>
  readonly #everyMs: number
  readonly #server = new StateServer<P>()
  /** Those who need a state. */
  readonly #waiting = new Set<P>()
  /** Of those who wait or are being served: how often it came to nothing. */
  readonly #failures = new Map<P, number>()
  /** Oldest first; at most one of them is old enough, and that is the first. */
  #states: OfferedState[] = []
  #orderAtMs = Number.NEGATIVE_INFINITY
  #isOrdered = false

  constructor(delayMs: number, parts: ShelfParts<P>) {
    this.#parts = parts
    this.#everyMs = Math.max(delayMs, everyMsMin)
  }

  /** The oldest tick that somebody will need who gets one of these; `Infinity` for none. */
  get neededTick(): number {
    const oldest = this.#states[0]?.manifest.tick ?? never
    return Math.min(oldest, this.#server.oldestTick) + 1
  }

  /** Those for whom there is no state yet. */
  get waiting(): ReadonlySet<P> {
    return this.#waiting
  }

  /** Whether somebody waits for a state, or is getting one. */
  isWaiting(peer: P): boolean {
    return this.#waiting.has(peer) || this.#server.isServing(peer)
  }

  want(peer: P, nowMs: number): void {
    this.#server.forget(peer)
    this.#waiting.add(peer)
    if (!this.#failures.has(peer)) this.#failures.set(peer, 0)
    this.#settle(nowMs)
  }

  /** Somebody is gone, or lost its link. */
  forget(peer: P): void {
    this.#waiting.delete(peer)
    this.#server.forget(peer)
    this.#failures.delete(peer)
  }

  /** A state came from the players. */
  add(state: OfferedState, nowMs: number): void {
    const newest = this.#states.at(-1)
    // Of two that are not old enough, the earlier one is so first.
    const isEnough = newest !== undefined && this.#parts.dueAtMs(newest.manifest.tick) > nowMs
    if (!this.#isOrdered && (isEnough || !this.#parts.hasAudience())) return
    this.#isOrdered = false
    if (newest === undefined || newest.manifest.tick < state.manifest.tick) this.#states.push(state)
    this.#settle(nowMs)
  }

  /** What was ordered does not come. */
  noteNone(why: NoState, nowMs: number): void {
    if (!this.#isOrdered) return
    this.#isOrdered = false
    this.#orderAtMs = nowMs + retryMs
    if (this.#states.length > 0) return
    for (const peer of [...this.#waiting]) this.#noteFailure(peer, why, nowMs)
  }

  /** Somebody asks for a part of the state that it was told of. Gives whether that counts as progress. */
  handleFetch(peer: P, fetch: Fetch, nowMs: number): boolean {
    return this.#server.handleFetch(peer, fetch, nowMs)
  }

  /** Somebody loaded the state, or says that it is not what was promised. */
  handleLoaded(peer: P, tick: number, isGood: boolean, nowMs: number): void {
    if (!this.#server.isServing(peer)) return
    if (isGood && tick + 1 >= this.#parts.firstTick()) {
      this.forget(peer)
      this.#parts.begin(peer, tick, nowMs)
      return
    }
    // Whoever says so may be the one who lies: the next state decides, not the word of one.
    this.#states = this.#states.filter(({ manifest }) => manifest.tick !== tick)
    this.#server.forget(peer)
    this.#waiting.add(peer)
    if (this.#noteFailure(peer, 'no-donor', nowMs)) this.#settle(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#server.handleTime(nowMs)
    if (nowMs >= this.#settleAtMs) this.#settle(nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.#server.wakeAtMs(), this.#settleAtMs)
  }

  /** When the next state is to be ordered or the last ones dropped, or one is old enough for somebody. */
  get #settleAtMs(): number {
    const [first] = this.#states
    const isDone = this.#parts.hasAudience() ? this.#isOrdered : first === undefined
    const orderAtMs = isDone ? never : this.#orderAtMs
    if (this.#waiting.size === 0 || first === undefined) return orderAtMs
    return Math.min(orderAtMs, this.#parts.dueAtMs(first.manifest.tick))
  }

  /** Gives what is old enough to all who wait, drops what is older, and sees to the next. */
  #settle(nowMs: number): void {
    const { dueAtMs, firstTick } = this.#parts
    const isDue = (state: OfferedState | undefined) =>
      state !== undefined && dueAtMs(state.manifest.tick) <= nowMs
    while (isDue(this.#states[1])) this.#states.shift()
    // Whoever reloads a page finds them until then; after that, the ticks behind them are not needed.
    if (nowMs >= this.#orderAtMs && !this.#parts.hasAudience()) this.#states = []
    const [first] = this.#states
    if (first !== undefined && first.manifest.tick + 1 < firstTick()) this.#states.shift()
    else if (first !== undefined && isDue(first)) {
      for (const peer of this.#waiting) {
        this.#waiting.delete(peer)
        this.#server.serve(peer, first, nowMs)
      }
    }
    this.#orderNext(nowMs)
  }

  #orderNext(nowMs: number): void {
    if (this.#isOrdered || nowMs < this.#orderAtMs || !this.#parts.hasAudience()) return
    if (this.#parts.order(nowMs)) {
      this.#isOrdered = true
      this.#orderAtMs = nowMs + this.#everyMs
      return
    }
    this.#orderAtMs = nowMs + retryMs
    if (this.#parts.hasAbsent() || this.#states.length > 0) return
    for (const peer of [...this.#waiting]) this.#noteFailure(peer, 'no-donor', nowMs)
  }

  /** Gives whether somebody may try again. */
  #noteFailure(peer: P, why: NoState, nowMs: number): boolean {
    const failures = (this.#failures.get(peer) ?? 0) + 1
    this.#failures.set(peer, failures)
    if (failures < failuresMax) return true
    this.forget(peer)
    this.#parts.giveUp(peer, why, nowMs)
    return false
  }
}

const never = Number.POSITIVE_INFINITY

/** The shortest time between two states: what it costs those who play must not be noticed. */
export const everyMsMin = 20_000

/** How soon players are asked again when they could not give one. */
const retryMs = 2_000

/** States and downloads that come to nothing before somebody is told that it cannot be done. */
const failuresMax = 3
