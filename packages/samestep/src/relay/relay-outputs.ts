import type { RelayOutput, SendNow } from './relay-output.ts'

type Send = Extract<RelayOutput, { type: 'send' }>
/** What is said of a link beside its packets. */
interface SendLink {
  readonly id: number
  readonly owner: unknown
}

type Other = Exclude<RelayOutput, Send>

/**
 * What a relay wants done, first in, first out. Nearly all of it are packets, thousands per second: so
 * a packet takes two places in arrays that are used again, and no object of its own.
 */
export class RelayOutputs {
  #items: (Uint8Array | Other | undefined)[] = []
  /** The link of each packet; `undefined` for anything else. */
  #links: (SendLink | undefined)[] = []
  /** Where the oldest one is, and where the next one goes. */
  #head = 0
  #end = 0
  /** Who sends packets at once. */
  #sendNow: SendNow | undefined
  /** The one object that {@link shift} gives for packets. */
  readonly #send: { -readonly [K in keyof Send]: Send[K] } = {
    type: 'send',
    link: -1,
    owner: undefined,
    bytes: noBytes,
  }

  get isEmpty(): boolean {
    return this.#head === this.#end
  }

  push(output: Other): void {
    this.#add(output, undefined)
  }

  /** Gives packets to `send` at once until somebody polls; not those that something waits before. */
  sendTo(send: SendNow | undefined): void {
    this.#sendNow = send
  }

  /** Sends a packet over a link. */
  pushSend(link: SendLink, bytes: Uint8Array): void {
    if (this.#sendNow !== undefined && this.isEmpty) this.#sendNow(link.owner, bytes)
    else this.#add(bytes, link)
  }

  /** The oldest one, or `undefined`. Borrowed: valid until the next call. */
  shift(): RelayOutput | undefined {
    const send = this.#send
    this.#sendNow = undefined
    if (this.#head === this.#end) {
      send.bytes = noBytes
      send.owner = undefined
      return undefined
    }
    const item = this.#items[this.#head]
    const link = this.#links[this.#head]
    // The arrays keep their lengths, which are dear to set, but nothing that was taken.
    this.#items[this.#head] = undefined
    this.#links[this.#head] = undefined
    this.#head += 1
    if (this.#head === this.#end) this.#rewind()
    if (link === undefined) return item as Other
    send.link = link.id
    send.owner = link.owner
    send.bytes = item as Uint8Array
    return send
  }

  #add(item: Uint8Array | Other, link: SendLink | undefined): void {
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
