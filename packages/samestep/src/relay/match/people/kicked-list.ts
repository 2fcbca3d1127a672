import { kickedMarksMax } from '../../../record/limits.ts'
import { fromHex, toHex } from '../../../sim/hash/hex.ts'
import { personMark } from './person-mark.ts'
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
  #count = 0

  constructor(byAddress: boolean) {
    this.#byAddress = byAddress
  }

  /** Marks that were ever added: those since another count are the newest. */
  get count(): number {
    return this.#count
  }

  /** The newest marks, the oldest of them first. */
  newest(count: number): Uint8Array[] {
    const marks = [...this.#marks]
    return marks.slice(Math.max(marks.length - count, 0)).map(fromHex)
  }

  note({ ticket, visitor }: { readonly ticket: Uint8Array; readonly visitor: Visitor }): void {
    this.#add(this.#marksOf({ ...visitorMarks(visitor), ticket }))
  }

  /** Goes on where another relay was. */
  restore(marks: readonly Uint8Array[]): void {
    this.#add(marks.map(toHex))
  }

  has(who: KickMarks): boolean {
    return this.#marks.size > 0 && this.#marksOf(who).some((mark) => this.#marks.has(mark))
  }

  #add(marks: readonly string[]): void {
    for (const mark of marks) {
      // Again at the end: who is removed twice is among the newest.
      this.#marks.delete(mark)
      this.#marks.add(mark)
      this.#count += 1
    }
    for (const oldest of this.#marks) {
      if (this.#marks.size <= kickedMarksMax) break
      this.#marks.delete(oldest)
    }
  }

  #marksOf({ ticket, identity, address }: KickMarks): string[] {
    return [
      ...(ticket === undefined ? [] : [personMark('ticket', ticket)]),
      ...(identity === undefined ? [] : [personMark('identity', identity)]),
      ...(address === undefined || !this.#byAddress ? [] : [personMark('address', address)]),
    ]
  }
}

function visitorMarks({ identity, address }: Visitor): Pick<KickMarks, 'identity' | 'address'> {
  return { identity, address }
}
