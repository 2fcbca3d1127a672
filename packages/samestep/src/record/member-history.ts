import { WireError } from '../base/errors.ts'
import { spectatorOf } from '../sim/game/run/bundle.ts'
import { outboxOrdersMax, waitingOrdersMax } from '../wire/limits.ts'
import { areSameBytes } from '../wire/messages/return-proof.ts'
import type { BundleOrder } from '../wire/ticks/bundle-codec.ts'
import type { EntryBody } from './entries.ts'
import { recordMembersMax } from './entries.ts'

/** An order that was taken and waits for a tick with room. */
export type TakenOrder = EntryBody<'taken'>

/**
 * Who is in a match by its entries, and how far each has come with its orders: which of them were
 * taken, refused or sealed, and so the number that its next one has.
 */
export class MemberHistory {
  readonly #seats: number
  readonly #byId = new Map<number, EntryBody<'member'>>()
  #taken: TakenOrder[] = []
  /** By member: the newest, of which the client may not have heard. */
  readonly #refused = new Map<number, EntryBody<'refused'>[]>()

  constructor(seats: number) {
    this.#seats = seats
  }

  get byId(): ReadonlyMap<number, EntryBody<'member'>> {
    return this.#byId
  }

  /** Orders that were taken and are not sealed, in sequence. */
  get taken(): readonly TakenOrder[] {
    return this.#taken
  }

  /** Orders of a member that were refused, the newest. */
  refusalsOf(member: number): readonly EntryBody<'refused'>[] {
    return this.#refused.get(member) ?? []
  }

  /** @throws WireError for a seat that there is not, or one member too many. */
  set(member: EntryBody<'member'>): void {
    const { seat } = member
    if (seat !== undefined && seat >= this.#seats) {
      throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot seat anybody in seat ${seat}`)
    }
    // The count began anew: what was refused before has no number any more.
    const isAnew = member.nextOrder < (this.#byId.get(member.id)?.nextOrder ?? 0)
    if (isAnew) this.#refused.delete(member.id)
    this.#byId.set(member.id, member)
    if (this.#byId.size <= recordMembersMax) return
    throw new WireError('SS_WIRE_TOO_LARGE', 0, `Cannot keep more than ${recordMembersMax} members`)
  }

  remove(member: number): void {
    this.#byId.delete(member)
    this.#refused.delete(member)
  }

  refuse(refusal: EntryBody<'refused'>): void {
    const { member, number } = refusal
    // More cannot be on their way to a client.
    this.#refused.set(member, [...this.refusalsOf(member).slice(1 - outboxOrdersMax), refusal])
    this.#count(this.#byId.get(member), number)
  }

  /** @throws WireError for a seat that there is not. */
  take(order: TakenOrder): void {
    if (order.seat >= this.#seats) {
      throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot take orders of seat ${order.seat}`)
    }
    this.#taken.push(order)
    this.#count(this.#memberAt(order.seat), order.number)
  }

  /** What a seat had ordered will not be sealed. */
  drop(seat: number): void {
    this.#taken = this.#taken.filter((order) => order.seat !== seat)
  }

  /** A sealed order was waiting, or it is the next of its seat: a bundle has the low bits of its number. */
  noteSealed({ seat, number: low, bytes }: BundleOrder): void {
    // In a pause orders overtake others, by more than the bits of a number may count.
    const index = this.#taken.findIndex((order) => {
      return order.seat === seat && order.number % 256 === low && areSameBytes(order.bytes, bytes)
    })
    if (index >= 0) {
      this.#taken.splice(index, 1)
      return
    }
    const member = this.#memberAt(seat)
    if (member === undefined) return
    const ahead = (low - (member.nextOrder % 256) + 256) % 256
    // One that was taken before the first entry, and waited: it is counted. No more can wait.
    if (ahead >= 256 - waitingOrdersMax) return
    this.#count(member, member.nextOrder + ahead)
  }

  #count(member: EntryBody<'member'> | undefined, number: number): void {
    if (member === undefined || number < member.nextOrder) return
    this.#byId.set(member.id, { ...member, nextOrder: number + 1 })
  }

  #memberAt(seat: number): EntryBody<'member'> | undefined {
    const spectator = spectatorOf(seat)
    if (spectator !== undefined) return this.#byId.get(spectator)
    for (const member of this.#byId.values()) if (member.seat === seat) return member
    return undefined
  }
}
