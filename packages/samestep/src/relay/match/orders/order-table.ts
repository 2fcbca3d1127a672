import { assert } from '../../../base/assert.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import { ordersDefaults } from '../../../wire/messages/match-config.ts'
import { orderPolicyOf } from '../../../wire/messages/order-policy.ts'
import { slotCount, slotOf } from './issuer-slots.ts'

/**
 * What the relay knows of a game's orders: no names, no fields, only who may give which kind when and
 * how often (ORD-08, ORD-09). It comes with the match config, from whoever makes the match. Every
 * simulation checks the same again; the relay only spares everybody the traffic.
 */

/** The rules of one kind of order. */
export type OrderKind = MatchConfig['orderKinds'][number]

/**
 * A limit of its own for a class of orders, such as marks on the map (SEC-10): orders of one seat per
 * second over a long time, and at once; both 0 for no limit besides that of all orders.
 */
export type OrderClass = MatchConfig['orderClasses'][number]

/** The table of a game's orders. The first bits of an order are its kind, lowest bit first. */
export interface OrderTable {
  readonly kinds: readonly OrderKind[]
  readonly classes: readonly OrderClass[]
}

/** What does not fit together in a table that a stranger sent; `undefined` when all does. */
export function checkOrderTable({ kinds, classes }: OrderTable): string | undefined {
  for (const [index, { perSecond, burst }] of classes.entries()) {
    if ((perSecond === 0) !== (burst === 0)) {
      return `class ${index} allows ${perSecond} per second and ${burst} at once`
    }
  }
  for (const [index, { classIndex }] of kinds.entries()) {
    if (classIndex >= classes.length) {
      return `kind ${index} is of class ${classIndex}; there are ${classes.length}`
    }
  }
  return undefined
}

/** The rules that a match was made with; `undefined` when it knows nothing of its orders. */
export function makeRulebook(
  config: Pick<MatchConfig, 'orderKinds' | 'orderClasses' | 'orders'>,
): OrderRulebook | undefined {
  const { orderKinds: kinds, orderClasses: classes, orders } = config
  if (kinds.length === 0) return undefined
  return new OrderRulebook({ kinds, classes }, orders)
}

/** Bits that tell so many kinds apart, as the game's codec writes them. */
function kindBitsOf(kindCount: number): number {
  return 32 - Math.clz32(Math.max(kindCount - 1, 0))
}

/** Who issued an order. */
export type Issuer = 'player' | 'spectator' | 'relay'

/** Why an order does not come in by the rules of its kind. */
export type OrderRuleFault =
  /** No such kind, or one that others give: no client of ours sends it. */
  | 'wrong-order'
  /** Larger than its kind can be: no client of ours sends it. */
  | 'too-large'
  /** Not from a spectator, or not from a player: it may have been the other one when it was issued. */
  | 'no-seat'
  /** Of a class that this match forbids. */
  | 'forbidden'

/** A checked table, laid out for one look per order. */
export class OrderRulebook {
  readonly kindBits: number
  readonly classes: readonly OrderClass[]
  readonly #kindMask: number
  readonly #by: readonly OrderKind['by'][]
  readonly #maxBytes: Uint16Array
  readonly #runsPaused: Uint8Array
  readonly #isForbidden: Uint8Array
  readonly #maxPerTick: Uint8Array
  readonly #classes: Uint8Array

  constructor(table: OrderTable, orders: MatchConfig['orders'] = ordersDefaults) {
    assert(checkOrderTable(table) === undefined, 'A table of orders was used unchecked')
    const { kinds, classes } = table
    const kindBits = kindBitsOf(kinds.length)
    this.kindBits = kindBits
    this.classes = classes
    this.#kindMask = 2 ** kindBits - 1
    this.#by = kinds.map(({ by }) => by)
    this.#maxBytes = Uint16Array.from(kinds, ({ maxBytes }) => maxBytes)
    const policy = orderPolicyOf({ orderKinds: [...kinds], orders })
    this.#runsPaused = Uint8Array.from(policy, ({ runsPaused }) => (runsPaused ? 1 : 0))
    this.#isForbidden = Uint8Array.from(policy, ({ isForbidden }) => (isForbidden ? 1 : 0))
    this.#maxPerTick = Uint8Array.from(kinds, ({ maxPerTick }) => maxPerTick)
    this.#classes = Uint8Array.from(kinds, ({ classIndex }) => classIndex)
  }

  get kindCount(): number {
    return this.#classes.length
  }

  /** The kind of an order; -1 when the game has none such. */
  kindOf(bytes: Uint8Array): number {
    if (bytes.length === 0) return this.kindBits === 0 && this.kindCount > 0 ? 0 : -1
    const kind = (bytes[0] as number) & this.#kindMask
    return kind < this.kindCount ? kind : -1
  }

  classOf(kind: number): number {
    return this.#classes[kind] as number
  }

  maxPerTickOf(kind: number): number {
    return this.#maxPerTick[kind] as number
  }

  /** Why an order does not come in of whoever issued it; `undefined` when it does. */
  refusalOf(bytes: Uint8Array, issuer: Issuer = 'player'): OrderRuleFault | undefined {
    const kind = this.kindOf(bytes)
    const by = this.#by[kind]
    if (by !== issuer && !(by === 'everybody' && issuer !== 'relay')) {
      // Seats change hands while orders are on their way.
      const isOtherRole = by === 'player' || by === 'spectator'
      return isOtherRole && issuer !== 'relay' ? 'no-seat' : 'wrong-order'
    }
    if (bytes.byteLength > (this.#maxBytes[kind] as number)) return 'too-large'
    return this.#isForbidden[kind] === 1 ? 'forbidden' : undefined
  }

  /** Whether an order waits for the end of a pause (ORD-10). What is of no kind does not. */
  waitsInPause(bytes: Uint8Array): boolean {
    const kind = this.kindOf(bytes)
    return kind >= 0 && this.#runsPaused[kind] === 0
  }
}

/**
 * Decides what is sealed in one tick, so that nothing is sealed only to be refused by every simulation.
 * Orders are counted by seat and kind, and what is over waits for the next tick; what may not run in a
 * pause waits for its end.
 */
export class TickCaps {
  readonly #rules: OrderRulebook
  readonly #counts: Uint8Array
  readonly #seats: number
  #isClean = true
  #isPaused = false

  constructor(rules: OrderRulebook, seats: number) {
    this.#rules = rules
    this.#seats = seats
    this.#counts = new Uint8Array(slotCount(seats) * rules.kindCount)
  }

  /** Whether the tick is one of a pause. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** Forgets the tick before. */
  startTick(isPaused: boolean): void {
    this.#isPaused = isPaused
    if (this.#isClean) return
    this.#counts.fill(0)
    this.#isClean = true
  }

  /** Whether an order has to wait for the end of the pause. */
  isHeld(bytes: Uint8Array): boolean {
    return this.#isPaused && this.#rules.waitsInPause(bytes)
  }

  /** Counts one order of a seat in; false, and not counted, when it is one too many for this tick. */
  count(seat: number, bytes: Uint8Array): boolean {
    const kind = this.#rules.kindOf(bytes)
    // What is of no kind was never let in; should it be here, every simulation refuses it.
    if (kind < 0) return true
    const index = slotOf(seat, this.#seats) * this.#rules.kindCount + kind
    const count = this.#counts[index] as number
    if (count >= this.#rules.maxPerTickOf(kind)) return false
    this.#counts[index] = count + 1
    this.#isClean = false
    return true
  }
}
