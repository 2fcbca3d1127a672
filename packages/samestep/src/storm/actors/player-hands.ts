import type { Prng } from '../../base/prng.ts'
import type { Client } from '../../client/client.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { OrderType } from '../../sim/game/orders/order.ts'
import type { AnyField } from '../../sim/schema/field.ts'
import type { TableReader } from '../../sim/state/table-rows.ts'
import type { InputLayout, InputSlot } from '../../wire/ticks/input-layout.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Witnessed } from '../checks/order-checks.ts'
import type { World } from '../engine/world.ts'
import type { ClientPlan } from '../plan/client-plan.ts'
import { BotHands } from './bot-hands.ts'
import { OrderManners } from './order-manners.ts'
import { isPast } from './room-habits.ts'

/** Whose hands they are. */
export interface Player {
  readonly plan: ClientPlan
  readonly client: Client
  readonly witnessed: Witnessed
}

type Described = { readonly name: string; readonly field: AnyField }

type DescribedOrder = Described & { readonly type: OrderType }

/** What an honest player does in the game: orders things, holds controls, and lets bots think. */
export class PlayerHands {
  readonly #world: World
  readonly #game: Game
  readonly #oracle: Oracle
  readonly #player: Player
  readonly #random: Prng
  /** What players and those who watch may issue. Described once: a storm asks for it all the time. */
  readonly #playerOrders: readonly DescribedOrder[]
  readonly #watcherOrders: readonly DescribedOrder[]
  readonly #manners: OrderManners
  readonly #inputFields: readonly Described[]
  readonly #layout: InputLayout
  readonly #botHands: BotHands
  #orderAtMs = 0
  #inputAtMs = 0
  #botAtMs = 0
  #isWorking = true
  /** Whether a one-shot may have been set since the last one was seen. */
  #isArmed = false

