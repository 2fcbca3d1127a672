import { chunkCount, type Fetch } from '../../link/transfer/manifest.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { StatePeer } from './state-peer.ts'

/** What somebody is being given. */
interface Serving {
  readonly state: OfferedState
  /** Chunks that were asked for and that its line has not taken. */
  readonly wanted: number[]
}

/** Gives a state to those who need it, as fast as their lines take it. */
export class StateServer<P extends StatePeer> {
  readonly #servings = new Map<P, Serving>()
  #retryAtMs = Number.POSITIVE_INFINITY

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

  isServing(peer: P): boolean {
    return this.#servings.has(peer)
  }

  /** Tells somebody what there is; the rest is asked for. */
  serve(peer: P, state: OfferedState, nowMs: number): void {
    this.#servings.set(peer, { state, wanted: [] })
    peer.channel?.sendControl(encodeMessage('RelayManifest', state.manifest), nowMs)
  }

  forget(peer: P): void {
    this.#servings.delete(peer)
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

/** Chunks that somebody may have asked for and not been sent: twice what one message asks for. */
const wantedMax = 32

/** How soon a full line is tried again. */
const retryMs = 20
