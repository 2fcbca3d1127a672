import type { Channel } from '../../link/channel.ts'
import type { Fetch } from '../../link/transfer/manifest.ts'
import { chunkCount } from '../../link/transfer/manifest.ts'
import { StateOffer, shortenHashes } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { chunkBytes, stateBytesMax } from '../../wire/messages/state-transfer.ts'
import type { Digests } from './digests.ts'

/** Where a donor gets its state from. */
export interface DonorSource {
  /** The tick that ran last. */
  readonly tick: number
  /** A copy of everything, for who has to go on from it. */
  save(): Uint8Array
  /** A copy of what its hash is made of. */
  copy(): Uint8Array
}

/** A state that was copied: its hash, and those of its chunks, come when they are computed. */
interface KeptState {
  readonly tick: number
  readonly bytes: Uint8Array
  hash: Uint8Array | undefined
  offer: StateOffer | undefined
  isOfferWanted: boolean
}

/**
 * Gives the state of a match to the relay, for somebody who has none. When the relay says which tick it
 * wants, a copy is made right after that tick has run. All else is done later: the hash of the copy is
 * told when it is computed, its chunks are hashed when the relay has chosen this donor, and compressed
 * when they are asked for.
 *
 *     tick       asked for ─► copied
 *     later                      └─► hashed ─► told ─► chosen ─► chunks hashed ─► manifest ─► chunks
 */
export class StateDonor {
  readonly #source: DonorSource
  readonly #digests: Digests
  readonly #wantedTicks = new Set<number>()
  readonly #kept: KeptState[] = []
  /** What is to be said, in sequence; chunks are made when the line takes them. */
  readonly #said: Uint8Array[] = []
  #chunks: { readonly offer: StateOffer; readonly index: number }[] = []
  #retryAtMs = Number.POSITIVE_INFINITY

  constructor(source: DonorSource, digests: Digests) {
    this.#source = source
    this.#digests = digests
  }

  /** The relay wants to know the state after a tick. One that has run already cannot be had. */
  handleAsk(tick: number): void {
    if (tick <= this.#source.tick) return
    const [oldest] = this.#wantedTicks
    if (this.#wantedTicks.size >= ticksMax && oldest !== undefined) {
      this.#wantedTicks.delete(oldest)
    }
    this.#wantedTicks.add(tick)
  }

  /** A tick has run. */
  noteRan(): void {
    const { tick } = this.#source
    if (this.#wantedTicks.size === 0 || !this.#wantedTicks.delete(tick)) return
    const bytes = this.#source.save()
    // What is too large for anybody to load is not offered, and somebody else is asked in vain too.
    if (bytes.byteLength > stateBytesMax) return
    if (this.#kept.length >= ticksMax) this.#kept.shift()
    const kept: KeptState = { tick, bytes, hash: undefined, offer: undefined, isOfferWanted: false }
    this.#kept.push(kept)
    const hashed = this.#source.copy()
    this.#digests.begin(hashed, hashed.byteLength, (hash) => {
      kept.hash = hash
      this.#said.push(encodeMessage('ClientState', { tick, hash }))
    })
  }

  /** The relay wants what a state consists of, or some of its chunks. */
  handleFetch({ tick, first, count }: Fetch, nowMs: number): void {
    const kept = this.#kept.find((each) => each.tick === tick)
    if (kept === undefined) return
    const { offer } = kept
    if (offer === undefined) {
      this.#makeOffer(kept)
      return
    }
    if (count === 0) this.#said.push(encodeMessage('ClientManifest', offer.manifest))
    const end = Math.min(first + count, chunkCount(offer.manifest.bytes))
    for (let index = first; index < end && this.#chunks.length < chunksWaitingMax; index++) {
      this.#chunks.push({ offer, index })
    }
    this.#retryAtMs = nowMs
  }

  /** Has the chunks hashed, once; the manifest is said when that is done. */
  #makeOffer(kept: KeptState): void {
    const { tick, bytes, hash } = kept
    if (hash === undefined || kept.isOfferWanted) return
    kept.isOfferWanted = true
    this.#digests.begin(bytes, chunkBytes, (hashes) => {
      kept.offer = new StateOffer(tick, hash, bytes, shortenHashes(hashes))
      this.#said.push(encodeMessage('ClientManifest', kept.offer.manifest))
    })
  }

  /** Sends what was asked for, as far as the line takes it. Gives whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const isSaid = this.#said.length > 0
    if (isSaid) for (const message of this.#said.splice(0)) channel.sendControl(message, nowMs)
    if (nowMs < this.#retryAtMs) return isSaid
    this.#retryAtMs = Number.POSITIVE_INFINITY
    for (let next = this.#chunks[0]; next !== undefined; next = this.#chunks[0]) {
      const message = encodeMessage('ClientChunk', next.offer.chunk(next.index))
      if (!channel.sendBulk(message, nowMs)) {
        this.#retryAtMs = nowMs + retryMs
        break
      }
      this.#chunks.shift()
    }
    return isSaid
  }

  /** When {@link send} has something again. */
  wakeAtMs(): number {
    return this.#said.length > 0 ? 0 : this.#retryAtMs
  }

  /** A new link: whoever asked over the old one asks again. */
  restart(): void {
    this.#said.length = 0
    this.#chunks = []
    this.#retryAtMs = Number.POSITIVE_INFINITY
  }
}

/** States that are kept, and ticks that are waited for: the one that is sent, and the next one. */
const ticksMax = 2

/** Chunks that wait for the line: twice what one message asks for. */
const chunksWaitingMax = 32

/** How soon a full line is tried again. */
const retryMs = 20
