import { WireError } from '../../base/errors.ts'
import type { Channel } from '../../link/channel.ts'
import type { Chunk, Manifest } from '../../link/transfer/manifest.ts'
import { isSameBytes } from '../../link/transfer/manifest.ts'
import { StateFetch } from '../../link/transfer/state-fetch.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { Digests } from './digests.ts'

/** What becomes of a state that came. */
export interface JoinerTarget {
  /**
   * Loads it, and gives what its hash is made of.
   *
   * @throws WireError for what is no state of this match.
   */
  load(bytes: Uint8Array): Uint8Array
  /** It is the one that was promised: ticks run from the one after it on. */
  adopt(tick: number): void
}

/** How far a joiner is. */
export type JoinerState =
  /** The relay gets a state from the others. */
  | { readonly name: 'waiting' }
  | { readonly name: 'downloading'; readonly fetch: StateFetch }
  /** All of it is here, and is being checked. */
  | { readonly name: 'loading'; readonly tick: number }
  /** The state is here, and is the one that was promised. */
  | { readonly name: 'done'; readonly tick: number }

/**
 * Gets the state of a match that runs from the relay. It is loaded when it is complete, and believed
 * when it hashes to what most players said before anybody was asked for it (SNP-10).
 *
 *     waiting ──manifest──► downloading ──all here──► loading ──hash right──► done
 *        ▲                                               │
 *        └── not what was promised: the relay is told, and gets another one
 */
export class StateJoiner {
  readonly #target: JoinerTarget
  readonly #digests: Digests
  readonly #said: Uint8Array[] = []
  #state: JoinerState = { name: 'waiting' }

  constructor(target: JoinerTarget, digests: Digests) {
    this.#target = target
    this.#digests = digests
  }

  get state(): JoinerState {
    return this.#state
  }

  handleManifest(manifest: Manifest, nowMs: number): void {
    const state = this.#state
    if (state.name === 'done') return
    // Over a new link the relay says again what is being checked here already.
    if (state.name === 'loading' && state.tick === manifest.tick) return
    const known = state.name === 'downloading' ? state.fetch : undefined
    const fetch =
      known?.tick === manifest.tick ? known : new StateFetch(manifest.tick, download, nowMs)
    fetch.handleManifest(manifest, nowMs)
    this.#state = { name: 'downloading', fetch }
    // Over a new link all of it may be here already.
    if (fetch.isComplete) this.#finish(fetch)
  }

  handleChunk(chunk: Chunk, nowMs: number): void {
    if (this.#state.name !== 'downloading') return
    const { fetch } = this.#state
    fetch.handleChunk(chunk, nowMs)
    if (fetch.isComplete) this.#finish(fetch)
  }

  /** Asks for what is missing. Gives whether there was anything to say. */
  send(channel: Channel, nowMs: number): boolean {
    const fetch =
      this.#state.name === 'downloading' ? this.#state.fetch.pollFetch(nowMs) : undefined
    if (fetch !== undefined) this.#said.push(encodeMessage('ClientFetch', fetch))
    const isSaid = this.#said.length > 0
    for (const message of this.#said.splice(0)) channel.sendControl(message, nowMs)
    return isSaid
  }

  /** When {@link send} has something again. */
  wakeAtMs(): number {
    if (this.#said.length > 0) return 0
    return this.#state.name === 'downloading'
      ? this.#state.fetch.wakeAtMs()
      : Number.POSITIVE_INFINITY
  }

  /** A new link: the relay says again what there is; what was checked stays. */
  restart(nowMs: number): void {
    // That the state is here is news over any link.
    if (this.#state.name !== 'done') this.#said.length = 0
    if (this.#state.name === 'downloading') this.#state.fetch.restart(nowMs)
  }

  /**
   * The relay let us in over another link, and had not heard by then that the state is here. It ignores
   * turns until it has, so that this must come before those of the new link.
   */
  sayAgain(): void {
    if (this.#state.name === 'done') this.#say(this.#state.tick, true)
  }

  #finish(fetch: StateFetch): void {
    const { tick, manifest } = fetch
    const hashed = this.#load(fetch.assemble())
    if (manifest === undefined || hashed === undefined) {
      this.#settle(tick, false)
      return
    }
    const loading = { name: 'loading', tick } as const
    this.#state = loading
    this.#digests.begin(hashed, hashed.byteLength, (hash) => {
      // Another state may have come meanwhile, and taken the place of this one.
      if (this.#state === loading) this.#settle(tick, isSameBytes(hash, manifest.hash))
    })
  }

  #load(bytes: Uint8Array): Uint8Array | undefined {
    try {
      return this.#target.load(bytes)
    } catch (error) {
      // Made by another player: a bad one is no reason to leave the relay.
      if (!(error instanceof WireError)) throw error
      return undefined
    }
  }

  #settle(tick: number, isGood: boolean): void {
    this.#say(tick, isGood)
    this.#state = isGood ? { name: 'done', tick } : { name: 'waiting' }
    if (isGood) this.#target.adopt(tick)
  }

  #say(tick: number, isGood: boolean): void {
    this.#said.push(encodeMessage('ClientLoaded', { tick, isGood }))
  }
}

/** All that the line takes: nothing else is on it yet. */
const download = { windowMax: 8, share: 1 } as const
