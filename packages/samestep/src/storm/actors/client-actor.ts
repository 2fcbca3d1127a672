import type { Prng } from '../../base/prng.ts'
import { Client } from '../../client/client.ts'
import { ClientPump } from '../../client/client-pump.ts'
import type { ClientEvent } from '../../client/events.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import type { AnyField } from '../../sim/schema/field.ts'
import type { TableReader } from '../../sim/state/table-rows.ts'
import type { InputLayout } from '../../wire/input-layout.ts'
import { InputMapping } from '../../wire/input-layout.ts'
import { datagramBundleBytesMax } from '../../wire/limits.ts'
import type { DesyncBook } from '../checks/desync-checks.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Witnessed } from '../checks/order-checks.ts'
import { HoldBook } from '../checks/pace-checks.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/conditions.ts'
import type { LinkEnd } from '../engine/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { ClientPlan } from '../plan/client-plan.ts'
import { OrderManners } from './order-manners.ts'
import { channelFor } from './relay-actor.ts'
import { isPast, RoomHabits } from './room-habits.ts'
import { randomSecret, randomTicket } from './session-keys.ts'
import { TickMachine } from './tick-machine.ts'

/** An honest player: issues orders, holds controls, runs ticks, comes back when its link is lost. */
export class ClientActor implements Actor {
  readonly plan: ClientPlan
  readonly client: Client
  readonly witnessed: Witnessed
  /** When its machine was switched off. */
  vanishedAtMs = Number.POSITIVE_INFINITY
  /** For how long it holds its inputs back. */
  readonly holds: HoldBook
  readonly #world: World
  readonly #oracle: Oracle
  readonly #relayNode: NodeId
  readonly #random: Prng
  readonly #game: Game
  /** What a player may issue and hold. Described once: a storm asks for it all the time. */
  readonly #orderTypes: readonly Described[]
  readonly #manners: OrderManners
  readonly #inputFields: readonly Described[]
  readonly #firstNumber: number
  readonly #conditions: () => Conditions
  readonly #pump: ClientPump
  #end: LinkEnd | undefined
  #self: NodeId = -1
  #orderAtMs = 0
  #inputAtMs = 0
  #isWorking = true
  readonly machine: TickMachine
  readonly #habits: RoomHabits
  #botAtMs = 0
  #closedReason: string | undefined
  /** Whether it went of its own will. */
  hasLeft = false
  readonly #layout: InputLayout
  readonly #desync: DesyncBook | undefined
  /** Whether a one-shot may have been set since the last one was seen. */
  #isArmed = false

