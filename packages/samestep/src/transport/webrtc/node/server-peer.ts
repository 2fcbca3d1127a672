/**
 * What a server changes about its peers. It is reached at an address that it knows, so it needs none
 * of the addresses that strangers claim to have: their first packet shows where they are.
 */
import { checkCandidate, withoutCandidates } from '../description.ts'
import type { RtcLane, RtcPeer, RtcPeerHandler } from '../peer.ts'

/** How a server's peer differs. */
export interface ServerPeerOptions {
  /**
   * Whether strangers may name addresses. Whoever may makes this machine send packets there, to
   * machines behind the same firewall too. Only a server that nobody can reach needs it.
   */
  readonly takesCandidates: boolean
  /** What to tell instead of this machine's own addresses, where a router translates them. */
  readonly publicAddress?: string | undefined
}

/** Wraps a peer for a server. */
export class ServerPeer implements RtcPeer {
  readonly #peer: RtcPeer
  readonly #options: ServerPeerOptions
  #isPublicTold = false

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
      handleBroken: (reason) => handler.handleBroken(reason),
    })
  }

  offer(): void {
    this.#peer.offer()
  }

  answer(offerSdp: string): void {
    this.#peer.answer(withoutCandidates(offerSdp))
  }

  acceptAnswer(sdp: string): void {
    this.#peer.acceptAnswer(withoutCandidates(sdp))
  }

  addCandidate(candidate: string, mid: string): void {
    if (this.#options.takesCandidates) this.#peer.addCandidate(candidate, mid)
  }

  close(): void {
    this.#peer.close()
  }

  /** What to tell of an own candidate: with the public address once, whatever the interfaces. */
  #tell(candidate: string): string | undefined {
    const { publicAddress } = this.#options
    if (publicAddress === undefined) return candidate
    const { address, type } = checkCandidate(candidate)
    if (type !== 'host') return candidate
    const isSameFamily = address.includes(':') === publicAddress.includes(':')
    if (!isSameFamily || this.#isPublicTold) return undefined
    this.#isPublicTold = true
    const parts = candidate.split(' ')
    parts[4] = publicAddress
    return parts.join(' ')
  }
}
