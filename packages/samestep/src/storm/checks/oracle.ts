import { BitReader } from '../../base/bit-reader.ts'
import type { Client } from '../../client/client.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { World } from '../engine/world.ts'
import { Attendance } from './attendance.ts'
import { BotInputBook } from './bot-input-book.ts'
import type { DelayBook } from './delay-checks.ts'
import type { Witnessed } from './order-checks.ts'
import { beginAnew, OrderChecks, RelayOrderBook } from './order-checks.ts'
import { OrderSequence } from './order-sequence.ts'
import type { SystemState } from './room-checks.ts'
import { BotBook, RateCheck, SystemTrack, VoteBook } from './room-checks.ts'
import { InputBook, InputCheck, LateBook, PaceCheck, SeatCheck } from './sealed-checks.ts'
import { SealedTicks } from './sealed-ticks.ts'
import { Seating } from './seating.ts'

/**
 * What everybody in a storm is held against, kept outside of the engine: which ticks were sealed, who
 * ran what, who issued which order and what became of it. The engine cannot see it, so it cannot be
 * wrong in the same way.
 */

/** The book of one match. */
export class Oracle {
  readonly #world: World
  readonly #ticks: SealedTicks
  readonly #clients = new Map<string, Witnessed>()
  readonly #seating: Seating
  /** Orders of the relay itself. */
  readonly relayOrders: RelayOrderBook
  readonly botInputs: BotInputBook
  readonly #reader = new BitReader()
  #codec: BundleCodec | undefined
  #slots = new Uint32Array(0)
  #missing = new Uint8Array(0)
  #inputCheck: InputCheck | undefined
  #paceCheck: PaceCheck | undefined
  #rateCheck: RateCheck | undefined
  #system: SystemTrack | undefined
  /** Until when the relay itself is disturbed. */
  #disturbedUntilMs = -1e9
  readonly votes: VoteBook
  readonly bots: BotBook
  /** What spectators may have, in a match that they see later. */
  delays: DelayBook | undefined
  readonly #seatCheck: SeatCheck
  readonly #orders: OrderChecks
  /** Who was there at an event that is heard later. */
  readonly attendance = new Attendance()

  /**
   * `mayRefuse` when the relay has less room for orders than clients have on their way, `isAsked` when
   * seats may change hands until the match begins.
   */
  constructor(world: World, mayRefuse = false, isAsked = false) {
    this.#world = world
    this.#ticks = new SealedTicks(world)
    this.#orders = new OrderChecks(world, mayRefuse)
    this.#seating = new Seating(world, isAsked)
    this.#seatCheck = new SeatCheck(world)
    this.votes = new VoteBook(world)
    this.bots = new BotBook(world)
    this.relayOrders = new RelayOrderBook(world)
    this.botInputs = new BotInputBook(world)
  }

  get sealedTick(): number {
    return this.#ticks.sealedTick
  }

  /** How many inputs of each seat came too late. */
  readonly lates = new LateBook()

  /** The oldest tick that the relay still needed when it sealed the newest. */
  neededTick = Number.POSITIVE_INFINITY

  witness(name: string): Witnessed {
    const known = this.#clients.get(name)
    if (known !== undefined) return known
    const fresh: Witnessed = {
      name,
      ticket: new Uint8Array(0),
      seat: undefined,
      member: undefined,
      executedTick: 0,
      issued: [],
      sequence: new OrderSequence(),
      refused: new Set(),
      isFlipped: false,
      inputs: undefined,
    }
    this.#clients.set(name, fresh)
    return fresh
  }

