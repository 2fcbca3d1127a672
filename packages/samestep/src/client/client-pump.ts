import type { GameShape } from '../sim/game/definition/context.ts'
import type { Client } from './client.ts'
import type { ClientEvent } from './events.ts'
import type { DigestJob } from './state/digests.ts'

/** Where a client's outputs go. */
export interface ClientPumpHooks {
  /** The client wants a link now. The old one, if there is one, is no longer used. */
  handleWantLink(link: number): void
  /** The client needs hashes. Pass them to `Client.handleDigest`, now or later. */
  handleDigest(job: DigestJob): void
  /** All other events of the client, in sequence. */
  handleEvent(event: Exclude<ClientEvent, { type: 'want-link' | 'digest' }>): void
  /** A packet for a link. */
  send(packet: Uint8Array, link: number): void
}

/**
 * Drains a client's outputs after each `handle…`: first events, then packets. So what a listener does
 * during an event is sent in the same flush. `Client.wakeAtMs` says when to wake the client next.
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
   * Passes on all events, then all packets. A nested call does nothing and returns false: the outer
   * call does the work.
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

  /** Passes on events only. */
  takeEvents(): void {
    for (let event = this.#client.pollEvent(); event; event = this.#client.pollEvent()) {
      if (event.type === 'want-link') this.#hooks.handleWantLink(event.link)
      else if (event.type === 'digest') this.#hooks.handleDigest(event.job)
      else this.#hooks.handleEvent(event)
    }
  }

  /** Passes on packets only. They contain the newest inputs and orders. */
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
