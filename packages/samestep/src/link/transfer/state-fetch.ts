import { WireError } from '../../base/errors.ts'
import { inflate } from '../../sim/snapshot/inflate.ts'
import { chunkBytes, chunksPerFetchMax } from '../../wire/messages/state-transfer.ts'
import type { Chunk, Fetch, Manifest } from './manifest.ts'
import {
  chunkCount,
  chunkLength,
  hashAt,
  hashChunk,
  isSameBytes,
  manifestFault,
} from './manifest.ts'
import type { OfferedState } from './state-offer.ts'

/** How a state is asked for. */
export interface FetchPolicy {
  /** Chunks that are on their way at once. */
  readonly windowMax: number
  /**
   * How much of the sender's line may be used, 0 to 1: for each millisecond that chunks take beyond the
   * round trip, nothing is asked for in as many as leave the rest of the line to its own traffic.
   */
  readonly share: number
}

/**
 * Gets a state from somebody who offers it. Every chunk is checked by its hash as it comes; what was
 * checked stays, also when the link or the sender is another one later.
 *
 *     asks for the manifest ──► asks for chunks, some at a time ──► complete
 *               ▲                              │
 *               └──── another sender, or link ─┘
 */
export class StateFetch {
  readonly tick: number
  readonly #policy: FetchPolicy
  #manifest: Manifest | undefined
  #chunks: (Chunk | undefined)[] = []
  #have = 0
  #bytesHere = 0
  /** Chunks that were asked for and have not come. */
  #asked = new Set<number>()
  /** Whether the sender of now was asked what the state consists of, and has told. */
  #phase: 'manifest-due' | 'manifest-asked' | 'chunks' = 'manifest-due'
  #window = 1
  #askedAtMs = 0
  #askAtMs = 0
  #progressAtMs: number

  constructor(tick: number, policy: FetchPolicy, nowMs: number) {
    this.tick = tick
    this.#policy = policy
    this.#askAtMs = nowMs
    this.#progressAtMs = nowMs
  }

  /** What is being fetched, once the sender told. */
  get manifest(): Manifest | undefined {
    return this.#manifest
  }

  get isComplete(): boolean {
    return this.#have > 0 && this.#have === this.#chunks.length
  }

  /** Bytes of the state that are here, before compression. */
  get bytesHere(): number {
    return this.#bytesHere
  }

  /** When something new came last: whoever sends nothing for too long is given up. */
  get progressAtMs(): number {
    return this.#progressAtMs
  }

