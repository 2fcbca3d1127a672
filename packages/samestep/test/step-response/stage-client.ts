import { Client } from '../../src/client/client.ts'
import { ClientPump } from '../../src/client/client-pump.ts'
import type { ClientEvent } from '../../src/client/events.ts'
import type { ClientOptions } from '../../src/client/membership/client-options.ts'
import { makeRunning } from '../../src/client/run/make-running.ts'
import { digestNow } from '../../src/client/state/digests.ts'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { channelFor } from '../../src/storm/actors/relay-actor.ts'
import { randomSecret, randomTicket } from '../../src/storm/actors/session-keys.ts'
import type { Oracle } from '../../src/storm/checks/oracle.ts'
import type { Witnessed } from '../../src/storm/checks/order-checks.ts'
import type { Actor } from '../../src/storm/engine/actor.ts'
import type { Conditions } from '../../src/storm/engine/network/conditions.ts'
import type { LinkEnd } from '../../src/storm/engine/network/link.ts'
import type { NodeId } from '../../src/storm/engine/node-id.ts'
import type { World } from '../../src/storm/engine/world.ts'
import { InputMapping } from '../../src/wire/ticks/input-layout.ts'
import { drillGame, makeDrillGame } from './drill-game.ts'

/** What happens to one client, over time. */
export interface ClientPlan {
  /** One way, in both directions. */
  readonly latencyMs?: (atMs: number) => number
  /** Mean of a delay without memory on top. */
  readonly jitterMs?: (atMs: number) => number
  /** What running a tick costs its machine. */
  readonly tickCostMs?: (atMs: number) => number
  /** Whether nothing passes, in either direction. */
  readonly isCut?: (atMs: number) => boolean
  /** What carries its packets; datagrams by default. */
  readonly kind?: Conditions['kind']
  /** No pictures, and timers once a second; packets come as ever. */
  readonly isHidden?: (atMs: number) => boolean
}

/** What is written down about one client. Times are the world's. */
export interface ClientBook {
  /** By tick: when it came, and when it ran. */
  readonly cameMs: number[]
  readonly ranMs: number[]
  readonly orders: OrderEntry[]
  /** Shots that the player fired, and the ticks that they were sampled for. */
  fired: number
  readonly shotTicks: number[]
  /** Ticks for which the own input was too late, as the client was told. */
  readonly missedTicks: number[]
  /** How many there were, as told with the last of them. */
  missedCount: number
  mostPerFrame: number
  /** What ended the session, if anything did. */
  closed: string | undefined
}

/** One order: where it was and when. The latency is that of its issue. */
export interface OrderEntry {
  readonly issuedMs: number
  readonly latencyMs: number
  tick: number
  ranMs: number
}

const frameMs = 1_000 / 60
const drawMs = 2
const tickCostDefaultMs = 2

/** A hidden tab's timers fire once a second. */
const throttleMs = 1_000

/** A busy hand: an order, a shot, a step every so often. Their phases wander against the ticks. */
const orderEveryMs = 310
const shotEveryMs = 230
const stepEveryMs = 130

/** What a client is made of. */
export interface ClientSetup {
  readonly world: World
  readonly oracle: Oracle
  readonly relayNode: NodeId
  readonly name: string
  readonly plan: ClientPlan
  readonly options: Omit<ClientOptions<DrillShape>, 'match' | 'name' | 'ticket'>
  readonly tickRate: number
  /** When its screen draws first: screens are not in step. */
  readonly phaseMs: number
}

type DrillShape = typeof drillGame extends Game<infer G, infer _> ? G : never

/**
 * A player's machine: the real client, one thread for packets, ticks and pictures, and a screen that
 * asks for one 60 times per second. While the thread runs a tick or draws, packets wait.
 */
export class StageClient implements Actor {
  readonly client: Client<DrillShape>
  readonly plan: ClientPlan
  readonly book: ClientBook = {
    cameMs: [],
    ranMs: [],
    orders: [],
    fired: 0,
    shotTicks: [],
    missedTicks: [],
    missedCount: 0,
    mostPerFrame: 0,
    closed: undefined,
  }
  readonly #world: World
  readonly #oracle: Oracle
  readonly #witnessed: Witnessed
  readonly #relayNode: NodeId
  readonly #pump: ClientPump<DrillShape>
  readonly #tickCostMs: number
  #self: NodeId = -1
  #end: LinkEnd | undefined
  /** What its own clock said last. */
  #localMs = 0
  #frameAtMs: number
  #isHidden = false
  #isArmed = false
  #orderAtMs: number
  #shotAtMs: number
  #stepAtMs: number
  #dx = 0

