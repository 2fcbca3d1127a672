import type { AuthorizationRequest } from './links/authorization.ts'
import type { MatchEvent } from './match/match-types.ts'

/** What a relay wants done, in sequence. */
export type RelayOutput =
  /** To be written before anything that comes after it is done. Borrowed until the next call. */
  | { readonly type: 'record'; readonly bytes: Uint8Array }
  | { readonly type: 'send'; readonly link: number; readonly bytes: Uint8Array }
  /** Close this link once what was sent is out. */
  | { readonly type: 'close'; readonly link: number; readonly code: number }
  /** Whoever is at the other end was let in: it is no stranger any more. */
  | { readonly type: 'seated'; readonly link: number }
  /** Somebody wants in: say by `handleAuthorized` whether it may. */
  | { readonly type: 'authorize'; readonly link: number; readonly request: AuthorizationRequest }
  | { readonly type: 'match'; readonly match: string; readonly event: MatchEvent }

type Send = Extract<RelayOutput, { type: 'send' }>
type Other = Exclude<RelayOutput, Send | { type: 'record' }>

/**
 * What a relay wants done, first in, first out. Nearly all of it are packets, thousands per second: so
 * a packet takes two places in arrays that are used again, and no object of its own.
 */
export class RelayOutputs {
  #items: (Uint8Array | Other | undefined)[] = []
  /** The link of each packet; −1 for anything else. */
  #links: number[] = []
  /** Where the oldest one is, and where the next one goes. */
  #head = 0
  #end = 0
  /** The one object that {@link shift} gives for packets. */
  readonly #send: { -readonly [K in keyof Send]: Send[K] } = {
    type: 'send',
    link: -1,
    bytes: noBytes,
  }

  get isEmpty(): boolean {
    return this.#head === this.#end
  }

  push(output: Other): void {
    this.#add(output, -1)
  }

  /** Sends a packet over a link. */
  pushSend(link: number, bytes: Uint8Array): void {
    this.#add(bytes, link)
  }

  /** The oldest one, or `undefined`. Borrowed: valid until the next call. */
  shift(): RelayOutput | undefined {
    const send = this.#send
    if (this.#head === this.#end) {
      send.bytes = noBytes
      return undefined
    }
    const item = this.#items[this.#head]
    const link = this.#links[this.#head] as number
    // The arrays keep their lengths, which are dear to set, but nothing that was taken.
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head === this.#end) this.#rewind()
    if (link < 0) return item as Other
    send.link = link
    send.bytes = item as Uint8Array
    return send
  }

  #add(item: Uint8Array | Other, link: number): void {
    this.#items[this.#end] = item
    this.#links[this.#end] = link
    this.#end += 1
  }

  #rewind(): void {
    if (this.#end > keptMax) {
      this.#items = []
      this.#links = []
    }
    this.#head = 0
    this.#end = 0
  }
}

const noBytes = new Uint8Array(0)

/** Places that are kept; after a flood it starts over. */
const keptMax = 16_384