  constructor(
    world: World,
    game: Game<GameShape, unknown>,
    plan: ClientPlan,
    relayNode: NodeId,
    oracle: Oracle,
    firstNumber: number,
    conditions: () => Conditions,
    desync?: DesyncBook,
  ) {
    this.plan = plan
    this.#desync = desync
    this.#world = world
    this.#oracle = oracle
    this.#relayNode = relayNode
    this.#game = game
    this.#orderTypes = game.orderCodec.types
      .filter(({ by }) => by === 'player')
      .map(({ name, codec }) => ({ name, field: codec }))
    this.#manners = new OrderManners(game.orderCodec.types)
    this.#inputFields = Object.entries(game.inputCodec.fields).map(([name, field]) => {
      return { name, field }
    })
    this.#layout = new InputMapping(game.inputCodec.fields).layout
    this.#firstNumber = firstNumber
    this.#conditions = conditions
    this.#random = world.random(`work/${plan.name}`)
    this.witnessed = oracle.witness(plan.name)
    this.witnessed.ticket = randomTicket(world.random(`ticket/${plan.name}`))
    this.holds = new HoldBook(world)
    this.client = new Client(game, {
      match: plan.match,
      name: plan.name,
      role: plan.role,
      seats: plan.seats,
      ...(plan.inputDelay === undefined ? {} : { inputDelay: plan.inputDelay }),
      missing: plan.missing,
      lagProtection: plan.lagProtection,
      ...(plan.batching === undefined ? {} : { batching: plan.batching }),
      lobby: plan.lobby,
      pace: plan.pace,
      loadsItself: true,
      ticket: this.witnessed.ticket,
      secret: randomSecret(world.random(`secret/${plan.name}`)),
      development: false,
      onBundle: (tick, bundle) => {
        world.sometimes('a bundle travelled in parts', bundle.byteLength > datagramBundleBytesMax)
        oracle.noteBundle(this.witnessed, tick, bundle)
        desync?.noteRunning(this, tick)
        this.witnessed.isFlipped ||= desync?.isFlipped(plan.name) === true
      },
      onInput: (tick, slots) => this.#noteInput(tick, slots),
    })
    this.#pump = new ClientPump(this.client, {
      handleWantLink: () => this.#connect(),
      handleEvent: (event) => this.#handleEvent(event),
      send: (packet) => {
        if (this.#end !== undefined) world.send(this.#end, packet)
      },
    })
    this.machine = new TickMachine(this.client, plan.isPaced, () => this.#noteRan(), plan)
    const { seats, botSeats, hasWishes } = plan
    const { start: lobbyStart = 'when-full' } = plan.lobby
    const room = { seats, lobbyStart, botSeats, hasWishes, pausesMax: 3 }
    this.#habits = new RoomHabits(world, this.client, plan.name, room, {
      isStranger: (seat) => oracle.isStranger(seat),
      noteBallot: (voter, id, isYes) => oracle.votes.noteBallot(voter, id, isYes),
    })
  }

  /** Why the session ended; `undefined` while it lasts. */
  get closedReason(): string | undefined {
    return this.#closedReason
  }

  /** Tells the actor which node it is, and lets it begin. */
  start(self: NodeId, nowMs: number): void {
    if (this.hasLeft) return
    this.#self = self
    this.#orderAtMs = nowMs
    this.#inputAtMs = nowMs
    this.handleTime(nowMs)
  }

  /** No new orders or inputs from here on. */
  stopWork(): void {
    this.#isWorking = false
  }

  /** No pauses, votes or second thoughts from here on. */
  calmDown(): void {
    this.#habits.calmDown()
  }

  /** Nobody looks at it, or somebody does again: its timers are throttled meanwhile. */
  setHidden(isHidden: boolean, nowMs: number): void {
    this.#world.throttleTimers(this.#self, isHidden ? hiddenTimersMs : 0)
    this.client.setHidden(isHidden)
    this.handleTime(nowMs)
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    if (end !== this.#end) return
    this.machine.noteTime(nowMs)
    this.client.handleLinkOpened(channelFor(end, this.#firstNumber), nowMs)
    this.#drain(nowMs)
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    if (end !== this.#end) return
    this.machine.noteTime(nowMs)
    const { sealedTick } = this.client.cursors
    this.client.handlePacket(bytes, nowMs)
    if (this.client.cursors.sealedTick > sealedTick) this.holds.noteArrival()
    this.machine.run(nowMs)
    this.#drain(nowMs)
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    if (end !== this.#end) return
    this.#end = undefined
    this.machine.noteTime(nowMs)
    this.client.handleLinkClosed(nowMs)
    this.#drain(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#leaveInTime(nowMs)
    if (this.#self < 0) return
    this.machine.noteTime(nowMs)
    this.client.handleTime(nowMs)
    this.#pump.takeEvents()
    this.#habits.act(nowMs)
    this.#work(nowMs)
    this.machine.run(nowMs)
    this.#drain(nowMs)
  }

  wakeAtMs(): number {
    if (this.#self < 0) return Number.POSITIVE_INFINITY
    let wake = Math.min(this.client.wakeAtMs(), this.machine.wakeAtMs(), this.#habits.wakeAtMs())
    if (this.#isThinking) wake = Math.min(wake, this.#botAtMs)
    if (this.#isWorking && this.client.status === 'active' && this.client.seat !== undefined) {
      if (this.plan.orderEveryMs > 0) wake = Math.min(wake, this.#orderAtMs)
      if (this.plan.inputEveryMs > 0) wake = Math.min(wake, this.#inputAtMs)
    }
    return wake
  }

  /** Whether bots think here. */
  get #isThinking(): boolean {
    return this.#isWorking && this.client.botSeats.length > 0 && this.#oracle.sealedTick > 0
  }

  /** What a bot thinks of: an order now and then. */
  #think(nowMs: number): void {
    if (!this.#isThinking || !isPast(this.#botAtMs, nowMs)) return
    this.#botAtMs = nowMs + botEveryMs * this.#random.exponential()
    const { member } = this.client
    const seat = this.#random.pick(this.client.botSeats)
    if (member === undefined || this.#orderTypes.length === 0) return
    const { name, field } = this.#random.pick(this.#orderTypes)
    const data = field.sample(this.#random, this.#refs)
    if (!this.client.issueAs(seat, name, data as never)) return
    this.#oracle.bots.noteIssued(seat, member, this.#game.orderCodec.encode(name, data))
  }

  #work(nowMs: number): void {
    const { client, plan } = this
    this.#think(nowMs)
    if (!this.#isWorking || client.status !== 'active' || client.seat === undefined) return
    if (plan.inputEveryMs > 0 && isPast(this.#inputAtMs, nowMs)) {
      this.#inputAtMs = nowMs + plan.inputEveryMs * this.#random.exponential()
      this.#changeInput()
    }
    if (plan.orderEveryMs > 0 && isPast(this.#orderAtMs, nowMs)) {
      this.#orderAtMs = nowMs + plan.orderEveryMs * this.#random.exponential()
      if (client.pendingOrders < pendingMax) this.#issue()
    }
  }

  #issue(): void {
    if (this.#orderTypes.length === 0) return
    const { name, field } = this.#random.pick(this.#orderTypes)
    const data = field.sample(this.#random, this.#refs)
    if (!this.#manners.mayIssue(name, this.#world.nowMs)) return
    this.#manners.noteIssued(name)
    const number = this.witnessed.issued.length
    const bytes = this.#game.orderCodec.encode(name, data)
    this.#oracle.noteIssued(this.witnessed, number, bytes)
    const settle = (end: OrderEnd) => {
      this.#manners.noteEnded(name, this.#world.nowMs)
      this.#oracle.noteSettled(this.witnessed, number, end)
    }
    const order = this.client.issueBytes(bytes, settle)
    this.#world.always('I-05', order.number === number, 'Order numbers are not consecutive')
  }

  #changeInput(): void {
    if (this.#inputFields.length === 0) return
    this.#isArmed = true
    // A hand moves one thing at a time; a script or a new scene moves all of them.
    if (this.#random.chance(0.1)) {
      const values = this.#inputFields.map(({ name, field }) => {
        return [name, field.sample(this.#random, noRef)]
      })
      this.client.setInput(Object.fromEntries(values))
      return
    }
    const { name, field } = this.#random.pick(this.#inputFields)
    const value = field.sample(this.#random, noRef)
    this.client.setInput({ [name]: value } as never)
  }

  /** A one-shot is in one input, and then in none until it is set again (I-06). */
  #noteInput(tick: number, slots: Uint32Array): void {
    const isShot = this.#layout.some(({ isOneShot, initial }, at) => {
      return isOneShot && slots[at] !== initial
    })
    this.#world.always('I-06', !isShot || this.#isArmed, () => {
      return `${this.plan.name} made a shot for tick ${tick} that nobody fired`
    })
    if (isShot) this.#isArmed = false
    this.holds.noteInput(tick)
    this.#oracle.noteInput(this.witnessed, tick, slots)
  }

  readonly #refs = (table: string, prng: Prng): number => {
    const state = this.client.simulation?.state as { [name: string]: TableReader } | undefined
    const rows = state?.[table]
    if (rows === undefined || rows.rowsUsed === 0) return 0
    const row = prng.below(rows.rowsUsed)
    return rows.isAlive(row) ? rows.refOf(row) : 0
  }

  /** A tick ran. */
  #noteRan(): void {
    const { simulation } = this.client
    if (simulation === undefined) return
    const tick = simulation.matchTick
    if (simulation.syncHashWordsAt(tick, hashWords)) {
      const [lo, hi] = hashWords as unknown as [number, number]
      this.#desync?.noteRan(this.plan.name, tick, lo, hi)
      this.#oracle.noteHash(this.witnessed, tick, lo, hi)
    }
    this.#oracle.noteSystem(this.witnessed, this.client)
  }

  #noteRestored(tick: number): void {
    this.client.simulation?.syncHashWordsAt(tick, hashWords)
    const [lo, hi] = hashWords as unknown as [number, number]
    this.#desync?.noteRestored(this.plan.name, tick, lo, hi)
    this.witnessed.isFlipped ||= this.#desync?.isFlipped(this.plan.name) === true
    this.#oracle.noteRestored(this.witnessed, tick, lo, hi)
  }

  #handleEvent(event: ClientEvent): void {
    if (event.type === 'launched') this.#noteSeated(event.seat)
    if (event.type === 'restored') this.#noteRestored(event.tick)
    if (event.type === 'aborted') this.#oracle.noteAborted(this.witnessed)
    if (event.type === 'vote') this.#oracle.votes.noteHeard(event.body)
    this.#habits.handleEvent(event)
    if (event.type === 'link-lost') this.#world.sometimes('link lost')
    if (event.type === 'input-missed') this.#world.sometimes('input missed')
    if (event.type === 'closed') this.#closedReason = `${event.reason}: ${event.message}`
  }

  #drain(nowMs: number): void {
    this.#pump.flush()
    this.machine.rest(nowMs)
  }

  #noteSeated(seat: number | undefined): void {
    const isLate = this.witnessed.executedTick === 0 && this.#oracle.sealedTick > 0
    this.#world.sometimes('a player joined late', isLate && seat !== undefined)
    this.#world.sometimes('a spectator joined late', isLate && seat === undefined)
    this.#oracle.noteSeated(this.witnessed, seat)
  }

  /** Leaves once the match has begun: before, others would wait for ever where nobody asks. */
  #leaveInTime(nowMs: number): void {
    const { leavesAtMs = Number.POSITIVE_INFINITY, leavesAnyTime = false } = this.plan
    const isEarly = this.witnessed.executedTick === 0 && !leavesAnyTime
    if (this.hasLeft || this.#world.nowMs < leavesAtMs || isEarly) return
    this.#world.sometimes(`a client left while ${this.client.room?.phase ?? this.client.status}`)
    this.hasLeft = true
    this.#world.sometimes('a client left')
    this.client.leave(nowMs)
    this.#pump.takeEvents()
    if (this.plan.leavesSilently !== true) return
    // Its machine is switched off: nothing is said, and nothing is heard any more.
    this.#end = undefined
    this.vanishedAtMs = this.#world.nowMs
    this.#world.sometimes('a client vanished')
  }

  #connect(): void {
    if (this.#end !== undefined) this.#world.closeLink(this.#end)
    this.#end = this.#world.connect(this.#self, this.#relayNode, this.#conditions())
  }
}

type Described = { readonly name: string; readonly field: AnyField }

function noRef(): number {
  return 0
}

/** Where a hash is for a moment. */
const hashWords = new Uint32Array(2)

/** Orders on their way at once: below the limit, where a person's hands are. */
const pendingMax = 40

/** Mean time between two orders of a bot. */
const botEveryMs = 1_500

/** How often a browser lets a hidden page's timers fire. */
const hiddenTimersMs = 1_000
