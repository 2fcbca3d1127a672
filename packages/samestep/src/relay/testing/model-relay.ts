import type { LeaveReason, SystemEvent } from '../../sim/game/run/bundle.ts'
import {
  bundleEventsMax,
  bundleFrameBitsMax,
  bundleOrdersMax,
  datagramBundleBytesMax,
  eventBitsMax,
  inputAheadTicksMax,
  waitingOrdersMax,
} from '../../wire/limits.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import { slotDeltaBitsMax } from '../../wire/ticks/slot-delta.ts'
import { ModelBudget } from './model-budget.ts'
import { ModelQueue } from './model-queue.ts'

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
  budget: ModelBudget
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
  readonly #waiting = new ModelQueue<ModelOrder & { readonly atMs: number }>()
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
      budget: new ModelBudget(0),
      inputs: new Map(),
      last: this.#initial,
    }))
  }

  join(seat: number, atMs: number): void {
    const place = this.#seats[seat]!
    place.isTaken = true
    place.nextOrder = 0
    place.budget = new ModelBudget(atMs)
    place.expectedFrom = this.#tick + 1 + this.#config.inputDelay + this.#graceTicks
    this.#waiting.forgetSeat(seat)
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
      this.#waiting.forgetSeat(seat)
    } else {
      this.#events.push({ type: 'leave', seat, reason })
    }
  }

  /** Takes a turn in; gives the numbers of the orders that are refused: too fast, or too many wait. */
  turn(seat: number, turn: ModelTurn, atMs: number): number[] {
    const place = this.#seats[seat]!
    const refused: number[] = []
    place.budget.hear(atMs)
    turn.inputs.forEach((slots, index) => {
      const tick = turn.firstInputTick + index
      if (tick <= this.#tick || tick > this.#tick + inputAheadTicksMax) return
      if (!place.inputs.has(tick)) place.inputs.set(tick, slots)
    })
    turn.orders.forEach((bytes, index) => {
      const number = turn.firstOrder + index
      if (number !== place.nextOrder) return
      place.nextOrder += 1
      const isTaken = place.budget.take(bytes.byteLength, atMs)
      if (!isTaken || this.#waiting.waitingOf(seat) >= waitingOrdersMax) refused.push(number)
      else this.#waiting.add({ seat, number, bytes, atMs })
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
    const perChange = slotDeltaBitsMax(this.#config.inputSlots)
    const inputBits = this.#seats.length * 2 + changed * perChange
    const used = bundleFrameBitsMax + inputBits + eventCount * eventBitsMax
    const taken = this.#waiting.take(datagramBundleBytesMax * 8 - used, bundleOrdersMax)
    return taken.map(({ seat, number, bytes }) => ({ seat, number, bytes }))
  }
}
