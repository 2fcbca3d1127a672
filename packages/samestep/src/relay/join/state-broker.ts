import type { OfferedState } from '../../link/transfer/state-offer.ts'
import type { FetchedState } from './donor-fetch.ts'
import { type AcquisitionParts, StateAcquisition } from './state-acquisition.ts'
import type { StatePeer } from './state-peer.ts'
import { type NoState, type ServerParts, StateServer } from './state-server.ts'

/** What a broker needs of the match around it. */
export interface BrokerParts<P extends StatePeer>
  extends ServerParts<P>,
    Pick<AcquisitionParts<P>, 'peers' | 'sealedTick' | 'tickRate'> {
  /** Whether players are away who may come back, and bring the state with them. */
  hasAbsent(): boolean
  /** A state came, for whoever waited or {@link StateBroker.order}ed it. */
  noteState?(state: OfferedState, nowMs: number): void
  /** What was asked for came to nothing. */
  noteNone?(why: NoState, nowMs: number): void
}

/**
 * Gets the state of a match for those who have none. The relay never runs the game, so a state comes
 * from the players, by {@link StateAcquisition}; everybody who waits gets the same copy of it. When
 * nothing comes of it, players are asked again, at most three times for each who waits.
 *
 * While at most one player is left, a state is kept all the time: when that one reloads the page,
 * nobody else could give it back.
 */
export class StateBroker<P extends StatePeer> {
  readonly #parts: BrokerParts<P>
  /** Those who need a state. */
  readonly server: StateServer<P>
  /** Where it comes from. */
  readonly acquisition: StateAcquisition<P>
  /** The newest that came, and until when it is kept for others. */
  #ready: (FetchedState<P> & { dropAtMs: number }) | undefined
  #isKeeping = false
  #nextKeepAtMs = never
  /** When somebody is asked again after nobody could say anything. */
  #retryAtMs = never

  constructor(parts: BrokerParts<P>) {
    this.#parts = parts
    const { peers, sealedTick, tickRate } = parts
    this.server = new StateServer(parts)
    this.acquisition = new StateAcquisition<P>({
      peers,
      sealedTick,
      tickRate,
      isWaiting: (peer) => this.server.isWaiting(peer),
      handleState: (fetched, nowMs) => {
        this.#ready = { ...fetched, dropAtMs: nowMs + readyMs }
        parts.noteState?.(fetched.state, nowMs)
        this.#serve(nowMs)
      },
      handleNone: (why, nowMs) => this.#retry(why, nowMs),
    })
  }

