/**
 * What a server changes about its peers. It is reached at an address that it knows, so it needs none
 * of the addresses that strangers claim to have: their first packet shows where they are. And it tells
 * strangers only one address, never the list of its interfaces.
 */
import type { RtcLane, RtcPeer, RtcPeerHandler } from '../peer.ts'

/** How a server's peer differs. */
export interface ServerPeerOptions {
  /**
   * Whether strangers may name addresses. Whoever may makes this machine send packets there, to
   * machines behind the same firewall too. Only a server that nobody can reach needs it.
   */
  readonly takesCandidates: boolean
  /**
   * What to tell instead of this machine's own addresses: where a router translates them, or where
   * the stranger reached it. Left out where the library is bound to one address.
   */
  readonly toldAddress?: string | undefined
}

/** Wraps a peer for a server. */
export class ServerPeer implements RtcPeer {
  readonly #peer: RtcPeer
  readonly #options: ServerPeerOptions
  #isTold = false

  constructor(peer: RtcPeer, options: ServerPeerOptions) {
    this.#peer = peer
    this.#options = options
  }

  get ticks(): RtcLane {
    return this.#peer.ticks
  }

  get reliable(): RtcLane {
    return this.#peer.reliable
  }

  get remoteAddress(): string | undefined {
    return this.#peer.remoteAddress
  }

  open(handler: RtcPeerHandler): void {
    this.#peer.open({
      handleDescription: (kind, sdp) => handler.handleDescription(kind, sdp),
      handleCandidate: (candidate, mid) => {
        const told = this.#tell(candidate)
        if (told !== undefined) handler.handleCandidate(told, mid)
      },
      handleReached: () => handler.handleReached(),
      handleBroken: (reason) => handler.handleBroken(reason),
      handleFault: (error) => handler.handleFault(error),
    })
  }

  offer(): void {
    this.#peer.offer()
  }

  answer(offerSdp: string): void {
    this.#peer.answer(offerSdp)
  }

  acceptAnswer(sdp: string): void {
    this.#peer.acceptAnswer(sdp)
  }

  addCandidate(candidate: string, mid: string): void {
    if (this.#options.takesCandidates) this.#peer.addCandidate(candidate, mid)
  }

  close(): void {
    this.#peer.close()
  }

  /** What to tell of an own candidate: the one address once, whatever the interfaces. */
  #tell(candidate: string): string | undefined {
    const { toldAddress } = this.#options
    if (toldAddress === undefined) return candidate
    const parts = candidate.split(' ')
    if (parts[7] !== 'host') return candidate
    const isSameFamily = parts[4]!.includes(':') === toldAddress.includes(':')
    if (!isSameFamily || this.#isTold) return undefined
    this.#isTold = true
    parts[4] = toldAddress
    return parts.join(' ')
  }
}