  constructor(setup: ClientSetup) {
    const { world, oracle, name, phaseMs } = setup
    this.plan = setup.plan
    this.#world = world
    this.#oracle = oracle
    this.#relayNode = setup.relayNode
    this.#witnessed = oracle.witness(name)
    this.#frameAtMs = phaseMs
    this.#orderAtMs = handsFromMs + phaseMs
    this.#shotAtMs = handsFromMs + phaseMs
    this.#stepAtMs = handsFromMs + phaseMs
    const game = makeDrillGame(setup.tickRate)
    // A fast game has cheap ticks, or no machine would keep up with it.
    this.#tickCostMs = Math.min(tickCostDefaultMs, 250 / setup.tickRate)
    this.client = new Client(
      game,
      {
        ...setup.options,
        match: matchName,
        name,
        ticket: randomTicket(world.random(`ticket/${name}`)),
        secret: randomSecret(world.random(`secret/${name}`)),
        development: false,
        onBundle: (tick, bundle) => oracle.noteBundle(this.#witnessed, tick, bundle),
        onInput: (tick, slots) => this.#noteInput(tick, slots),
      },
      makeRunning,
    ) as unknown as Client<DrillShape>
    this.#pump = new ClientPump(this.client, {
      handleWantLink: () => this.#connect(),
      handleDigest: (job) => this.client.handleDigest(job, digestNow(job), this.#localMs),
      handleEvent: (event) => this.#handleEvent(event),
      send: (packet) => {
        if (this.#end !== undefined) world.send(this.#end, packet)
      },
    })
  }

  /** Tells the actor which node it is, and lets it begin. */
  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.handleTime(nowMs)
  }

  /** The line as it is now. */
  get conditions(): Conditions {
    const { latencyMs = () => 20, jitterMs = () => 1, kind = 'datagram' } = this.plan
    const at = this.#world.nowMs
    const isCut = this.plan.isCut?.(at) === true
    return { kind, there: { latencyMs: latencyMs(at), jitterMs: jitterMs(at), isCut } }
  }

  get link(): LinkEnd['link'] | undefined {
    return this.#end?.link
  }

  /** The page is hidden, or shown again. */
  setHidden(isHidden: boolean, nowMs: number): void {
    this.#isHidden = isHidden
    this.#world.trouble.throttleTimers(this.#self, isHidden ? throttleMs : 0)
    this.client.setHidden(isHidden)
    // The next beat of the screen.
    this.#frameAtMs += Math.max(Math.ceil((nowMs - this.#frameAtMs) / frameMs), 0) * frameMs
    this.#pump.flush()
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end) return
    this.client.handleLinkOpened(channelFor(end, 0), nowMs)
    this.#pump.flush()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end) return
    const before = this.client.cursors.sealedTick
    this.client.handlePacket(bytes, nowMs)
    for (let tick = before + 1; tick <= this.client.cursors.sealedTick; tick++) {
      this.book.cameMs[tick] = this.#world.nowMs
    }
    // No screen asks for pictures: ticks run when they come.
    if (this.#isHidden) this.#runTicks(nowMs)
    this.#pump.flush()
  }

