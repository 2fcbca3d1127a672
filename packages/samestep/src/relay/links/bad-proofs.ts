import type { Session } from '../match/session.ts'

/** Wrong answers of one address, or about one session, since the first of them. */
type Tries = { readonly sinceMs: number; count: number }

/** Wrong answers within a minute after which no more questions are asked. */
export const badProofsMax = 10
export const badProofsMs = 60_000

/** Addresses that are remembered; the one with the oldest first try is forgotten for a new one. */
export const badAddressesMax = 4_096

/**
 * Counts wrong proofs of who somebody is (T-68). A link has one try. An address that had ten is asked
 * nothing for a minute. A session about which there were ten is given back to the address that had it
 * last, and to no other: were it locked for all, a thief could keep its owner out.
 */
export class BadProofs {
  readonly #addresses = new Map<string, Tries>()
  readonly #sessions = new WeakMap<Session, Tries>()

  /** Addresses that are remembered, for limits. */
  get size(): number {
    return this.#addresses.size
  }

  note(address: string | undefined, session: Session, nowMs: number): void {
    this.#sessions.set(session, add(this.#sessions.get(session), nowMs))
    if (address === undefined) return
    const tries = add(this.#addresses.get(address), nowMs)
    this.#addresses.delete(address)
    this.#addresses.set(address, tries)
    if (this.#addresses.size <= badAddressesMax) return
    for (const oldest of this.#addresses.keys()) {
      this.#addresses.delete(oldest)
      break
    }
  }

  /** Whether nobody there is asked about a session now. */
  isBlocked(address: string | undefined, session: Session, nowMs: number): boolean {
    if (address !== undefined && isOver(this.#addresses.get(address), nowMs)) return true
    return isOver(this.#sessions.get(session), nowMs) && address !== session.visitor.address
  }
}

function isOver(tries: Tries | undefined, nowMs: number): boolean {
  if (tries === undefined || nowMs - tries.sinceMs >= badProofsMs) return false
  return tries.count >= badProofsMax
}

function add(tries: Tries | undefined, nowMs: number): Tries {
  if (tries === undefined || nowMs - tries.sinceMs >= badProofsMs) {
    return { sinceMs: nowMs, count: 1 }
  }
  tries.count += 1
  return tries
}
