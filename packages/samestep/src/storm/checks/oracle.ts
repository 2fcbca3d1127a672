import { BitReader } from '../../base/bit-reader.ts'
import type { Client } from '../../client/client.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import { syncHashFromWords } from '../../sim/hash/hashes.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { World } from '../engine/world.ts'
import { BotInputBook } from './bot-input-book.ts'
import type { DelayBook } from './delay-checks.ts'
import type { Witnessed } from './order-checks.ts'
import { beginAnew, OrderChecks, RelayOrderBook } from './order-checks.ts'
import { OrderSequence } from './order-sequence.ts'
import type { SystemState } from './room-checks.ts'
import { BotBook, equalBytes, RateCheck, SystemTrack, VoteBook } from './room-checks.ts'
import { InputBook, InputCheck, LateBook, PaceCheck, SeatCheck } from './sealed-checks.ts'

/**
 * What everybody in a storm is held against, kept outside of the engine: which ticks were sealed, who
 * ran what, who issued which order and what became of it. The engine cannot see it, so it cannot be
 * wrong in the same way.
 */

/** The hash is two words; `by` says who was the first to have it, and is empty before. */
type SealedTick = {
  readonly bytes: Uint8Array
  readonly system: SystemState | undefined
  lo: number
  hi: number
  by: string
  /** What it is for whoever flipped a field; `undefined` where nobody did. */
  flipped: { readonly lo: number; readonly hi: number } | undefined
}

/** The book of one match. */
export class Oracle {
  readonly #world: World
  readonly #ticks = new Map<number, SealedTick>()
  readonly #clients = new Map<string, Witnessed>()
  readonly #bySeat = new Map<number, Witnessed>()
  /** Who sat there last: what he ordered may still be sealed. */
  readonly #formerBySeat = new Map<number, Witnessed>()
  /** Who watches, by the number of the member. */
  readonly #watchers = new Map<number, Witnessed>()
  /** Orders of the relay itself. */
  readonly relayOrders: RelayOrderBook
  readonly botInputs: BotInputBook
  readonly #reader = new BitReader()
  #codec: BundleCodec | undefined
  #slots = new Uint32Array(0)
  #missing = new Uint8Array(0)
  #sealedTick = 0
  #prunedTick = 0
  #inputCheck: InputCheck | undefined
  #paceCheck: PaceCheck | undefined
  #rateCheck: RateCheck | undefined
  #system: SystemTrack | undefined
  /** Until when the relay itself is disturbed. */
  #disturbedUntilMs = -1e9
  readonly votes: VoteBook
  readonly bots: BotBook
  /** Told of each tick after which whoever flipped a field has another state than the others. */
  onApart: ((tick: number) => void) | undefined
  /** What spectators may have, in a match that they see later. */
  delays: DelayBook | undefined
  readonly #seatCheck: SeatCheck
  readonly #orders: OrderChecks
  readonly #isAsked: boolean
  /** Seats that attackers sit in: whatever they send is nobody's order. */
  readonly #strangers = new Set<number>()

  /**
   * `mayRefuse` when the relay has less room for orders than clients have on their way, `isAsked` when
   * seats may change hands until the match begins.
   */
  constructor(world: World, mayRefuse = false, isAsked = false) {
    this.#world = world
    this.#orders = new OrderChecks(world, mayRefuse)
    this.#isAsked = isAsked
    this.#seatCheck = new SeatCheck(world)
    this.votes = new VoteBook(world)
    this.bots = new BotBook(world)
    this.relayOrders = new RelayOrderBook(world)
    this.botInputs = new BotInputBook(world)
  }

  get sealedTick(): number {
    return this.#sealedTick
  }

