/**
 * Plays a game by chance: orders and inputs that fit the schema, edges more often than they would
 * come, quiet hours and frantic ones, players who leave and come back, pauses, nonsense bytes. What
 * the game itself suggests (`explore`) is mixed in, since chance alone seldom builds a base.
 */

import { Prng } from '../../base/prng.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { OrderIssuer, OrderType } from '../../sim/game/orders/order.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import { relaySeat, spectatorSeat } from '../../sim/game/run/bundle.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../sim/random/index.ts'
import type { AnyField, RefSource } from '../../sim/schema/index.ts'
import type { TableReader } from '../../sim/state/table-rows.ts'
import type { ScriptItem } from './script.ts'

/** What `explore` can read. */
export interface ExploreContext<State = never> {
  /** The state, read-only. */
  readonly state: State
  readonly seat: number
  readonly tick: number
  /** The check's own random numbers: the same for the same seed, and independent of the simulation's. */
  readonly random: CosmeticRandom
}

/** What a sensible player would do: issue an order, change controls, or nothing. */
export type Suggestion =
  | { readonly type: string; readonly data: object }
  | { readonly input: object }
  | undefined

// biome-ignore lint/suspicious/noExplicitAny: a game's own state type is known where it is written.
type Whatever = any

/** Suggests what one player could sensibly do now. */
export type Explore = (context: ExploreContext<Whatever>) => Suggestion

type Mood = {
  readonly ordersPerTick: number
  readonly inputChance: number
  readonly untilTick: number
}

/** From silence to more than hands can do. */
const orderRates = [0, 0.05, 0.3, 1, 4] as const
const inputRates = [0.01, 0.1, 0.5] as const
/** Long enough for a mood to have consequences, short enough for all of them to come. */
const moodTicksMin = 20
const moodTicksMax = 150
/** Of all orders, how many are what the game suggests, where it suggests any. */
const suggestedShare = 0.6
const nonsenseShare = 0.01
const repeatedShare = 0.03
/** Some of each in a match of a thousand ticks. */
const leaveChance = 0.003
const pauseChance = 0.002
const otherEventChance = 0.004

type Weighted = { readonly type: OrderType; readonly weight: number }

/** Writes the items of one match while it goes on. */
export class Explorer {
  readonly #game: Game
  readonly #seats: number
  readonly #prng: Prng
  readonly #random: CosmeticRandom
  readonly #explore: Explore | undefined
  readonly #byPlayers: readonly Weighted[]
  readonly #bySpectators: readonly Weighted[]
  readonly #byRelay: readonly Weighted[]
  readonly #inputFields: readonly (readonly [string, AnyField])[]
  readonly #held: object[]
  readonly #present: Set<number>
  #mood: Mood = { ordersPerTick: 0, inputChance: 0, untilTick: 0 }
  #resumeAt = 0
  #lastOrder: Uint8Array | undefined

  constructor(game: Game, seats: number, seed: number, explore?: Explore) {
    this.#game = game
    this.#seats = seats
    this.#prng = new Prng(seed, 'check/explorer')
    this.#random = new CosmeticRandom(seed)
    this.#explore = explore
    const weighted = game.orderCodec.types.map((type) => weigh(type))
    const isFor = (who: OrderIssuer) => (each: Weighted) => {
      return each.type.by === who || each.type.by === 'everybody'
    }
    this.#byPlayers = weighted.filter(isFor('player'))
    this.#bySpectators = weighted.filter(isFor('spectator'))
    this.#byRelay = weighted.filter(({ type }) => type.by === 'relay')
    const { fields } = game.inputCodec
    this.#inputFields = Object.entries(fields)
    this.#held = Array.from({ length: seats }, () => game.inputCodec.makeDefault())
    this.#present = new Set()
  }

