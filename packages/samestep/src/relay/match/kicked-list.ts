import { toHex } from '../../sim/hash/hex.ts'
import type { Visitor } from './visitor.ts'

/** Somebody who was removed is remembered under each of these, for as long as the match lasts. */
export interface KickMarks {
  readonly ticket: Uint8Array | undefined
  readonly identity: string | undefined
  readonly address: string | undefined
}

/**
 * Who was removed from a match by its owner, by a vote or by an operator (T-57, T-67). An identity
 * cannot be changed; a ticket can, by who writes a client of his own. The address stops those too, and
 * everybody else behind it: so only where the operator wants that.
 */
export class KickedList {
  readonly #byAddress: boolean
  readonly #marks = new Set<string>()

  constructor(byAddress: boolean) {
    this.#byAddress = byAddress
  }

  note({ ticket, visitor }: { readonly ticket: Uint8Array; readonly visitor: Visitor }): void {
    for (const mark of this.#marksOf({ ...visitorMarks(visitor), ticket })) this.#marks.add(mark)
    for (const oldest of this.#marks) {
      if (this.#marks.size <= marksMax) break
      this.#marks.delete(oldest)
    }
  }

  has(who: KickMarks): boolean {
    return this.#marks.size > 0 && this.#marksOf(who).some((mark) => this.#marks.has(mark))
  }

  #marksOf({ ticket, identity, address }: KickMarks): string[] {
    return [
      ...(ticket === undefined ? [] : [`ticket ${toHex(ticket)}`]),
      ...(identity === undefined ? [] : [`identity ${identity}`]),
      ...(address === undefined || !this.#byAddress ? [] : [`address ${address}`]),
    ]
  }
}

function visitorMarks({ identity, address }: Visitor): Pick<KickMarks, 'identity' | 'address'> {
  return { identity, address }
}

/** Marks of one match: far more than an owner has the patience for. The oldest are forgotten. */
const marksMax = 1_024
