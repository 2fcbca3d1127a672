/**
 * Who holds how many places, by address. One address must not take all that a relay has; the places of
 * others are not touched by what it does. Has no clock and no sockets, so that every transport and every
 * process can keep one.
 */
import { addressBlock, TrustedProxies } from '../transport/node/address-block.ts'

/** What a ledger is made with. */
export interface AddressLedgerOptions {
  /** Places of one address (/56 with IPv6). */
  readonly perAddressMax: number
  /** Addresses and networks that are not counted: many people stand behind each. */
  readonly trustedProxies?: readonly string[]
}

/** Counts places by address, and says when an address has too many. */
export class AddressLedger {
  readonly #perAddressMax: number
  readonly #proxies: TrustedProxies
  /** Places of each block that has any. */
  readonly #places = new Map<string, number>()

  constructor({ perAddressMax, trustedProxies = [] }: AddressLedgerOptions) {
    this.#perAddressMax = perAddressMax
    this.#proxies = new TrustedProxies(trustedProxies)
  }

  /** Blocks that hold a place. */
  get size(): number {
    return this.#places.size
  }

  /** Takes a place. Gives what frees it, once; undefined when the address has all that it may have. */
  enter(address: string): (() => void) | undefined {
    if (this.#proxies.has(address)) return nothing
    const block = addressBlock(address)
    const count = this.#places.get(block) ?? 0
    if (count >= this.#perAddressMax) return undefined
    this.#places.set(block, count + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#free(block)
    }
  }

  #free(block: string): void {
    const left = this.#places.get(block)! - 1
    if (left === 0) this.#places.delete(block)
    else this.#places.set(block, left)
  }
}

const nothing = (): void => {}