  /** What happens at the next tick, given the state before it. */
  next(tick: number, simulation: Simulation): ScriptItem[] {
    const items: ScriptItem[] = []
    for (const event of this.#events(tick)) items.push({ tick, kind: 'event', event })
    if (tick >= this.#mood.untilTick) this.#mood = this.#drawMood(tick)
    for (let seat = 0; seat < this.#seats; seat++) {
      if (!this.#prng.chance(this.#mood.inputChance) || this.#inputFields.length === 0) continue
      items.push({ tick, kind: 'input', seat, input: this.#changeInput(seat) })
    }
    for (let left = this.#orderCount(); left > 0; left--) {
      const item = this.#drawOrder(tick, simulation)
      if (item !== undefined) items.push(item)
    }
    return items
  }

  #drawMood(tick: number): Mood {
    const prng = this.#prng
    return {
      ordersPerTick: prng.pick(orderRates),
      inputChance: prng.pick(inputRates),
      untilTick: tick + moodTicksMin + prng.below(moodTicksMax - moodTicksMin),
    }
  }

  #orderCount(): number {
    const { ordersPerTick } = this.#mood
    const whole = Math.floor(ordersPerTick)
    return whole + (this.#prng.chance(ordersPerTick - whole) ? 1 : 0)
  }

  #events(tick: number): SystemEvent[] {
    const prng = this.#prng
    const events: SystemEvent[] = []
    if (tick === 1) for (let seat = 0; seat < this.#seats; seat++) events.push(this.#join(seat))
    if (prng.chance(leaveChance)) {
      const seat = prng.below(this.#seats)
      events.push(this.#present.has(seat) ? this.#leave(seat) : this.#join(seat))
    }
    if (this.#resumeAt === 0 && prng.chance(pauseChance)) {
      this.#resumeAt = tick + 2 + prng.below(10)
      events.push({ type: 'pause', seat: prng.below(this.#seats) })
    } else if (this.#resumeAt > 0 && tick >= this.#resumeAt) {
      this.#resumeAt = 0
      events.push({ type: 'resume', seat: undefined })
    }
    if (prng.chance(otherEventChance)) {
      events.push(
        prng.chance(0.5)
          ? { type: 'speed', percent: prng.pick([50, 75, 100, 150, 200]) }
          : { type: 'delay', ticks: 1 + prng.below(6) },
      )
    }
    return events
  }

  #join(seat: number): SystemEvent {
    this.#present.add(seat)
    return { type: 'join', seat }
  }

  #leave(seat: number): SystemEvent {
    this.#present.delete(seat)
    this.#held[seat] = this.#game.inputCodec.makeDefault()
    return { type: 'leave', seat, reason: 'left' }
  }

  #changeInput(seat: number, changes?: object): object {
    const prng = this.#prng
    const { inputCodec } = this.#game
    const next = inputCodec.copy(this.#held[seat] as never) as { [name: string]: unknown }
    for (const [name, field] of Object.entries(inputCodec.fields)) {
      if (field.isOneShot) next[name] = field.makeDefault()
    }
    if (changes !== undefined) Object.assign(next, changes)
    else {
      // A hand moves one thing at a time; a new scene moves all of them.
      const fields = prng.chance(0.7) ? [prng.pick(this.#inputFields)] : this.#inputFields
      for (const [name, field] of fields) next[name] = field.sample(prng, noRef)
    }
    this.#held[seat] = next
    return next
  }

  #drawOrder(tick: number, simulation: Simulation): ScriptItem | undefined {
    const prng = this.#prng
    const seat = prng.below(this.#seats)
    if (this.#lastOrder !== undefined && prng.chance(repeatedShare)) {
      return orderItem(tick, seat, this.#lastOrder)
    }
    if (this.#byRelay.length > 0 && prng.chance(0.05)) {
      const bytes = this.#encodeRandom(this.#byRelay, simulation)
      return bytes && orderItem(tick, relaySeat, bytes)
    }
    if (this.#bySpectators.length > 0 && prng.chance(0.05)) {
      const bytes = this.#encodeRandom(this.#bySpectators, simulation)
      return bytes && orderItem(tick, spectatorSeat(prng.below(100)), bytes)
    }
    if (this.#explore !== undefined && prng.chance(suggestedShare)) {
      return this.#suggested(tick, seat, simulation)
    }
    if (this.#byPlayers.length === 0) return undefined
    const bytes = this.#encodeRandom(this.#byPlayers, simulation)
    if (bytes === undefined) return undefined
    this.#lastOrder = bytes
    return orderItem(tick, seat, prng.chance(nonsenseShare) ? damage(bytes, prng) : bytes)
  }

  #suggested(tick: number, seat: number, simulation: Simulation): ScriptItem | undefined {
    const { view } = simulation
    const suggestion = this.#explore?.({ state: view, seat, tick, random: this.#random })
    if (suggestion === undefined) return undefined
    if ('input' in suggestion) {
      const input = this.#changeInput(seat, suggestion.input)
      this.#game.inputCodec.check(input, 'input')
      return { tick, kind: 'input', seat, input }
    }
    return orderItem(tick, seat, this.#game.orderCodec.encode(suggestion.type, suggestion.data))
  }

  /** Nothing when what was drawn is larger than the kind allows. */
  #encodeRandom(types: readonly Weighted[], simulation: Simulation): Uint8Array | undefined {
    const { type } = this.#pick(types)
    const data = type.codec.sample(this.#prng, refsOf(simulation))
    const { orderCodec } = this.#game
    return orderCodec.fits(type, data) ? orderCodec.encode(type.name, data) : undefined
  }

  #pick(types: readonly Weighted[]): Weighted {
    let left = this.#prng.unit() * types.reduce((sum, { weight }) => sum + weight, 0)
    for (const each of types) {
      left -= each.weight
      if (left < 0) return each
    }
    return types.at(-1) as Weighted
  }
}

/**
 * An order that says nothing but its name is mostly one that ends something (resign, surrender): in
 * a match of random orders it would come first and leave nothing to check.
 */
function weigh(type: OrderType): Weighted {
  return { type, weight: 0.02 + Math.min(type.codec.bitsMax, 16) / 16 }
}

function orderItem(tick: number, seat: number, bytes: Uint8Array): ScriptItem {
  return { tick, kind: 'order', order: { seat, bytes } }
}

function noRef(): number {
  return 0
}

/** Finds living rows in a simulation's tables. */
export function refsOf(simulation: Simulation): RefSource {
  return (table, prng) => {
    const rows = (simulation.state as { readonly [name: string]: TableReader })[table]
    if (rows === undefined || rows.rowsUsed === 0) return 0
    const row = prng.below(rows.rowsUsed)
    return rows.isAlive(row) ? rows.refOf(row) : 0
  }
}

/** Bytes that are almost right: cut, longer, or with a bit turned over. */
export function damage(bytes: Uint8Array, prng: Prng): Uint8Array {
  const kind = prng.below(3)
  if (kind === 0 && bytes.length > 0) return bytes.slice(0, prng.below(bytes.length))
  if (kind === 1 || bytes.length === 0) {
    const longer = new Uint8Array(bytes.length + 1)
    longer.set(bytes)
    longer[bytes.length] = prng.below(256)
    return longer
  }
  const turned = bytes.slice()
  const at = prng.below(bytes.length)
  turned[at] = (turned[at] as number) ^ (1 << prng.below(8))
  return turned
}