  constructor(world: World, game: Game, oracle: Oracle, player: Player) {
    this.#world = world
    this.#game = game
    this.#oracle = oracle
    this.#player = player
    const ordersOf = (who: OrderType['by']): DescribedOrder[] =>
      game.orderCodec.types
        .filter(({ by }) => by === who || by === 'everybody')
        .map((type) => ({ name: type.name, field: type.codec, type }))
    this.#playerOrders = ordersOf('player')
    // A witness watches, and has no say.
    this.#watcherOrders = player.plan.role === 'witness' ? [] : ordersOf('spectator')
    this.#manners = new OrderManners(game.orderCodec.types)
    this.#inputFields = Object.entries(game.inputCodec.fields).map(([name, field]) => {
      return { name, field }
    })
    this.#layout = new InputMapping(game.inputCodec.fields).layout
    this.#random = world.random(`work/${player.plan.name}`)
    this.#botHands = new BotHands(world, player.plan.name, game, player.client)
  }

  start(nowMs: number): void {
    this.#orderAtMs = nowMs
    this.#inputAtMs = nowMs
  }

  /** No new orders or inputs from here on. */
  stop(): void {
    this.#isWorking = false
  }

  /** A bot thinks elsewhere now: what it held here is forgotten. */
  forgetBot(seat: number): void {
    this.#botHands.forget(seat)
  }

  wakeAtMs(): number {
    const { client, plan } = this.#player
    let wake = this.#isThinking ? this.#botAtMs : Number.POSITIVE_INFINITY
    if (this.#isPlaying) {
      if (plan.orderEveryMs > 0) wake = Math.min(wake, this.#orderAtMs)
      const hasInputs = plan.inputEveryMs > 0 && client.seat !== undefined
      if (hasInputs) wake = Math.min(wake, this.#inputAtMs)
    }
    return wake
  }

  /** Whether it does something in the match now: those who only watch issue some orders too. */
  get #isPlaying(): boolean {
    const { client } = this.#player
    if (!this.#isWorking || client.status !== 'active') return false
    return client.seat !== undefined || this.#orderTypes.length > 0
  }

  /** A seat may be handed over while the match runs. */
  get #orderTypes(): readonly DescribedOrder[] {
    return this.#player.client.seat === undefined ? this.#watcherOrders : this.#playerOrders
  }

  work(nowMs: number): void {
    const { client, plan } = this.#player
    this.#think(nowMs)
    if (!this.#isPlaying) return
    if (plan.inputEveryMs > 0 && client.seat !== undefined && isPast(this.#inputAtMs, nowMs)) {
      this.#inputAtMs = nowMs + plan.inputEveryMs * this.#random.exponential()
      this.#changeInput()
    }
    if (plan.orderEveryMs > 0 && isPast(this.#orderAtMs, nowMs)) {
      this.#orderAtMs = nowMs + plan.orderEveryMs * this.#random.exponential()
      if (client.pendingOrders < pendingMax) this.#issue()
    }
  }

  /** A one-shot is in one input, and then in none until it is set again (I-06). */
  noteInput(tick: number, slots: Uint32Array): void {
    const { plan, witnessed } = this.#player
    let isShot = false
    for (let at = 0; at < this.#layout.length; at++) {
      const { isOneShot, initial } = this.#layout[at] as InputSlot
      if (isOneShot && slots[at] !== initial) isShot = true
    }
    this.#world.always('I-06', !isShot || this.#isArmed, () => {
      return `${plan.name} made a shot for tick ${tick} that nobody fired`
    })
    if (isShot) this.#isArmed = false
    this.#oracle.noteInput(witnessed, tick, slots)
  }

  /** Whether bots think here. */
  get #isThinking(): boolean {
    const { botSeats } = this.#player.client
    return this.#isWorking && botSeats.length > 0 && this.#oracle.sealedTick > 0
  }

  /** What a bot thinks of: an order now and then. */
  #think(nowMs: number): void {
    if (!this.#isThinking || !isPast(this.#botAtMs, nowMs)) return
    this.#botAtMs = nowMs + botEveryMs * this.#random.exponential()
    const { client, plan } = this.#player
    if (plan.botsHold === true) this.#botHands.move(this.#oracle.botInputs)
    const { member } = client
    const seat = this.#random.pick(client.botSeats)
    if (member === undefined || this.#playerOrders.length === 0) return
    const { name, field, type } = this.#random.pick(this.#playerOrders)
    const data = field.sample(this.#random, this.#refs)
    if (!this.#game.orderCodec.fits(type, data)) return
    if (!client.issueAs(seat, name, data as never)) return
    this.#oracle.bots.noteIssued(seat, member, this.#game.orderCodec.encode(name, data))
  }

  #issue(): void {
    if (this.#orderTypes.length === 0) return
    const { client, witnessed } = this.#player
    const { name, field, type } = this.#random.pick(this.#orderTypes)
    const data = field.sample(this.#random, this.#refs)
    if (!this.#game.orderCodec.fits(type, data)) return
    // Who watches is let in before the match is set up here.
    if (client.simulation === undefined) return
    if (!this.#manners.mayIssue(name, this.#world.nowMs)) return
    this.#manners.noteIssued(name)
    const number = witnessed.issued.length
    const bytes = this.#game.orderCodec.encode(name, data)
    this.#oracle.noteIssued(witnessed, number, bytes)
    const settle = (end: OrderEnd) => {
      this.#manners.noteEnded(name, this.#world.nowMs)
      this.#oracle.noteSettled(witnessed, number, end)
    }
    const order = client.issueBytes(bytes, settle)
    this.#world.always('I-05', order.number === number, 'Order numbers are not consecutive')
  }

  #changeInput(): void {
    if (this.#inputFields.length === 0) return
    const { client } = this.#player
    this.#isArmed = true
    // A hand moves one thing at a time; a script or a new scene moves all of them.
    if (this.#random.chance(0.1)) {
      const values = this.#inputFields.map(({ name, field }) => {
        return [name, field.sample(this.#random, noRef)]
      })
      client.setInput(Object.fromEntries(values))
      return
    }
    const { name, field } = this.#random.pick(this.#inputFields)
    const value = field.sample(this.#random, noRef)
    client.setInput({ [name]: value } as never)
  }

  readonly #refs = (table: string, prng: Prng): number => {
    const { simulation } = this.#player.client
    const state = simulation?.state as { [name: string]: TableReader } | undefined
    const rows = state?.[table]
    if (rows === undefined || rows.rowsUsed === 0) return 0
    const row = prng.below(rows.rowsUsed)
    return rows.isAlive(row) ? rows.refOf(row) : 0
  }
}

function noRef(): number {
  return 0
}

/** Orders on their way at once: below the limit, where a person's hands are. */
const pendingMax = 40

/** Mean time between two orders of a bot. */
const botEveryMs = 1_500
