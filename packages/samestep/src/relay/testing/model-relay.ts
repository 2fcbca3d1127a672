import type { LeaveReason, SystemEvent } from '../../sim/game/bundle.ts'
import {
  bundleEventsMax,
  bundleFrameBitsMax,
  bundleOrdersMax,
  datagramBundleBytesMax,
  eventBitsMax,
  inputAheadTicksMax,
  orderFrameBits,
  waitingOrdersMax,
} from '../../wire/limits.ts'
import type { MatchConfig } from '../../wire/messages.ts'
import { slotDeltaBitsMax } from '../../wire/slot-delta.ts'

// What a relay decides, written a second time: as plainly as possible, with lists and maps, without
// bytes, rings or windows. The real one must seal the same.

/** One order, with the whole number that its issuer counts. */
export type ModelOrder = {
  readonly seat: number
  readonly number: number
  readonly bytes: Uint8Array
}

/** Everything that one tick decides. */
export interface ModelTick {
  readonly tick: number
  readonly orders: readonly ModelOrder[]
  readonly events: readonly SystemEvent[]
  readonly inputs: readonly (readonly number[])[]
  readonly missing: readonly boolean[]
}

/** What a client says in one turn, as far as it is decided upon. */
export interface ModelTurn {
  readonly firstOrder: number
  readonly orders: readonly Uint8Array[]
  readonly firstInputTick: number
  readonly inputs: readonly (readonly number[])[]
}

type ModelSeat = {
  isTaken: boolean
  expectedFrom: number
  nextOrder: number
  readonly inputs: Map<number, readonly number[]>
  /** What was sealed last. */
  last: readonly number[]
}

/** The naive relay of one match. */
export class ModelRelay {
  readonly #config: MatchConfig
  readonly #seats: ModelSeat[]
  readonly #initial: readonly number[]
  /** Ticks of grace before a seat's input is called missing. */
  readonly #graceTicks: number
  #waiting: (ModelOrder & { readonly atMs: number })[] = []
  #events: SystemEvent[] = []
  #tick = 0

  constructor(config: MatchConfig, graceTicks: number) {
    this.#config = config
    this.#graceTicks = graceTicks
    this.#initial = config.inputSlots.map(({ initial }) => initial)
    this.#seats = Array.from({ length: config.seats }, () => ({
      isTaken: false,
      expectedFrom: Number.POSITIVE_INFINITY,
      nextOrder: 0,
      inputs: new Map(),
      last: this.#initial,
    }))
  }

  join(seat: number): void {
    const place = this.#seats[seat]!
    place.isTaken = true
    place.nextOrder = 0
    place.expectedFrom = this.#tick + 1 + this.#config.inputDelay + this.#graceTicks
    this.#waiting = this.#waiting.filter((order) => order.seat !== seat)
    this.#events.push({ type: 'join', seat })
  }

  leave(seat: number, reason: LeaveReason): void {
    const place = this.#seats[seat]!
    place.isTaken = false
    place.expectedFrom = Number.POSITIVE_INFINITY
    place.inputs.clear()
    const isNew = this.#events.some((event) => event.type === 'join' && event.seat === seat)
    if (isNew) {
      // Nobody saw him come, so nobody sees him go.
      this.#events = this.#events.filter((event) => event.type !== 'join' || event.seat !== seat)
      this.#waiting = this.#waiting.filter((order) => order.seat !== seat)
    } else {
      this.#events.push({ type: 'leave', seat, reason })
    }
  }

  /** Takes a turn in; gives the numbers of the orders that are refused because too many wait. */
  turn(seat: number, turn: ModelTurn, atMs: number): number[] {
    const place = this.#seats[seat]!
    const refused: number[] = []
    turn.inputs.forEach((slots, index) => {
      const tick = turn.firstInputTick + index
      if (tick <= this.#tick || tick > this.#tick + inputAheadTicksMax) return
      if (!place.inputs.has(tick)) place.inputs.set(tick, slots)
    })
    turn.orders.forEach((bytes, index) => {
      const number = turn.firstOrder + index
      if (number !== place.nextOrder) return
      place.nextOrder += 1
      const waiting = this.#waiting.filter((order) => order.seat === seat).length
      if (waiting >= waitingOrdersMax) refused.push(number)
      else this.#waiting.push({ seat, number, bytes, atMs })
    })
    return refused
  }

  seal(): ModelTick {
    this.#tick += 1
    const decided = this.#seats.map((place) => this.#decideInput(place))
    const events = this.#events.splice(0, bundleEventsMax)
    const changed = decided.filter((one) => one.isChanged).length
    const orders = this.#takeOrders(events.length, changed)
    const inputs = decided.map(({ slots }) => slots)
    return {
      tick: this.#tick,
      orders,
      events,
      inputs,
      missing: decided.map((one) => one.isMissing),
    }
  }

  #decideInput(place: ModelSeat): {
    readonly slots: readonly number[]
    readonly isMissing: boolean
    readonly isChanged: boolean
  } {
    const { inputSlots, missing } = this.#config
    const given = place.inputs.get(this.#tick)
    const isExpected = place.expectedFrom <= this.#tick
    const held = place.last.map((value, index) =>
      inputSlots[index]!.isOneShot ? this.#initial[index]! : value,
    )
    const made = isExpected && missing.kind !== 'idle' ? held : this.#initial
    place.last = given ?? made
    const isChanged = place.last.some((value, index) => value !== held[index])
    const isMissing = isExpected && given === undefined && held.length > 0
    return { slots: place.last, isMissing, isChanged }
  }

  #takeOrders(eventCount: number, changed: number): ModelOrder[] {
    const sorted = this.#waiting.toSorted((a, b) => a.atMs - b.atMs || a.seat - b.seat)
    const perChange = slotDeltaBitsMax(this.#config.inputSlots)
    const inputBits = this.#seats.length * 2 + changed * perChange
    let bits = bundleFrameBitsMax + inputBits + eventCount * eventBitsMax
    const taken: ModelOrder[] = []
    for (const order of sorted) {
      bits += orderFrameBits + order.bytes.byteLength * 8
      if (taken.length === bundleOrdersMax) break
      if (taken.length > 0 && bits > datagramBundleBytesMax * 8) break
      taken.push({ seat: order.seat, number: order.number, bytes: order.bytes })
    }
    this.#waiting = sorted.slice(taken.length)
    return taken
  }
}
