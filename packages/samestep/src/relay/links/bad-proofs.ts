import type { Session } from '../match/session.ts'

/** Wrong proofs from one address, or for one session, since the first of them. */
type Tries = { readonly sinceMs: number; count: number }

/** Wrong proofs within a minute after which no more are asked for. */
export const badProofsMax = 10
export const badProofsMs = 60_000

/**
 * Addresses that are remembered. Beyond that, the one whose last wrong proof is oldest is forgotten.
 */
export const badAddressesMax = 4_096

/**
 * Counts wrong proofs (T-68). A link has one try. After ten wrong proofs within a minute, an address
 * is refused until that minute is over. A session with as many is given only to the address that had
 * it last: if it were locked for all, a thief could keep its owner out.
 */
export class BadProofs {
  readonly #addresses = new Map<string, Tries>()
  readonly #sessions = new WeakMap<Session, Tries>()

  /** Remembered addresses, for limits. */
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

  /** Whether this address must not claim the session now. */
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