  /** How many inputs of each seat came too late. */
  readonly lates = new LateBook()

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
    this.#seatCheck.noteStarted(taken)
    for (let seat = 0; seat < config.seats; seat++) {
      this.#codec.delta.writeInitial(this.#slots, seat * this.#codec.delta.slotCount)
    }
  }

  noteSeated(client: Witnessed, seat: number | undefined, member?: number): void {
    if (seat === undefined && member !== undefined) this.#watchers.set(member, client)
    const holder = seat === undefined ? undefined : this.#bySeat.get(seat)
    const isFree = holder === undefined || (this.#isAsked && this.#sealedTick === 0)
    this.#world.always('I-06', isFree || holder === client, `Seat ${seat} given twice`)
    if (client.seat !== undefined && this.#bySeat.get(client.seat) === client) {
      this.#bySeat.delete(client.seat)
    }
    client.seat = seat
    if (seat === undefined) return
    this.#bySeat.set(seat, client)
    this.#strangers.delete(seat)
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
    this.#strangers.add(seat)
  }

  isStranger(seat: number): boolean {
    return this.#strangers.has(seat)
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
    const expected = this.#ticks.get(client.executedTick)?.system
    if (expected !== undefined) this.#system?.check(client.name, machine, expected)
  }

  /** What the sealed ticks say about the match itself by now. */
  get system(): SystemState | undefined {
    return this.#system?.state
  }

  /** The relay sealed a tick: from here on it is what it is (I-02), and its orders are who's they say. */
  noteSealed(tick: number, bytes: Uint8Array): void {
    const world = this.#world
    world.always(
      'I-02',
      tick === this.#sealedTick + 1,
      () => `Sealed ${tick} after ${this.#sealedTick}`,
    )
    this.#sealedTick = tick
    this.delays?.noteSealed(tick, this.isDisturbed)
    const codec = this.#codec
    if (codec === undefined) return
    this.#reader.reset(bytes)
    const { orders, events, wrongSlots } = codec.decode(this.#reader, this.#slots, this.#missing)
    this.#inputCheck?.checkValues(tick, this.#slots, wrongSlots)
    this.#seatCheck.noteEvents(tick, events)
    this.#system?.noteEvents(tick, events)
    for (const event of events) if (event.type === 'hand-over') this.#noteHandOver(event)
    const system = this.#system?.state
    this.#ticks.set(tick, { bytes, system, lo: 0, hi: 0, by: '', flipped: undefined })
    if (system !== undefined) {
      this.#paceCheck?.noteSealed(tick, system.speedPercent)
      this.#rateCheck?.noteSealed(tick, system)
    }
    if (codec.delta.slotCount > 0) this.#checkInputs(tick)
    for (const order of orders) this.#noteSealedOrder(order, tick)
    this.#prune()
  }

  /** From this tick on orders and inputs of a seat are those of somebody else. */
  #noteHandOver({ seat, member }: { readonly seat: number; readonly member: number | undefined }) {
    this.#world.sometimes('a seat was handed over')
    for (const client of this.clients) {
      if (client.seat !== seat) continue
      client.seat = undefined
      if (client.member !== undefined) this.#watchers.set(client.member, client)
    }
    this.#bySeat.delete(seat)
    const heir = this.clients.find((client) => client.member === member)
    // Strangers watch as well, and are given seats.
    if (heir === undefined) this.#strangers.add(seat)
    else this.#strangers.delete(seat)
    if (heir === undefined) return
    this.delays?.exempt(heir.name)
    heir.seat = seat
    this.#bySeat.set(seat, heir)
  }

  /** An honest player's machine made its input for a tick. */
  noteInput(client: Witnessed, tick: number, slots: Uint32Array): void {
    client.inputs ??= new InputBook(slots.length)
    client.inputs.note(tick, slots)
  }

  /** The relay let a player go. */
  noteLeft(seat: number): void {
    this.#seatCheck.noteLeft(seat)
    const client = this.#bySeat.get(seat)
    this.#bySeat.delete(seat)
    if (client !== undefined) this.#formerBySeat.set(seat, client)
  }

  #checkInputs(tick: number): void {
    for (const [seat, { inputs }] of this.#bySeat) {
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
    const sealed = this.#ticks.get(tick)
    // Who slept for hours may run what was on its way then; nobody remembers it any more.
    const isForgotten = tick < this.#prunedTick
    const isSame = isForgotten || (sealed !== undefined && equalBytes(sealed.bytes, bytes))
    world.always('I-01', isSame, () => `${client.name} ran another tick ${tick} than was sealed`)
  }

  /**
   * A client got the state after a tick from others: the one that everybody had (I-11), or that of
   * whoever flipped a field, who may be in the majority.
   */
  noteRestored(client: Witnessed, tick: number, lo: number, hi: number): void {
    const world = this.#world
    world.sometimes('a client came by a state')
    const isSealed = tick <= this.#sealedTick
    world.always('I-11', isSealed, () => `${client.name} has a state after tick ${tick}, unsealed`)
    client.executedTick = tick
    this.delays?.check(client.name, tick, this.isDisturbed)
    const sealed = this.#ticks.get(tick)
    const flipped = sealed?.flipped
    const isAsAll = sealed !== undefined && sealed.by !== '' && sealed.lo === lo && sealed.hi === hi
    client.isFlipped = !isAsAll && flipped?.lo === lo && flipped.hi === hi
    world.sometimes('a joiner got the state of one who is out of step', client.isFlipped)
    this.noteHash(client, tick, lo, hi)
  }

  /** A client's state after a tick is everybody's (I-08). */
  noteHash(client: Witnessed, tick: number, lo: number, hi: number): void {
    const sealed = this.#ticks.get(tick)
    if (sealed === undefined) return
    if (client.isFlipped) {
      sealed.flipped = { lo, hi }
      this.#compareFlipped(tick, sealed)
      return
    }
    if (sealed.by === '') {
      sealed.lo = lo
      sealed.hi = hi
      sealed.by = client.name
      this.#compareFlipped(tick, sealed)
      return
    }
    this.#world.always('I-08', sealed.lo === lo && sealed.hi === hi, () => {
      const [mine, theirs] = [syncHashFromWords(lo, hi), syncHashFromWords(sealed.lo, sealed.hi)]
      return `After tick ${tick} ${client.name} has ${mine}, ${sealed.by} has ${theirs}`
    })
  }

  #compareFlipped(tick: number, { flipped, by, lo, hi }: SealedTick): void {
    if (flipped === undefined || by === '') return
    if (flipped.lo !== lo || flipped.hi !== hi) this.onApart?.(tick)
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
    const world = this.#world
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
    const watcher = this.#watchers.get(-2 - seat)
    const client = watcher ?? this.#bySeat.get(seat) ?? this.#formerBySeat.get(seat)
    world.sometimes('an order of a spectator was sealed', watcher !== undefined)
    if (client === undefined || this.#strangers.has(seat)) {
      // Strangers watch as well.
      const isStranger = seat < 0 || this.#strangers.has(seat)
      world.always('I-06', isStranger, `An order of seat ${seat}, where nobody sits`)
      return
    }
    this.#orders.noteSealed(client, order, { tick, ranTicks, isPaused })
  }

  /** Ticks that everybody ran are settled; keeping them would make long storms slow. */
  #prune(): void {
    let oldest = this.#sealedTick - keptTicks
    for (const { executedTick } of this.#clients.values()) oldest = Math.min(oldest, executedTick)
    // What is older than any log of a relay is not run any more.
    oldest = Math.max(oldest, this.#sealedTick - loggedTicks)
    for (; this.#prunedTick < oldest; this.#prunedTick++) this.#ticks.delete(this.#prunedTick)
  }
}

/** Ticks that are kept in any case, so that late hashes find something to be compared with. */
const keptTicks = 64

/** More than a relay keeps, at 240 ticks per second. */
const loggedTicks = 25_000

/** How long a relay makes up for lost time. */
const recoveryMs = 2_000

/** After that long, no silence is left for which a fault of the relay is to blame. */
const disturbedMs = 20_000
