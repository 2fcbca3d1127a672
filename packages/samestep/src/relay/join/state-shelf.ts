import type { OfferedState } from '../../link/transfer/state-offer.ts'
import type { StatePeer } from './state-peer.ts'
import { type NoState, type ServerParts, StateServer } from './state-server.ts'

/** What a shelf needs of the match around it. */
export interface ShelfParts<P extends StatePeer> extends ServerParts<P> {
  /** When a tick is old enough to be seen: in the past for those that are. */
  dueAtMs(tick: number): number
  /** Whether somebody watches, or waits to. */
  hasAudience(): boolean
  /** Asks players for the state of now. It comes by {@link StateShelf.add}. False when nobody is there. */
  order(nowMs: number): boolean
  /** Whether players are away who may come back, and bring the state with them. */
  hasAbsent(): boolean
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
 * spectator of a long match waits for as long as the delay is. So does whoever gave up its state and its
 * seat at once: it has run ticks that are younger than what is old enough, and must not go back.
 */
export class StateShelf<P extends StatePeer> {
  readonly #parts: ShelfParts<P>
  readonly #everyMs: number
  /** Those who need a state. */
  readonly server: StateServer<P>
  /** Oldest first; at most one of them is old enough, and that is the first. */
  #states: OfferedState[] = []
  #orderAtMs = Number.NEGATIVE_INFINITY
  #isOrdered = false

  constructor(delayMs: number, parts: ShelfParts<P>) {
    this.#parts = parts
    this.server = new StateServer(parts)
    this.#everyMs = Math.max(delayMs, everyMsMin)
  }

  /** The oldest tick that somebody will need who gets one of these; `Infinity` for none. */
  get neededTick(): number {
    const oldest = this.#states[0]?.manifest.tick ?? never
    return Math.min(oldest, this.server.oldestTick) + 1
  }

  want(peer: P, nowMs: number): void {
    this.server.add(peer)
    // None of those that are here will ever do for it: the next one need not be far off.
    if (this.#states.length > 0 && this.#stateFor(peer) === undefined) this.#orderAtMs = nowMs
    this.#settle(nowMs)
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

  /** The state came from a single player, and others can be asked soon: it is ordered again. */
  noteUnchecked(nowMs: number): void {
    if (!this.#isOrdered) return
    this.#isOrdered = false
    this.#orderAtMs = nowMs + retryMs
  }

  /** What was ordered does not come. */
  noteNone(why: NoState, nowMs: number): void {
    if (!this.#isOrdered) return
    this.#isOrdered = false
    this.#orderAtMs = nowMs + retryMs
    this.#failUnserved(why, nowMs)
  }

  /** Somebody loaded the state, or says that it is not what was promised. */
  handleLoaded(peer: P, tick: number, isGood: boolean, nowMs: number): void {
    if (!this.server.handleLoaded(peer, tick, isGood, nowMs)) return
    // Whoever says so may be the one who lies: the next state decides, not the word of one.
    this.#states = this.#states.filter(({ manifest }) => manifest.tick !== tick)
    if (this.server.fail(peer, 'no-donor', nowMs)) this.#settle(nowMs)
  }

  handleTime(nowMs: number): void {
    this.server.handleTime(nowMs)
    if (nowMs >= this.#settleAtMs) this.#settle(nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.server.wakeAtMs(), this.#settleAtMs)
  }

  /** When the next state is to be ordered or the last ones dropped, or one is old enough for somebody. */
  get #settleAtMs(): number {
    const isDone = this.#parts.hasAudience() ? this.#isOrdered : this.#states.length === 0
    let atMs = isDone ? never : this.#orderAtMs
    // Asked first: an iterator makes garbage in every tick of every match.
    if (this.server.waiting.size === 0) return atMs
    for (const peer of this.server.waiting) {
      const state = this.#stateFor(peer)
      if (state !== undefined) atMs = Math.min(atMs, this.#parts.dueAtMs(state.manifest.tick))
    }
    return atMs
  }

  /** The first state that somebody can go on from. */
  #stateFor({ haveTick = 0 }: P): OfferedState | undefined {
    return this.#states.find(({ manifest }) => manifest.tick >= haveTick)
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
      for (const peer of this.server.waiting) {
        if (this.#stateFor(peer) === first) this.server.serve(peer, first, nowMs)
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
    if (!this.#parts.hasAbsent()) this.#failUnserved('no-donor', nowMs)
  }

  /** Nothing came for those who wait, and nothing is here that will do for them. */
  #failUnserved(why: NoState, nowMs: number): void {
    for (const peer of [...this.server.waiting]) {
      if (this.#stateFor(peer) === undefined) this.server.fail(peer, why, nowMs)
    }
  }
}

const never = Number.POSITIVE_INFINITY

/** The shortest time between two states: what it costs those who play must not be noticed. */
export const everyMsMin = 20_000

/** How soon players are asked again when they could not give one. */
const retryMs = 2_000