  /** The oldest tick that somebody who waits will need; `Infinity` for none. */
  get neededTick(): number {
    const comingTick = Math.min(this.acquisition.tick, this.server.oldestTick)
    return Math.min(this.#ready?.tick ?? never, comingTick) + 1
  }

  /** Whether there is a state at hand from which somebody could go on. */
  get isReady(): boolean {
    return this.#ready !== undefined && this.#ready.tick + 1 >= this.#parts.firstTick()
  }

  /** Somebody has no state, and wants one. */
  want(peer: P, nowMs: number): void {
    this.server.add(peer)
    this.#serve(nowMs)
  }

  /**
   * Somebody has another state than most, and wants theirs. It has no part in what is going on, neither
   * as a voter nor as a donor, and gets none that was agreed on before.
   */
  renew(peer: P, nowMs: number): void {
    this.#ready = undefined
    this.forget(peer, nowMs)
    this.want(peer, nowMs)
  }

  /** Asks for a state for others than those who wait here. False when nobody could give one. */
  order(nowMs: number): boolean {
    const { acquisition } = this
    return !acquisition.isIdle || (acquisition.isQuorate(nowMs) && acquisition.start(nowMs))
  }

  /** Somebody is gone, or lost its link: nothing is kept for it, and nothing is expected of it (T-62). */
  forget(peer: P, nowMs: number): void {
    this.server.forget(peer)
    this.acquisition.forget(peer, nowMs)
  }

  /** Keeps a state at hand while few are left who could give one. */
  setKeeping(isKeeping: boolean, nowMs: number): void {
    const isGoing = isKeeping && this.#nextKeepAtMs !== never
    this.#isKeeping = isKeeping
    if (isGoing) return
    this.#nextKeepAtMs = isKeeping && this.acquisition.hasVoter(nowMs) ? nowMs : never
  }

  /** Somebody loaded the state, or says that it is not what was promised. */
  handleLoaded(peer: P, tick: number, isGood: boolean, nowMs: number): void {
    if (!this.server.handleLoaded(peer, tick, isGood, nowMs)) return
    const ready = this.#ready
    if (!isGood && ready !== undefined && ready.tick === tick) {
      this.acquisition.suspect(ready.donor)
      this.#ready = undefined
    }
    if (this.server.fail(peer, 'no-donor', nowMs)) this.#serve(nowMs)
  }

  handleTime(nowMs: number): void {
    this.server.handleTime(nowMs)
    this.acquisition.handleTime(nowMs)
    if (nowMs >= this.#nextKeepAtMs) this.#keep(nowMs)
    if (nowMs >= this.#retryAtMs) this.#serve(nowMs)
    this.#dropOld(nowMs)
  }

  wakeAtMs(): number {
    const oldAtMs = this.#isKeeping ? never : (this.#ready?.dropAtMs ?? never)
    const ownAtMs = Math.min(this.#nextKeepAtMs, this.#retryAtMs)
    return Math.min(this.acquisition.wakeAtMs(), oldAtMs, ownAtMs, this.server.wakeAtMs())
  }

  /** While nobody is there who could give one, what is there stays, and nothing is asked. */
  #keep(nowMs: number): void {
    const hasVoter = this.acquisition.hasVoter(nowMs)
    this.#nextKeepAtMs = hasVoter ? nowMs + keepEveryMs : never
    if (hasVoter && this.acquisition.isIdle) this.acquisition.start(nowMs)
  }

  /** Gives what is ready to all who wait, or sees to it that something will be. */
  #serve(nowMs: number): void {
    this.#retryAtMs = never
    const { waiting } = this.server
    if (waiting.size === 0) return
    const ready = this.#ready
    const isOld = ready !== undefined && ready.tick + 1 < this.#parts.firstTick()
    if (isOld) this.#ready = undefined
    if (ready === undefined || isOld || this.isUnchecked(ready.state, nowMs)) {
      if (this.acquisition.isIdle) this.#start(nowMs)
      return
    }
    ready.dropAtMs = nowMs + readyMs
    for (const peer of [...waiting]) {
      // One player alone could give it any state at all: others may be back for the next vote.
      if (peer.isResyncing === true && !ready.state.manifest.isAgreed) {
        this.#ready = undefined
        if (this.server.fail(peer, 'no-majority', nowMs)) this.#retryAtMs = nowMs + retryMs
        continue
      }
      this.server.serve(peer, ready.state, nowMs)
    }
  }

  /** Whether it came from a single player, and other players can be asked now or soon. */
  isUnchecked({ manifest }: OfferedState, nowMs: number): boolean {
    return !manifest.isAgreed && this.acquisition.canCheck(nowMs)
  }

  #start(nowMs: number): void {
    const { acquisition } = this
    if (acquisition.isQuorate(nowMs) && acquisition.start(nowMs)) return
    // Whoever is expected back is waited for: until then, nothing has come to nothing.
    if (this.#parts.hasAbsent()) this.#retryAtMs = nowMs + retryMs
    else this.#retry('no-donor', nowMs)
  }

  /** It came to nothing: once more in a while, for those for whom it did not too often. */
  #retry(why: NoState, nowMs: number): void {
    this.#parts.noteNone?.(why, nowMs)
    this.server.failAll(why, nowMs)
    if (this.server.waiting.size > 0) this.#retryAtMs = nowMs + retryMs
  }

  /** What nobody asked for in a while is not worth its memory, nor the log behind it. */
  #dropOld(nowMs: number): void {
    const ready = this.#ready
    if (ready === undefined || this.#isKeeping || nowMs < ready.dropAtMs) return
    if (this.server.isServingAny) ready.dropAtMs = nowMs + readyMs
    else this.#ready = undefined
  }
}

const never = Number.POSITIVE_INFINITY

/** How long a state is kept for the next one who comes: a party arrives within a few seconds. */
const readyMs = 20_000

/** How often a state is fetched again where only one player could give it. */
const keepEveryMs = 20_000

/** How soon players are asked again when they could not say what the state is. */
const retryMs = 2_000
