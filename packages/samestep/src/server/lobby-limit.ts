/**
 * Connections of TCP that have not become anything yet, by address. Without it, one stranger could
 * hold thousands of half requests; ending them all at once is what would be felt, about 50 µs each.
 */
import type { Socket } from 'node:net'
import { addressBlock, plainAddress, TrustedProxies } from '../transport/node/address-block.ts'

/**
 * Connections of one address (/56 with IPv6) that are no WebSockets. A browser has six for pages, so
 * that forty players behind one router load a game at the same time.
 */
export const idlePerAddressMax = 256

/** An address that nobody has, to ask whether a proxy's word about addresses counts. */
const nobody = '192.0.2.1'

/** See above. */
export class LobbyLimit {
  readonly #proxies: TrustedProxies
  readonly #max: number
  readonly #blocks = new Map<string, number>()
  /** By address and port: TLS wraps a socket into another one, and these stay the same. */
  readonly #inside = new Map<string, string>()

  constructor(trustedProxies: readonly string[], max = idlePerAddressMax) {
    this.#proxies = new TrustedProxies(trustedProxies)
    this.#max = max
  }

  /** Connections that are counted. */
  get size(): number {
    return this.#inside.size
  }

  /** Counts a connection until it leaves. False when its address has too many. */
  enter({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): boolean {
    // It may be gone before anybody looked at it.
    if (remoteAddress === undefined) return false
    const address = plainAddress(remoteAddress)
    if (this.#proxies.addressOf(address, nobody) === nobody) return true
    const block = addressBlock(address)
    const count = this.#blocks.get(block) ?? 0
    if (count >= this.#max) return false
    this.#blocks.set(block, count + 1)
    this.#inside.set(lobbyName({ remoteAddress, remotePort }), block)
    return true
  }

  /** It became a WebSocket, or ended. Harmless when it is not here. */
  leave(name: string): void {
    const block = this.#inside.get(name)
    if (block === undefined) return
    this.#inside.delete(name)
    const count = this.#blocks.get(block)! - 1
    if (count === 0) this.#blocks.delete(block)
    else this.#blocks.set(block, count)
  }
}

/** What a connection is called here. */
export function lobbyName({
  remoteAddress,
  remotePort,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}
