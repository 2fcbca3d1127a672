import { Client } from '../../client/client.ts'
import { ClientPump } from '../../client/client-pump.ts'
import type { ClientEvent } from '../../client/events.ts'
import { makeRunning } from '../../client/run/make-running.ts'

import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { datagramBundleBytesMax } from '../../wire/limits.ts'
import type { DesyncBook } from '../checks/desync-checks.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Witnessed } from '../checks/order-checks.ts'
import { HoldBook } from '../checks/pace-checks.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { ClientPlan } from '../plan/client-plan.ts'
import { LateDigests } from './late-digests.ts'
import { LevelHabits } from './level-habits.ts'
import { LineHabits } from './line-habits.ts'
import { PlayerHands } from './player-hands.ts'
import { investigatePortably } from './portable-places.ts'
import { channelFor } from './relay-actor.ts'
import { RoomHabits } from './room-habits.ts'
import { randomSecret, randomTicket } from './session-keys.ts'
import { TickMachine } from './tick-machine.ts'

/** An honest player: issues orders, holds controls, runs ticks, comes back when its link is lost. */
export class ClientActor implements Actor {
  readonly plan: ClientPlan
  readonly client: Client
  readonly witnessed: Witnessed
  /** Since when it has the state of the match; `Infinity` before. */
  playsSinceMs = Number.POSITIVE_INFINITY
  readonly #desync: DesyncBook | undefined
  /** When its machine was switched off. */
  vanishedAtMs = Number.POSITIVE_INFINITY
  /** For how long it holds its inputs back. */
  readonly holds: HoldBook
  readonly #world: World
  readonly #oracle: Oracle
  readonly #relayNode: NodeId
  readonly #firstNumber: number
  readonly #conditions: () => Conditions
  readonly #pump: ClientPump
  readonly #digests: LateDigests
  /** What its own clock said last, which may be anything. */
  #localMs = 0
  /** Its links, by the numbers that the client gave them: one, or two while it moves. */
  readonly #ends = new Map<number, LinkEnd>()
  readonly #links = new Map<LinkEnd, number>()
  /** Those that were really there. */
  readonly #opened = new WeakSet<LinkEnd>()
  #self: NodeId = -1
  /** When it lately asked for a link, in the world's time. */
  #attempts: number[] = []
  readonly machine: TickMachine
  readonly #habits: RoomHabits
  readonly #hands: PlayerHands
  /** Where it changes from line to line. */
  readonly #moves: LineHabits | undefined
  readonly #levels: LevelHabits
  #wasLetIn = false
  #closedReason: string | undefined
  /** Whether it went of its own will. */
  hasLeft = false

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
    this.#firstNumber = firstNumber
    this.#conditions = conditions
    this.witnessed = oracle.witness(plan.name)
    this.witnessed.ticket = randomTicket(world.random(`ticket/${plan.name}`))
    this.holds = new HoldBook(world)
    this.#levels = new LevelHabits(world, plan, this.witnessed)
    const { movesPerMinute = 0 } = plan
    this.#moves =
      movesPerMinute > 0 ? new LineHabits(world, plan.name, movesPerMinute, conditions) : undefined
    this.client = new Client(
      game,
      {
        match: plan.match,
        name: plan.name,
        role: plan.role,
        seats: plan.seats,
        ...(plan.inputDelay === undefined ? {} : { inputDelay: plan.inputDelay }),
        missing: plan.missing,
        ...(plan.desync === undefined ? {} : { desync: plan.desync }),
        lagProtection: plan.lagProtection,
        ...(plan.batching === undefined ? {} : { batching: plan.batching }),
        lobby: plan.lobby,
        pace: plan.pace,
        ...(plan.orders === undefined ? {} : { orders: plan.orders }),
        loadsItself: true,
        ...(movesPerMinute > 0 ? { doors: ['udp'] } : {}),
        ticket: this.witnessed.ticket,
        ...(plan.token === undefined ? {} : { token: plan.token }),
        secret: randomSecret(world.random(`secret/${plan.name}`)),
        development: false,
        investigate: investigatePortably,
        onBundle: (tick, bundle) => {
          world.sometimes('a bundle travelled in parts', bundle.byteLength > datagramBundleBytesMax)
          oracle.noteBundle(this.witnessed, tick, bundle)
          this.playsSinceMs = Math.min(this.playsSinceMs, world.nowMs)
          desync?.noteRunning(this, tick)
          this.witnessed.isFlipped ||= desync?.isFlipped(plan.name) === true
        },
        onInput: (tick, slots) => {
          this.holds.noteInput(tick)
          this.#hands.noteInput(tick, slots)
        },
      },
      makeRunning,
    )
    this.#digests = new LateDigests((job, hashes, nowMs) => {
      this.client.handleDigest(job, hashes, nowMs)
    })
    this.#pump = new ClientPump(this.client, {
      handleWantLink: (link) => this.#connect(link),
      handleDigest: (job) => this.#digests.ask(job, this.#localMs),
      handleEvent: (event) => this.#handleEvent(event),
      send: (packet, link) => {
        const end = this.#ends.get(link)
        if (end !== undefined) world.send(end, packet)
      },
    })
    this.machine = new TickMachine(this.client, plan.isPaced, () => this.#noteRan(), plan)
    this.#hands = new PlayerHands(world, game, oracle, this)
    const { seats, botSeats, hasWishes } = plan
    const { start: lobbyStart = 'when-full' } = plan.lobby
    const room = { seats, lobbyStart, botSeats, hasWishes, pausesMax: 3 }
    this.#habits = new RoomHabits(world, this.client, plan.name, room, {
      isStranger: (seat) => oracle.isStranger(seat),
      noteBallot: (voter, id, isYes) => oracle.votes.noteBallot(voter, id, isYes),
      noteHeir: (name) => oracle.delays?.exempt(name),
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
    this.#hands.start(nowMs)
    this.handleTime(nowMs)
  }

  /** No new orders or inputs from here on. */
  stopWork(): void {
    this.#hands.stop()
  }

  /** No pauses, votes, moves or second thoughts from here on. */
  calmDown(): void {
    this.#moves?.stop()
    this.#habits.calmDown()
  }

  /** Nobody looks at it, or somebody does again: its timers are throttled meanwhile. */
  setHidden(isHidden: boolean, nowMs: number): void {
    this.#world.trouble.throttleTimers(this.#self, isHidden ? hiddenTimersMs : 0)
    this.client.setHidden(isHidden)
    this.handleTime(nowMs)
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    const link = this.#linkOf(end)
    if (link === undefined) return
    this.#noteTime(nowMs)
    this.#opened.add(end)
    this.client.handleLinkOpened(channelFor(end, this.#firstNumber), nowMs, link)
    this.#drain(nowMs)
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    const link = this.#linkOf(end)
    if (link === undefined) return
    this.#noteTime(nowMs)
    const receivedTick = this.#receivedTick
    this.client.handlePacket(bytes, nowMs, link)
    if (this.#receivedTick > receivedTick) this.holds.noteArrival()
    this.machine.run(nowMs)
    this.#drain(nowMs)
  }

  get #receivedTick(): number {
    return this.client.running?.inbox.receivedTick ?? 0
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    const link = this.#linkOf(end)
    if (link === undefined) return
    this.#world.sometimes('a link could not be opened', !this.#opened.has(end))
    this.#ends.delete(link)
    this.#links.delete(end)
    this.#noteTime(nowMs)
    this.client.handleLinkClosed(nowMs, link)
    this.#drain(nowMs)
  }

  handleTime(nowMs: number): void {
    this.#leaveInTime(nowMs)
    if (this.#self < 0) return
    this.#noteTime(nowMs)
    this.client.handleTime(nowMs)
    this.#digests.handleTime(nowMs)
    this.#pump.takeEvents()
    this.#moves?.act(this.client, nowMs)
    this.#habits.act(nowMs)
    this.#hands.work(nowMs)
    this.machine.run(nowMs)
    this.#drain(nowMs)
  }

  wakeAtMs(): number {
    if (this.#self < 0) return Number.POSITIVE_INFINITY
    const { client, machine } = this
    const movesAtMs = this.#moves?.wakeAtMs() ?? Number.POSITIVE_INFINITY
    const digestsAtMs = this.#digests.wakeAtMs()
    const own = Math.min(this.#habits.wakeAtMs(), this.#hands.wakeAtMs(), movesAtMs, digestsAtMs)
    return Math.min(client.wakeAtMs(), machine.wakeAtMs(), own)
  }

  /** A tick ran. */
  #noteRan(): void {
    const { simulation } = this.client
    if (simulation === undefined) return
    const tick = simulation.matchTick
    if (simulation.syncHashWordsAt(tick, hashWords)) {
      const [lo, hi] = hashWords as unknown as [number, number]
      this.#oracle.noteHash(this.witnessed, tick, lo, hi)
    }
    this.#oracle.noteSystem(this.witnessed, this.client)
  }

  #noteRestored(tick: number): void {
    this.client.simulation?.syncHashWordsAt(tick, hashWords)
    const [lo, hi] = hashWords as unknown as [number, number]
    this.#oracle.noteRestored(this.witnessed, tick, lo, hi)
    this.#desync?.noteRestored(this.plan.name, tick, this.witnessed.isFlipped)
    this.playsSinceMs = Math.min(this.playsSinceMs, this.#world.nowMs)
  }

  #handleEvent(event: ClientEvent): void {
    if (event.type === 'seated') this.#noteLetIn()
    if (event.type === 'launched') {
      this.#noteSeated(event.seat)
      this.#levels.begin(this.client)
    }
    if (event.type === 'fault') this.#levels.noteFault(event.fault)
    if (event.type === 'restored') this.#noteRestored(event.tick)
    if (event.type === 'aborted') this.#oracle.noteAborted(this.witnessed)
    if (event.type === 'bot') this.#hands.forgetBot(event.seat)
    if (event.type === 'vote') this.#oracle.votes.noteHeard(event.body)
    this.#habits.handleEvent(event)
    if (event.type === 'want-move') this.#open(event.link, this.#moves?.lineOf(event.door))
    if (event.type === 'drop-link') this.#drop(event.link, event.last)
    if (event.type === 'moved') this.#world.sometimes(`a session moved to ${event.door}`)
    if (event.type === 'link-lost') this.#world.sometimes('link lost')
    if (event.type === 'input-missed') this.#world.sometimes('input missed')
    if (event.type === 'closed') this.#closedReason = `${event.reason}: ${event.message}`
  }

  #noteLetIn(): void {
    this.#world.sometimes('a client came back', this.#wasLetIn)
    this.#wasLetIn = true
  }

  #noteTime(nowMs: number): void {
    this.#localMs = nowMs
    this.machine.noteTime(nowMs)
  }

  #drain(nowMs: number): void {
    this.#pump.flush()
    this.machine.rest(nowMs)
  }

  #noteSeated(seat: number | undefined): void {
    const { member } = this.witnessed
    const isAnother = member !== undefined && member !== this.client.member
    if (isAnother) this.#oracle.noteAnother(this.witnessed)
    this.witnessed.member = this.client.member
    const isLate = this.witnessed.executedTick === 0 && this.#oracle.sealedTick > 0
    this.#world.sometimes('a player joined late', isLate && seat !== undefined)
    this.#world.sometimes('a spectator joined late', isLate && seat === undefined)
    this.#oracle.noteSeated(this.witnessed, seat, this.client.member)
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
    this.#ends.clear()
    this.#links.clear()
    this.vanishedAtMs = this.#world.nowMs
    this.#world.sometimes('a client vanished')
  }

  /** Who finds no link tries again, and not all the time (F-23). */
  #noteAttempt(): void {
    const { nowMs } = this.#world
    this.#attempts = this.#attempts.filter((atMs) => atMs > nowMs - 1_000)
    this.#attempts.push(nowMs)
    this.#world.always('F-23', this.#attempts.length <= attemptsMax, () => {
      return `${this.plan.name} tried ${this.#attempts.length} times in a second to get a link`
    })
  }

  #connect(link: number): void {
    for (const old of [...this.#ends.keys()]) this.#drop(old)
    this.#noteAttempt()
    this.#open(link, this.#moves?.lineOf('home'))
  }

  #open(link: number, conditions = this.#conditions()): void {
    const end = this.#world.connect(this.#self, this.#relayNode, conditions)
    const before = this.#ends.get(link)
    if (before !== undefined) this.#links.delete(before)
    this.#ends.set(link, end)
    this.#links.set(end, link)
  }

  #drop(link: number, last: readonly Uint8Array[] = []): void {
    const end = this.#ends.get(link)
    if (end === undefined) return
    this.#ends.delete(link)
    this.#links.delete(end)
    for (const packet of last) this.#world.send(end, packet)
    this.#world.closeLink(end)
  }

  #linkOf(end: LinkEnd): number | undefined {
    return this.#links.get(end)
  }
}

/** Where a hash is for a moment. */
const hashWords = new Uint32Array(2)

/** How often a browser lets a hidden page's timers fire. */
const hiddenTimersMs = 1_000

/** Links that anybody asks for in a second: each further one is waited for twice as long. */
const attemptsMax = 8
