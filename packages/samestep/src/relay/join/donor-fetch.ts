import { WireError } from '../../base/errors.ts'
import { type Chunk, isSameBytes, type Manifest } from '../../link/transfer/manifest.ts'
import { StateFetch } from '../../link/transfer/state-fetch.ts'
import type { OfferedState } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { chunkBytes, chunkHashBytes, chunksMax } from '../../wire/messages/state-transfer.ts'
import type { StatePeer } from './state-peer.ts'
import type { VoteResult } from './state-vote.ts'

/** A state that came, and who gave it. */
export interface FetchedState<P> {
  readonly tick: number
  readonly state: OfferedState
  readonly donor: P
}

/**
 * Gets a state from one of the players who agreed on it, and from the next one if that one stalls or
 * goes; what was checked is kept (T-61). A donor gives a quarter of its line at most.
 */
export class DonorFetch<P extends StatePeer> {
  readonly tick: number
  readonly #agreed: VoteResult<P>
  readonly #fetch: StateFetch
  /** Those who can still be asked, the best one last. */
  readonly #donors: P[]
  #donor: P | undefined
  #stalledMs = 0

  constructor(tick: number, agreed: VoteResult<P>, donors: readonly P[], nowMs: number) {
    this.tick = tick
    this.#agreed = agreed
    this.#fetch = new StateFetch(tick, { windowMax: 4, share: 0.25 }, nowMs)
    this.#donors = [...donors].sort((one, other) => distanceOf(other) - distanceOf(one))
    this.#next(nowMs)
  }

  /** Whether nobody is left to ask. */
  get isOver(): boolean {
    return this.#donor === undefined
  }

  /** The state, once it is here. */
  result(): FetchedState<P> | undefined {
    const donor = this.#donor
    if (donor === undefined || !this.#fetch.isComplete) return undefined
    const { isAgreed } = this.#agreed
    return { tick: this.tick, state: this.#fetch.offer(isAgreed), donor }
  }

  /** Somebody is gone. Gives whether that changes anything. */
  forget(peer: P, nowMs: number): boolean {
    const index = this.#donors.indexOf(peer)
    if (index >= 0) this.#donors.splice(index, 1)
    if (peer !== this.#donor) return false
    this.#next(nowMs)
    return true
  }

  /** Somebody goes on over another link: what it was asked for may have got lost. */
  handleMoved(peer: P, nowMs: number): void {
    if (peer !== this.#donor) return
    this.#fetch.restart(nowMs)
    this.#ask(nowMs)
  }

  /** @throws WireError for a manifest that contradicts itself. */
  handleManifest(peer: P, manifest: Manifest, nowMs: number): void {
    // A slow donor may answer when it was given up, and is asked for another state by now.
    if (peer !== this.#donor || manifest.tick !== this.tick) return
    if (!isSameBytes(manifest.hash, this.#agreed.hash)) {
      throw new WireError('SS_WIRE_MISMATCH', 0, 'A state other than the one that was agreed on')
    }
    this.#fetch.handleManifest(manifest, nowMs)
    this.#ask(nowMs)
  }

  /** @throws WireError for a chunk that is not what was announced. */
  handleChunk(peer: P, chunk: Chunk, nowMs: number): void {
    if (peer !== this.#donor) return
    this.#fetch.handleChunk(chunk, nowMs, peer.rttMs ?? 0)
    this.#ask(nowMs)
  }

  handleTime(nowMs: number): void {
    if (this.#donor === undefined || this.#fetch.isComplete) return
    if (nowMs >= this.#stallAtMs) this.#next(nowMs)
    else this.#ask(nowMs)
  }

  wakeAtMs(): number {
    if (this.#donor === undefined || this.#fetch.isComplete) return Number.POSITIVE_INFINITY
    return Math.min(this.#fetch.wakeAtMs(), this.#stallAtMs)
  }

  /** The relay stood still for so long. */
  excuse(lostMs: number): void {
    this.#stalledMs += lostMs
  }

  /** Pauses that we make ourselves, to spare its line, are not held against a donor. */
  get #stallAtMs(): number {
    const askAtMs = this.#fetch.wakeAtMs()
    const sinceMs = Math.max(this.#fetch.progressAtMs, Number.isFinite(askAtMs) ? askAtMs : 0)
    return sinceMs + this.#stalledMs + stallMs
  }

  #next(nowMs: number): void {
    this.#donor = this.#donors.pop()
    this.#stalledMs = 0
    this.#fetch.restart(nowMs)
    this.#ask(nowMs)
  }

  #ask(nowMs: number): void {
    const fetch = this.#donor === undefined ? undefined : this.#fetch.pollFetch(nowMs)
    if (fetch === undefined) return
    this.#donor?.grant(fetch.count === 0 ? manifestBytesMax : fetch.count * chunkBytes)
    this.#donor?.channel?.sendControl(encodeMessage('RelayFetch', fetch), nowMs)
  }
}

/** A witness has no pictures to draw; then who is near sends soonest, and who was never measured last. */
function distanceOf({ rttMs, isWitness }: StatePeer): number {
  return (rttMs ?? unmeasuredMs) + (isWitness === true ? 0 : 2 * unmeasuredMs)
}

/** Further than anybody is. */
const unmeasuredMs = 1_000_000

/** What tells of the largest state. */
const manifestBytesMax = chunksMax * chunkHashBytes

/** A donor that sends nothing for so long is left for another one. */
const stallMs = 2_000