  get clients(): readonly Witnessed[] {
    return [...this.#clients.values()]
  }

  /** The relay began a match in which so many seats are taken. */
  noteStarted(config: MatchConfig, taken: number): void {
    this.#orders.noteStarted(config)
    this.botInputs.noteStarted(config)
    this.#codec = new BundleCodec(config.seats, config.inputSlots)
    this.#slots = new Uint32Array(this.#codec.slotTotal)
    this.#missing = new Uint8Array(config.seats)
    this.#inputCheck = new InputCheck(this.#world, config)
    this.#paceCheck = new PaceCheck(this.#world, config.tickRate)
    this.#rateCheck = new RateCheck(this.#world, config)
    this.#rateCheck.disturb(this.#disturbedUntilMs)
    this.#system = new SystemTrack(this.#world, config)
    this.noteTaken(taken)
    for (let seat = 0; seat < config.seats; seat++) {
      this.#codec.delta.writeInitial(this.#slots, seat * this.#codec.delta.slotCount)
    }
  }

  /** Somebody joined, so that this many seats are taken. */
  noteTaken(taken: number): void {
    this.#seatCheck.noteTaken(taken)
  }

  noteSeated(client: Witnessed, seat: number | undefined, member?: number): void {
    this.#seating.noteSeated(client, seat, member, this.sealedTick > 0)
  }

  /** The launch was called off: seats are open again, all orders are lost, numbers begin anew. */
  noteAborted(client: Witnessed): void {
    this.noteSeated(client, undefined)
    const isOver = client.executedTick === 0 && client.issued.every(({ end }) => end !== undefined)
    this.#world.always('I-04', isOver, () => `${client.name} has orders of a match that never was`)
    beginAnew(client)
  }

  /** A client's place was given up while it was away, and it came as somebody else. */
  noteAnother(client: Witnessed): void {
    this.#orders.noteAnother(client)
  }

  /** The match rests while nobody has a link, or goes on after it. */
  noteRest(): void {
    this.#rateCheck?.noteRest()
  }

  noteStranger(seat: number): void {
    this.#seating.noteStranger(seat)
  }

  isStranger(seat: number): boolean {
    return this.#seating.isStranger(seat)
  }

  /** Whether the relay itself is hit, or was a short while ago. */
  get isDisturbed(): boolean {
    return this.#world.nowMs < this.#disturbedUntilMs + disturbedMs
  }

  /** A fault hits the relay itself: until then, and for a while, its pace says nothing. */
  noteDisturbed(forMs: number): void {
    const untilMs = this.#world.nowMs + forMs + recoveryMs
    this.#disturbedUntilMs = Math.max(this.#disturbedUntilMs, untilMs)
    this.#rateCheck?.disturb(this.#disturbedUntilMs)
    this.#system?.excuse(forMs + recoveryMs)
  }

  /** What is said about the match itself after a client ran a tick (I-19). */
  noteSystem(client: Witnessed, machine: Client): void {
    const expected = this.#ticks.systemAfter(client.executedTick)
    if (expected !== undefined) this.#system?.check(client.name, machine, expected)
  }

  /** What the sealed ticks say about the match itself by now. */
  get system(): SystemState | undefined {
    return this.#system?.state
  }

  /** The relay sealed a tick: from here on it is what it is (I-02), and its orders are who's they say. */
  noteSealed(tick: number, bytes: Uint8Array): void {
    this.#ticks.advance(tick)
    this.delays?.noteSealed(tick, this.isDisturbed)
    const codec = this.#codec
    if (codec === undefined) return
    this.#reader.reset(bytes)
    const { orders, events, wrongSlots } = codec.decode(this.#reader, this.#slots, this.#missing)
    this.#inputCheck?.checkValues(tick, this.#slots, wrongSlots)
    this.#seatCheck.noteEvents(tick, events)
    this.#system?.noteEvents(tick, events)
    for (const event of events) {
      const heir = this.#seating.noteEvent(event, this.clients)
      if (heir !== undefined) this.delays?.exempt(heir.name)
    }
    const system = this.#system?.state
    this.#ticks.keep(bytes, system)
    if (system !== undefined) {
      this.#paceCheck?.noteSealed(tick, system.speedPercent)
      this.#rateCheck?.noteSealed(tick, system)
    }
    if (codec.delta.slotCount > 0) this.#checkInputs(tick)
    for (const order of orders) this.#noteSealedOrder(order, tick)
    this.#ticks.prune(this.#clients.values())
  }

  /** An honest player's machine made its input for a tick. */
  noteInput(client: Witnessed, tick: number, slots: Uint32Array): void {
    client.inputs ??= new InputBook(slots.length)
    client.inputs.note(tick, slots)
  }

  /** The relay let a player go. */
  noteLeft(seat: number): void {
    this.#seatCheck.noteLeft(seat)
    this.#seating.noteLeft(seat)
    this.attendance.noteLeft(seat)
  }

  #checkInputs(tick: number): void {
    for (const [seat, { inputs }] of this.#seating.bySeat) {
      if (inputs === undefined || !this.#seatCheck.isTaken(seat)) continue
      const joinedTick = this.#seatCheck.joinedTick(seat)
      const isMissing = this.#missing[seat] === 1
      this.lates.note(seat, isMissing)
      this.#inputCheck?.check(tick, seat, this.#slots, isMissing, inputs, joinedTick)
    }
    const { slotCount = 0 } = this.#codec?.delta ?? {}
    for (const seat of this.bots.seats) {
      const at = seat * slotCount
      this.botInputs.noteSealed(tick, seat, this.#slots.subarray(at, at + slotCount))
    }
    this.#inputCheck?.keep(this.#slots)
  }

  /** A client is about to run a tick: right after the one before (I-03), exactly as sealed (I-01). */
  noteBundle(client: Witnessed, tick: number, bytes: Uint8Array): void {
    const world = this.#world
    world.always('I-03', tick === client.executedTick + 1, () => {
      return `${client.name} ran tick ${tick} after ${client.executedTick}`
    })
    client.executedTick = tick
    this.delays?.check(client.name, tick, this.isDisturbed)
    this.#ticks.checkBundle(client.name, tick, bytes)
  }

  /** A client got the state after a tick from others. */
  noteRestored(client: Witnessed, tick: number, lo: number, hi: number): void {
    this.#ticks.noteRestored(client, tick, lo, hi)
    this.delays?.check(client.name, tick, this.isDisturbed)
  }

  /** A client has a state after a tick. */
  noteHash(client: Witnessed, tick: number, lo: number, hi: number): void {
    this.#ticks.noteHash(client, tick, lo, hi)
  }

  /** Tells of each tick after which whoever flipped a field has another state than the others. */
  set onApart(tell: (tick: number) => void) {
    this.#ticks.onApart = tell
  }

  noteIssued(client: Witnessed, number: number, bytes: Uint8Array): void {
    this.#orders.noteIssued(client, number, bytes)
  }

  /** An order ended: once (I-04), and truthfully. */
  noteSettled(client: Witnessed, number: number, end: OrderEnd): void {
    this.#orders.noteSettled(client, number, end)
  }

  /** Whether every order of every client has ended. */
  unsettled(): string[] {
    return this.clients.flatMap(({ name, issued }) =>
      issued.filter(({ end }) => end === undefined).map(({ number }) => `${name}#${number}`),
    )
  }

  /** Sealed orders come from who issued them (I-06). */
  #noteSealedOrder(order: BundleOrder, tick: number): void {
    const { seat } = order
    const { isPaused = false, ranTicks = tick } = this.#system?.state ?? {}
    this.#orders.checkPolicy(order, tick, isPaused)
    if (this.bots.isBot(seat)) {
      this.bots.noteSealed(seat, order.bytes, tick, isPaused)
      return
    }
    if (seat === -1) {
      this.relayOrders.noteSealed(order.bytes, tick)
      return
    }
    const client = this.#seating.issuerOf(seat)
    if (client === undefined) return
    this.#orders.noteSealed(client, order, { tick, ranTicks, isPaused })
  }
}

/** How long a relay makes up for lost time. */
const recoveryMs = 2_000

/** After that long, no silence is left for which a fault of the relay is to blame. */
const disturbedMs = 20_000
