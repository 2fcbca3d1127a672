import type { Channel } from '../../link/channel.ts'
import type { Fetch } from '../../link/transfer/manifest.ts'
import { chunkCount } from '../../link/transfer/manifest.ts'
import { StateOffer } from '../../link/transfer/state-offer.ts'
import { encodeMessage } from '../../wire/messages.ts'
import { stateBytesMax } from '../../wire/state-transfer.ts'

/** Where a donor gets its state from. */
export interface DonorSource {
  /** The tick that ran last. */
  readonly tick: number
  /** A copy of everything, and what it hashes to. */
  save(): { readonly bytes: Uint8Array; readonly hash: Uint8Array }
}

/**
 * Gives the state of a match to the relay, for somebody who has none. When the relay says which tick it
 * wants, a copy is made right after that tick has run; its hash is told, and its chunks are sent when
 * they are asked for.
 */
export class StateDonor {
  readonly #source: DonorSource
  readonly #wantedTicks = new Set<number>()
  readonly #offers: StateOffer[] = []
  /** What is to be said, in sequence; chunks are made when the line takes them. */
  readonly #said: Uint8Array[] = []
  #chunks: { readonly offer: StateOffer; readonly index: number }[] = []
  #retryAtMs = Number.POSITIVE_INFINITY

  constructor(source: DonorSource) {
    this.#source = source
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
    const { bytes, hash } = this.#source.save()
    // What is too large for anybody to load is not offered, and somebody else is asked in vain too.
    if (bytes.byteLength > stateBytesMax) return
    if (this.#offers.length >= ticksMax) this.#offers.shift()
    this.#offers.push(new StateOffer(tick, hash, bytes))
    this.#said.push(encodeMessage('ClientState', { tick, hash }))
  }

  /** The relay wants what a state consists of, or some of its chunks. */
  handleFetch({ tick, first, count }: Fetch, nowMs: number): void {
    const offer = this.#offers.find(({ manifest }) => manifest.tick === tick)
    if (offer === undefined) return
    if (count === 0) this.#said.push(encodeMessage('ClientManifest', offer.manifest))
    const end = Math.min(first + count, chunkCount(offer.manifest.bytes))
    for (let index = first; index < end && this.#chunks.length < chunksWaitingMax; index++) {
      this.#chunks.push({ offer, index })
    }
    this.#retryAtMs = nowMs
  }

  /** Sends what was asked for, as far as the line takes it. Gives whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const isSaid = this.#said.length > 0
    for (const message of this.#said.splice(0)) channel.sendControl(message, nowMs)
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