  handleLinkClosed(end: LinkEnd, nowMs: number): void {
    this.#localMs = nowMs
    if (end !== this.#end) return
    this.#end = undefined
    this.client.handleLinkClosed(nowMs)
    this.#pump.flush()
  }

  handleTime(nowMs: number): void {
    this.#localMs = nowMs
    this.client.handleTime(nowMs)
    if (!this.#isHidden) {
      this.#moveHands(nowMs)
      if (nowMs >= this.#frameAtMs) this.#draw(nowMs)
    }
    this.#pump.flush()
  }

  wakeAtMs(): number {
    if (this.#self < 0) return Number.POSITIVE_INFINITY
    const wake = this.client.wakeAtMs()
    if (this.#isHidden) return wake
    if (!this.#isPlaying) return Math.min(wake, this.#frameAtMs)
    return Math.min(wake, this.#frameAtMs, this.#orderAtMs, this.#shotAtMs, this.#stepAtMs)
  }

  get #isPlaying(): boolean {
    return this.client.status === 'active' && this.#world.nowMs >= handsFromMs
  }

  #moveHands(nowMs: number): void {
    if (!this.#isPlaying) return
    if (nowMs >= this.#orderAtMs) {
      this.#orderAtMs = nextBeat(this.#orderAtMs, orderEveryMs, nowMs)
      // Who sees none of his orders happen stops giving more.
      if (this.client.pendingOrders < pendingMax) this.#issue()
    }
    if (nowMs >= this.#stepAtMs) {
      this.#stepAtMs = nextBeat(this.#stepAtMs, stepEveryMs, nowMs)
      this.#dx = (this.#dx + 2) % 3 === 2 ? -1 : (this.#dx + 2) % 3
      this.client.setInput({ dx: this.#dx })
    }
    if (nowMs < this.#shotAtMs) return
    this.#shotAtMs = nextBeat(this.#shotAtMs, shotEveryMs, nowMs)
    // Two presses before the controls are read are one.
    if (this.#isArmed) return
    this.#isArmed = true
    this.book.fired += 1
    this.client.setInput({ shoot: true })
  }

  #issue(): void {
    const { orders } = this.book
    const number = orders.length
    const latencyMs = this.plan.latencyMs?.(this.#world.nowMs) ?? 20
    const entry: OrderEntry = { issuedMs: this.#world.nowMs, latencyMs, tick: -1, ranMs: -1 }
    orders.push(entry)
    const bytes = drillGame.orderCodec.encode('mark', { tag: number })
    this.#oracle.noteIssued(this.#witnessed, number, bytes)
    this.client.issueBytes(bytes, (end) => {
      this.#oracle.noteSettled(this.#witnessed, number, end)
      if (end.result !== 'executed') return
      entry.tick = end.tick
      entry.ranMs = this.#world.nowMs
    })
  }

  #noteInput(tick: number, slots: Uint32Array): void {
    this.#oracle.noteInput(this.#witnessed, tick, slots)
    if (slots[shootSlot] !== 1) return
    this.#isArmed = false
    this.book.shotTicks.push(tick)
  }

  #draw(nowMs: number): void {
    const costMs = this.#runTicks(nowMs) + drawMs
    this.client.running?.pacer.load.noteDraw(drawMs)
    // A picture that was missed is not drawn twice: the next one is at the next beat of the screen.
    const beats = Math.max(Math.ceil((nowMs + costMs - this.#frameAtMs) / frameMs), 1)
    this.#frameAtMs += beats * frameMs
    this.#world.trouble.pauseNode(this.#self, costMs)
  }

  /** Gives what it took, in ms. */
  #runTicks(nowMs: number): number {
    const { client, book } = this
    const { cursors } = client
    const pacer = client.running?.pacer
    if (pacer === undefined) return 0
    const eachMs = this.plan.tickCostMs?.(this.#world.nowMs) ?? this.#tickCostMs
    // The pacer counts in the client's time, which began when the client did.
    const timeMs = client.passTime(nowMs)
    const planned = pacer.plan(timeMs, cursors.simulatedTick, cursors.sealedTick)
    let ran = 0
    while (ran < planned && (ran === 0 || timeMs + ran * eachMs < pacer.deadlineMs)) {
      if (client.runTicks(1) === 0) break
      ran += 1
      book.ranMs[client.cursors.simulatedTick] = this.#world.nowMs + (ran - 1) * eachMs
      this.#noteHash()
    }
    pacer.noteRan(ran, ran * eachMs)
    book.mostPerFrame = Math.max(book.mostPerFrame, ran)
    if (this.#isHidden && ran > 0) this.#world.trouble.pauseNode(this.#self, ran * eachMs)
    return ran * eachMs
  }

  #noteHash(): void {
    const { simulation } = this.client
    if (simulation === undefined || !simulation.syncHashWordsAt(simulation.matchTick, words)) return
    this.#oracle.noteHash(this.#witnessed, simulation.matchTick, words[0] ?? 0, words[1] ?? 0)
  }

  #noteRestored(tick: number): void {
    this.client.simulation?.syncHashWordsAt(tick, words)
    this.#oracle.noteRestored(this.#witnessed, tick, words[0] ?? 0, words[1] ?? 0)
  }

  #handleEvent(event: ClientEvent): void {
    if (event.type === 'seated') this.#oracle.noteSeated(this.#witnessed, event.seat)
    if (event.type === 'restored') this.#noteRestored(event.tick)
    if (event.type === 'input-missed') {
      this.book.missedTicks.push(event.tick)
      this.book.missedCount = event.count
    }
    if (event.type === 'closed') this.book.closed = `${event.reason}: ${event.message}`
  }

  #connect(): void {
    if (this.#end !== undefined) this.#world.closeLink(this.#end)
    this.#end = this.#world.connect(this.#self, this.#relayNode, this.conditions)
  }
}

/** The only match of a stage. */
export const matchName = 'drill'

/** Hands rest until everybody is in and the lines are known. */
const handsFromMs = 3_000

/** Orders on their way at once: below the limit, which a machine far behind would reach. */
const pendingMax = 40

/** Where the shot is among an input's slots. */
export const shootSlot = new InputMapping(drillGame.inputCodec.fields).layout.findIndex(
  ({ isOneShot }) => isOneShot,
)

/** Where a hash is for a moment. */
const words = new Uint32Array(2)

/** Beats that a busy thread slept through are not made up for. */
function nextBeat(atMs: number, everyMs: number, nowMs: number): number {
  return atMs + Math.max(Math.ceil((nowMs - atMs) / everyMs), 1) * everyMs
}