  /** What to ask for now, if anything. */
  pollFetch(nowMs: number): Fetch | undefined {
    if (nowMs < this.#askAtMs || this.isComplete) return undefined
    if (this.#phase === 'manifest-due') {
      this.#phase = 'manifest-asked'
      this.#askedAtMs = nowMs
      return { tick: this.tick, first: 0, count: 0 }
    }
    if (this.#phase === 'manifest-asked' || this.#asked.size > 0) return undefined
    const first = this.#chunks.indexOf(undefined)
    let count = 0
    while (count < this.#window && this.#isMissing(first + count)) {
      this.#asked.add(first + count)
      count += 1
    }
    this.#askedAtMs = nowMs
    return { tick: this.tick, first, count }
  }

  /** When {@link pollFetch} has something again without anything having come. */
  wakeAtMs(): number {
    const isWaiting = this.#phase === 'manifest-asked' || this.#asked.size > 0
    return this.isComplete || isWaiting ? Number.POSITIVE_INFINITY : this.#askAtMs
  }

  /**
   * Takes in what the state consists of. Another sender of the same state says the same; if it does
   * not, one of the two lied, and nothing of the first is kept.
   *
   * @throws WireError for a manifest that contradicts itself, or of another state.
   */
  handleManifest(manifest: Manifest, nowMs: number): void {
    if (manifest.tick !== this.tick) fail(`The state of tick ${manifest.tick} was not asked for`)
    const fault = manifestFault(manifest)
    if (fault !== undefined) fail(fault)
    const known = this.#manifest
    const isSame =
      known !== undefined &&
      known.bytes === manifest.bytes &&
      isSameBytes(known.chunkHashes, manifest.chunkHashes)
    if (!isSame) {
      this.#chunks = new Array<undefined>(chunkCount(manifest.bytes)).fill(undefined)
      this.#have = 0
      this.#bytesHere = 0
    }
    this.#manifest = manifest
    this.#phase = 'chunks'
    this.#asked.clear()
    this.#progressAtMs = nowMs
    this.#askAtMs = nowMs
  }

  /**
   * Takes in a chunk. Gives whether it was one that was missing.
   *
   * @throws WireError for a chunk that is not what the manifest says.
   */
  handleChunk(chunk: Chunk, nowMs: number, rttMs = 0): boolean {
    const manifest = this.#manifest
    // What was asked of the sender before may come late; what this one says is not known yet.
    const isOurs = this.#phase === 'chunks' && chunk.tick === this.tick
    if (manifest === undefined || !isOurs || !this.#isMissing(chunk.index)) return false
    const plain = plainOf(chunk, chunkLength(manifest.bytes, chunk.index))
    if (!isSameBytes(hashChunk(plain), hashAt(manifest, chunk.index))) {
      fail(`Chunk ${chunk.index} of the state is not what was announced`)
    }
    this.#chunks[chunk.index] = chunk
    this.#have += 1
    this.#bytesHere += plain.byteLength
    this.#progressAtMs = nowMs
    this.#asked.delete(chunk.index)
    if (this.#asked.size === 0) this.#settlePace(nowMs, rttMs)
    return true
  }

  /**
   * Another link, or another sender: what is missing is asked for again, from the manifest on, which
   * tells whether what is here belongs to the same state.
   */
  restart(nowMs: number): void {
    this.#asked.clear()
    this.#phase = 'manifest-due'
    this.#window = 1
    this.#askAtMs = nowMs
    this.#progressAtMs = nowMs
  }

  /** All of it, for others: as it came. */
  offer(isAgreed: boolean): OfferedState {
    const manifest = { ...(this.#manifest as Manifest), isAgreed }
    const chunks = this.#chunks as Chunk[]
    return { manifest, chunk: (index) => chunks[index] as Chunk }
  }

  /** All of it, as it was before it was cut. */
  assemble(): Uint8Array {
    const { bytes } = this.#manifest as Manifest
    const whole = new Uint8Array(bytes)
    for (const chunk of this.#chunks as Chunk[]) {
      whole.set(plainOf(chunk, chunkLength(bytes, chunk.index)), chunk.index * chunkBytes)
    }
    return whole
  }

  #isMissing(index: number): boolean {
    return index >= 0 && index < this.#chunks.length && this.#chunks[index] === undefined
  }

  /** All that was asked for is here: how much at once next time, and when. */
  #settlePace(nowMs: number, rttMs: number): void {
    const { windowMax, share } = this.#policy
    const busyMs = Math.max(nowMs - this.#askedAtMs - rttMs, 0)
    const isQuick = busyMs < quickMs * this.#window
    const next = isQuick ? this.#window * 2 : Math.ceil(this.#window / 2)
    this.#window = Math.min(next, windowMax, chunksPerFetchMax)
    this.#askAtMs = nowMs + (busyMs * (1 - share)) / share
  }
}

/** A chunk that takes less than this shows a line on which a few more at once harm nobody. */
const quickMs = 15

function plainOf({ content, isDeflated }: Chunk, length: number): Uint8Array {
  if (isDeflated) return inflate(content, length)
  if (content.byteLength !== length) fail('A chunk of another length than was announced')
  return content
}

function fail(message: string): never {
  throw new WireError('SS_WIRE_MISMATCH', 0, message)
}
