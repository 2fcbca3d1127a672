import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import type { World } from '../engine/world.ts'
import { isAllowedBy, isForbidden, OrderSequence, runsInPause } from './order-sequence.ts'
import { equalBytes } from './room-checks.ts'
import type { InputBook } from './sealed-checks.ts'

/** An order as its issuer sees it. */
type IssuedOrder = {
  readonly bytes: Uint8Array
  readonly number: number
  sealedAt: number
  /** Orders of this issuer that might have waited in the relay when it was issued. */
  readonly openBefore: number
  /** The game's clock in the tick in which it was sealed. */
  endsAt: number
  end: OrderEnd | undefined
}

/** What is known of one honest client. */
export interface Witnessed {
  readonly name: string
  /** What names its session: eavesdroppers know it. */
  ticket: Uint8Array
  seat: number | undefined
  /** Who it is in the room; `undefined` before it is let in. */
  member: number | undefined
  /** The newest tick that it ran. */
  executedTick: number
  readonly issued: IssuedOrder[]
  /** Which of `issued` may be sealed next. */
  sequence: OrderSequence
  readonly refused: Set<number>
  /** Whether its state is another by plan. */
  isFlipped: boolean
  /** The inputs that it made; `undefined` before the match began. */
  inputs: InputBook | undefined
}

/** Whatever a client did before is over: its next order is its first. */
export function beginAnew(client: Witnessed): void {
  client.issued.length = 0
  client.sequence = new OrderSequence()
  client.refused.clear()
  client.inputs = undefined
}

/** Every order ends once and truthfully, and is sealed in its place. */
export class OrderChecks {
  readonly #world: World
  readonly #mayRefuse: boolean
  #config: MatchConfig | undefined

  /** `mayRefuse` when the relay has less room for orders than clients have on their way. */
  constructor(world: World, mayRefuse: boolean) {
    this.#world = world
    this.#mayRefuse = mayRefuse
  }

  noteStarted(config: MatchConfig): void {
    this.#config = config
  }

  noteIssued(client: Witnessed, number: number, bytes: Uint8Array): void {
    const isOpen = (other: IssuedOrder) => {
      return other.sealedAt === 0 && !client.refused.has(other.number)
    }
    let openBefore = 0
    // Everything before was sealed or refused.
    for (let at = client.sequence.first(false); at < number; at++) {
      if (isOpen(client.issued[at]!)) openBefore += 1
    }
    client.issued.push({ bytes, number, sealedAt: 0, openBefore, endsAt: 0, end: undefined })
  }

  /** A client's place was given up while it was away: whatever it had ordered is over (I-04). */
  noteAnother(client: Witnessed): void {
    const isOver = client.issued.every(({ end }) => end !== undefined)
    this.#world.always('I-04', isOver, () => `${client.name} has orders of whom it was before`)
    this.#world.sometimes('a client came back as somebody else')
    beginAnew(client)
  }

  /** An order ended: once (I-04), and truthfully. */
  noteSettled(client: Witnessed, number: number, end: OrderEnd): void {
    const order = client.issued[number]
    const world = this.#world
    world.always('I-04', order !== undefined && order.end === undefined, () => {
      return `Order ${number} of ${client.name} settled twice, or never issued`
    })
    if (order === undefined) return
    order.end = end
    world.sometimes(`order ${end.result}`)
    if (end.result === 'lost') return
    const tick = end.tick
    if (end.result === 'refused' && end.tick === undefined) {
      client.refused.add(number)
      world.sometimes('order refused by the relay')
      // So many wait for the end of a pause, and no more.
      const isHoldFull = end.reason === 'paused' && order.openBefore >= heldMax
      // People try what the match forbids: their own client does not stop them.
      const config = this.#config
      const isForbidding = config !== undefined && isForbidden(config, order.bytes)
      const isRightly = end.reason === 'forbidden' && isForbidding
      // The seat may have been handed over meanwhile.
      const isMeanwhile = end.reason === 'not-running' || end.reason === 'no-seat'
      const isByRule = isHoldFull || isRightly || isMeanwhile
      world.always('I-21', this.#mayRefuse || isByRule, () => {
        return `Order ${number} of ${client.name}, who is honest, was refused: ${end.reason}`
      })
      world.always('I-04', order.sealedAt === 0, `Order ${number} was refused and sealed`)
      return
    }
    world.always('I-04', order.sealedAt > 0 && order.endsAt === tick, () => {
      return `Order ${number} of ${client.name} settled at ${tick} but was sealed at ${order.endsAt}`
    })
  }

  /**
   * Nobody's order is sealed where it may not run: nowhere if the match forbids its class (ORD-09), and
   * in a pause it waits for the end (ORD-10).
   */
  checkPolicy({ seat, bytes }: BundleOrder, tick: number, isPaused: boolean): void {
    const config = this.#config
    if (config === undefined) return
    this.#world.always('ORD-08', isAllowedBy(config, seat, bytes), () => {
      return `Tick ${tick} has an order of ${seat} that others issue, or that is too large`
    })
    this.#world.always('ORD-09', !isForbidden(config, bytes), () => {
      return `Tick ${tick} has an order of seat ${seat} that the match forbids`
    })
    if (!isPaused) return
    this.#world.always('ORD-10', runsInPause(config, bytes), () => {
      return `Tick ${tick}, of a pause, has an order of seat ${seat} that may not run in one`
    })
    this.#world.sometimes('an order ran in a pause')
  }

  /** Each is sealed once, in the sequence of issue (I-05). */
  noteSealed(client: Witnessed, { seat, number, bytes }: BundleOrder, at: SealedAt): void {
    const world = this.#world
    const { tick, ranTicks, isPaused } = at
    const { issued, sequence, refused } = client
    const first = sequence.first(isPaused)
    // A refusal may still be on its way to the client: those orders are passed over too.
    let index = first
    for (; index < issued.length; index++) {
      if (index % 256 !== number || refused.has(index)) continue
      const { sealedAt, bytes: own } = issued[index]!
      if (sealedAt === 0 && equalBytes(own, bytes)) break
    }
    const order = issued[index]
    world.always('I-05', order !== undefined, () => {
      return `Tick ${tick} has order ${number} of seat ${seat}, which is not the next one issued`
    })
    if (order === undefined) return
    order.sealedAt = tick
    order.endsAt = ranTicks
    world.sometimes('an order waited for the end of a pause', order.number < sequence.first(true))
    sequence.noteSealed(order.number, isPaused)
  }
}

/** Orders of the relay itself are its own, in sequence, each once (I-06). One may be lost in a crash. */
export class RelayOrderBook {
  readonly #world: World
  readonly #open: Uint8Array[] = []

  constructor(world: World) {
    this.#world = world
  }

  noteIssued(bytes: Uint8Array): void {
    this.#open.push(bytes)
  }

  noteSealed(bytes: Uint8Array, tick: number): void {
    const at = this.#open.findIndex((open) => equalBytes(open, bytes))
    this.#world.always('I-06', at >= 0, `Tick ${tick} has an order of the relay that it never gave`)
    this.#world.sometimes('an order of the relay was sealed')
    this.#open.splice(0, at + 1)
  }
}

/** The tick in which an order was sealed, and the game's clock in it. */
type SealedAt = { readonly tick: number; readonly ranTicks: number; readonly isPaused: boolean }

/** Orders of one seat that may wait for the end of a pause. */
const heldMax = 32
