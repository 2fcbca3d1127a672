import type { ChannelMessage } from './channel.ts'
import { Fifo } from './fifo.ts'
import { messageChargeBytes } from './limits.ts'

/** The lane of a message. */
export type Lane = ChannelMessage['lane']

const noBytes = new Uint8Array(0)

/** Received messages in the sequence of their arrival, until somebody polls them. */
export class Inbox {
  readonly #bytesMax: number
  /** The oldest message: usually the only one, and polled at once. */
  #first: Uint8Array | undefined
  #firstLane: Lane = 'tick'
  /** Those behind it. */
  readonly #messages = new Fifo<Uint8Array>()
  readonly #lanes = new Fifo<Lane>()
  #heldBytes = 0
  #pushedCount = 0
  /** The one object that {@link poll} ever gives. */
  readonly #polled: { lane: Lane; bytes: Uint8Array } = { lane: 'tick', bytes: noBytes }

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes held, with a charge for each message. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Messages that ever came in. */
  get pushedCount(): number {
    return this.#pushedCount
  }

  /** Whether the owner should poll before anything else comes in. */
  get isFull(): boolean {
    return this.#heldBytes >= this.#bytesMax
  }

  /** Appends a message. It belongs to the inbox from now on. */
  push(lane: Lane, message: Uint8Array): void {
    if (this.#first === undefined) {
      this.#first = message
      this.#firstLane = lane
    } else {
      this.#messages.push(message)
      this.#lanes.push(lane)
    }
    this.#heldBytes += message.length + messageChargeBytes
    this.#pushedCount++
  }

  /** Takes the oldest message. The object is used again by the next call. */
  poll(): ChannelMessage | undefined {
    const message = this.#first
    const polled = this.#polled
    if (message === undefined) {
      // Held until the next one came, every message of every channel would grow old in memory.
      polled.bytes = noBytes
      return undefined
    }
    polled.lane = this.#firstLane
    polled.bytes = message
    this.#first = this.#messages.shift()
    if (this.#first !== undefined) this.#firstLane = this.#lanes.shift()!
    this.#heldBytes -= message.length + messageChargeBytes
    return polled
  }
}
