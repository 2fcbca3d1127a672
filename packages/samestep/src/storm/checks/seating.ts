import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { World } from '../engine/world.ts'
import type { Witnessed } from './order-checks.ts'

/** Who sits where, by what clients were told and by what was sealed: whose orders may be sealed (I-06). */
export class Seating {
  readonly #world: World
  /** Whether seats may change hands until the match begins. */
  readonly #isAsked: boolean
  readonly #bySeat = new Map<number, Witnessed>()
  /** Who sat there last: what he ordered may still be sealed. */
  readonly #formerBySeat = new Map<number, Witnessed>()
  /** Who watches, by the number of the member. */
  readonly #watchers = new Map<number, Witnessed>()
  /** Seats that attackers sit in: whatever they send is nobody's order. */
  readonly #strangers = new Set<number>()

  constructor(world: World, isAsked: boolean) {
    this.#world = world
    this.#isAsked = isAsked
  }

  /** Honest clients by their seats. */
  get bySeat(): ReadonlyMap<number, Witnessed> {
    return this.#bySeat
  }

  noteSeated(
    client: Witnessed,
    seat: number | undefined,
    member: number | undefined,
    hasBegun: boolean,
  ): void {
    if (seat === undefined && member !== undefined) this.#watchers.set(member, client)
    const holder = seat === undefined ? undefined : this.#bySeat.get(seat)
    const isFree = holder === undefined || (this.#isAsked && !hasBegun)
    this.#world.always('I-06', isFree || holder === client, `Seat ${seat} given twice`)
    if (client.seat !== undefined && this.#bySeat.get(client.seat) === client) {
      this.#bySeat.delete(client.seat)
    }
    client.seat = seat
    if (seat === undefined) return
    this.#bySeat.set(seat, client)
    this.#strangers.delete(seat)
  }

  noteStranger(seat: number): void {
    this.#strangers.add(seat)
  }

  isStranger(seat: number): boolean {
    return this.#strangers.has(seat)
  }

  /** The relay let a player go. */
  noteLeft(seat: number): void {
    const client = this.#bySeat.get(seat)
    this.#bySeat.delete(seat)
    if (client !== undefined) this.#formerBySeat.set(seat, client)
  }

  /**
   * From the tick of a hand-over on, orders and inputs of a seat are those of somebody else: of the
   * client that is returned, or of a stranger.
   */
  noteEvent(event: SystemEvent, clients: readonly Witnessed[]): Witnessed | undefined {
    if (event.type !== 'hand-over') return undefined
    const { seat, member } = event
    this.#world.sometimes('a seat was handed over')
    for (const client of clients) {
      if (client.seat !== seat) continue
      client.seat = undefined
      if (client.member !== undefined) this.#watchers.set(client.member, client)
    }
    this.#bySeat.delete(seat)
    const heir = clients.find((client) => client.member === member)
    // Strangers watch as well, and are given seats.
    if (heir === undefined) this.#strangers.add(seat)
    else this.#strangers.delete(seat)
    if (heir === undefined) return undefined
    heir.seat = seat
    this.#bySeat.set(seat, heir)
    return heir
  }

  /** Whose order of a seat, or of a spectator, was sealed; `undefined` for a stranger's. */
  issuerOf(seat: number): Witnessed | undefined {
    const watcher = this.#watchers.get(-2 - seat)
    const client = watcher ?? this.#bySeat.get(seat) ?? this.#formerBySeat.get(seat)
    this.#world.sometimes('an order of a spectator was sealed', watcher !== undefined)
    if (client !== undefined && !this.#strangers.has(seat)) return client
    // Strangers watch as well.
    const isStranger = seat < 0 || this.#strangers.has(seat)
    this.#world.always('I-06', isStranger, `An order of seat ${seat}, where nobody sits`)
    return undefined
  }
}
