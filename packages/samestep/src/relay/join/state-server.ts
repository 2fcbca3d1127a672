import { chunkCount, type Fetch } from '../../link/transfer/manifest.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { StatePeer } from './state-peer.ts'

/** Why there is no state for somebody: nobody has one, or no two of them have the same. */
export type NoState = 'no-donor' | 'no-majority'

/** What giving states away needs of the match around it. */
export interface ServerParts<P extends StatePeer> {
  /** The oldest tick that is still kept: a state from before it leads nowhere. */
  firstTick(): number
  /**
   * Somebody who waited has a good state: ticks follow from the one after it. `isAgreed` says whether
   * several players agreed on it.
   */
  begin(peer: P, tick: number, isAgreed: boolean, nowMs: number): void
  /** Nobody could give a state, or none was good: whoever waited cannot come in. */
  giveUp(peer: P, why: NoState, nowMs: number): void
}

/** What somebody is being given. */
interface Serving {
  readonly state: OfferedState
  /** Chunks that were asked for and that its line has not taken. */
  readonly wanted: number[]
}

/**
 * Those who need a state: first they wait until there is one, then they are given it as fast as their
 * lines take it. For whom it comes to nothing too often is given up.
 */
export class StateServer<P extends StatePeer> {
  readonly #parts: ServerParts<P>
  /** In the sequence in which they came. */
  readonly #waiting = new Set<P>()
  readonly #servings = new Map<P, Serving>()
  /** Of those who wait or are being served: how often it came to nothing. */
  readonly #failures = new Map<P, number>()
  #retryAtMs = Number.POSITIVE_INFINITY

  constructor(parts: ServerParts<P>) {
    this.#parts = parts
  }

  /** Those for whom there is no state yet. */
  get waiting(): ReadonlySet<P> {
    return this.#waiting
  }

  /** Whether somebody waits for a state, or is getting one. */
  isWaiting(peer: P): boolean {
    return this.#waiting.has(peer) || this.#servings.has(peer)
  }

  /** Whether somebody was told of a state, and is getting it. */
  isServing(peer: P): boolean {
    return this.#servings.has(peer)
  }

  get isServingAny(): boolean {
    return this.#servings.size > 0
  }

  /** The tick of the oldest state that somebody is getting; `Infinity` for none. */
  get oldestTick(): number {
    let oldest = Number.POSITIVE_INFINITY
    // Asked in every tick, and nearly always of nobody.
    if (this.#servings.size === 0) return oldest
    for (const { state } of this.#servings.values()) oldest = Math.min(oldest, state.manifest.tick)
    return oldest
  }

  /** Somebody has no state, and waits for one. */
  add(peer: P): void {
    this.#servings.delete(peer)
    this.#waiting.add(peer)
    if (!this.#failures.has(peer)) this.#failures.set(peer, 0)
  }

  /** Tells somebody who waits what there is; the rest is asked for. */
  serve(peer: P, state: OfferedState, nowMs: number): void {
    this.#waiting.delete(peer)
    this.#servings.set(peer, { state, wanted: [] })
    peer.channel?.sendControl(encodeMessage('RelayManifest', state.manifest), nowMs)
  }

  /** Somebody is gone, or has what it needs. */
  forget(peer: P): void {
    this.#waiting.delete(peer)
    this.#servings.delete(peer)
    this.#failures.delete(peer)
  }

  /** Nothing came for those who wait. */
  failAll(why: NoState, nowMs: number): void {
    for (const peer of [...this.#waiting]) this.fail(peer, why, nowMs)
  }

  /** It came to nothing. Gives whether somebody may try again. */
  fail(peer: P, why: NoState, nowMs: number): boolean {
    const failures = (this.#failures.get(peer) ?? 0) + 1
    this.#failures.set(peer, failures)
    if (failures < failuresMax) return true
    this.forget(peer)
    this.#parts.giveUp(peer, why, nowMs)
    return false
  }

  /** Somebody wants chunks. What is not there, or was asked for already, counts for nothing. */
  handleFetch(peer: P, { tick, first, count }: Fetch, nowMs: number): boolean {
    const serving = this.#servings.get(peer)
    if (serving === undefined || tick !== serving.state.manifest.tick) return false
    if (count === 0) {
      peer.channel?.sendControl(encodeMessage('RelayManifest', serving.state.manifest), nowMs)
      return false
    }
    const end = Math.min(first + count, chunkCount(serving.state.manifest.bytes))
    for (let index = first; index < end; index++) {
      if (serving.wanted.length < wantedMax) serving.wanted.push(index)
    }
    this.#send(peer, serving, nowMs)
    return true
  }

  /**
   * Somebody loaded what it was given, and begins; or says that it is not what was promised, and waits
   * for another. Gives whether it waits again.
   */
  handleLoaded(peer: P, tick: number, isGood: boolean, nowMs: number): boolean {
    const serving = this.#servings.get(peer)
    if (serving === undefined) return false
    if (isGood && tick + 1 >= this.#parts.firstTick()) {
      this.forget(peer)
      this.#parts.begin(peer, tick, serving.state.manifest.isAgreed, nowMs)
      return false
    }
    this.add(peer)
    return true
  }

  handleTime(nowMs: number): void {
    if (nowMs < this.#retryAtMs) return
    this.#retryAtMs = Number.POSITIVE_INFINITY
    for (const [peer, serving] of this.#servings) this.#send(peer, serving, nowMs)
  }

  wakeAtMs(): number {
    return this.#retryAtMs
  }

  #send(peer: P, { state, wanted }: Serving, nowMs: number): void {
    const { channel } = peer
    if (channel === undefined) return
    for (let index = wanted[0]; index !== undefined; index = wanted[0]) {
      if (!channel.sendBulk(encodeMessage('RelayChunk', state.chunk(index)), nowMs)) break
      wanted.shift()
    }
    if (wanted.length > 0) this.#retryAtMs = Math.min(this.#retryAtMs, nowMs + retryMs)
  }
}

/** States and downloads that come to nothing before somebody is told that it cannot be done. */
const failuresMax = 3

/** Chunks that somebody may have asked for and not been sent: twice what one message asks for. */
const wantedMax = 32

/** How soon a full line is tried again. */
const retryMs = 20
