import type { GameShape } from '../sim/game/definition/context.ts'
import type { Client } from './client.ts'
import type { ClientEvent } from './events.ts'
import type { DigestJob } from './state/digests.ts'

/** Where what a client has to say goes. */
export interface ClientPumpHooks {
  /** A link is wanted now; the old one, if there is one, is of no use any more. */
  handleWantLink(link: number): void
  /** Bytes are to be hashed; the answer goes to `Client.handleDigest`, now or later. */
  handleDigest(job: DigestJob): void
  /** Anything else that the client tells, in sequence. */
  handleEvent(event: Exclude<ClientEvent, { type: 'want-link' | 'digest' }>): void
  /** A packet for a link. */
  send(packet: Uint8Array, link: number): void
}

/**
 * Empties a client after each `handle…`: first what it tells, then what it sends. Whatever a listener
 * does inside of an event is sent with the rest. When to wake it next is said by its `wakeAtMs`.
 */
export class ClientPump<G extends GameShape = GameShape, R = unknown> {
  readonly #client: Client<G, R>
  readonly #hooks: ClientPumpHooks
  #isFlushing = false

  constructor(client: Client<G, R>, hooks: ClientPumpHooks) {
    this.#client = client
    this.#hooks = hooks
  }

  /**
   * Passes on all events, then all packets. Inside of itself it does nothing and gives false: the
   * outer one does it.
   */
  flush(): boolean {
    if (this.#isFlushing) return false
    this.#isFlushing = true
    try {
      this.takeEvents()
      this.sendPackets()
    } finally {
      this.#isFlushing = false
    }
    return true
  }

  /** Passes on events alone. */
  takeEvents(): void {
    for (let event = this.#client.pollEvent(); event; event = this.#client.pollEvent()) {
      if (event.type === 'want-link') this.#hooks.handleWantLink(event.link)
      else if (event.type === 'digest') this.#hooks.handleDigest(event.job)
      else this.#hooks.handleEvent(event)
    }
  }

  /** Passes on packets alone. What is held and ordered by now is in them. */
  sendPackets(): void {
    const client = this.#client
    for (let packet = client.pollPacket(); packet; packet = client.pollPacket()) {
      this.#hooks.send(packet, client.link)
    }
    const { otherLink } = client
    if (otherLink === undefined) return
    for (let packet = client.pollOtherPacket(); packet; packet = client.pollOtherPacket()) {
      this.#hooks.send(packet, otherLink)
    }
  }
}
