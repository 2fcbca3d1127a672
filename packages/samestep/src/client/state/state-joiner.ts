import { WireError } from '../../base/errors.ts'
import type { Channel } from '../../link/channel.ts'
import type { Chunk, Manifest } from '../../link/transfer/manifest.ts'
import { isSameBytes } from '../../link/transfer/manifest.ts'
import { StateFetch } from '../../link/transfer/state-fetch.ts'
import { encodeMessage } from '../../wire/messages.ts'

/** Takes a state over: loads it, and says what it hashes to. */
export type LoadState = (bytes: Uint8Array) => Uint8Array

/** How far a joiner is. */
export type JoinerState =
  /** The relay gets a state from the others. */
  | { readonly name: 'waiting' }
  | { readonly name: 'downloading'; readonly fetch: StateFetch }
  /** The state is here, and is the one that was promised. */
  | { readonly name: 'done' }

/**
 * Gets the state of a match that runs from the relay. It is loaded when it is complete, and believed
 * when it hashes to what most players said before anybody was asked for it (SNP-10).
 *
 *     waiting ──manifest──► downloading ──all here, hash right──► done
 *        ▲                      │
 *        └── not what was promised: the relay is told, and gets another one
 */
export class StateJoiner {
  readonly #load: LoadState
  readonly #handleDone: (tick: number) => void
  readonly #said: Uint8Array[] = []
  #state: JoinerState = { name: 'waiting' }

  /** `handleDone` hears of the tick after which the state is that was taken over. */
  constructor(load: LoadState, handleDone: (tick: number) => void = () => {}) {
    this.#load = load
    this.#handleDone = handleDone
  }

  get state(): JoinerState {
    return this.#state
  }

  handleManifest(manifest: Manifest, nowMs: number): void {
    const state = this.#state
    if (state.name === 'done') return
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
    this.#said.length = 0
    if (this.#state.name === 'downloading') this.#state.fetch.restart(nowMs)
  }

  #finish(fetch: StateFetch): void {
    const { tick, manifest } = fetch
    const isGood = manifest !== undefined && this.#isPromised(fetch.assemble(), manifest)
    this.#said.push(encodeMessage('ClientLoaded', { tick, isGood }))
    this.#state = isGood ? { name: 'done' } : { name: 'waiting' }
    if (isGood) this.#handleDone(tick)
  }

  #isPromised(bytes: Uint8Array, { hash }: Manifest): boolean {
    try {
      return isSameBytes(this.#load(bytes), hash)
    } catch (error) {
      // Made by another player: a bad one is no reason to leave the relay.
      if (!(error instanceof WireError)) throw error
      return false
    }
  }
}

/** All that the line takes: nothing else is on it yet. */
const download = { windowMax: 8, share: 1 } as const
