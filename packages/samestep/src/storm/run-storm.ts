import type { Match } from '../relay/match/match.ts'
import type { Session } from '../relay/match/session.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import { bundleBytesMax, inboxTicksMax, outboxOrdersMax, windowTicksMax } from '../wire/limits.ts'
import { silentMs } from '../wire/patience.ts'
import type { ClientActor } from './actors/client-actor.ts'
import { Gatekeeper } from './actors/gatekeeper.ts'
import { RelayActor } from './actors/relay-actor.ts'
import type { ClientNode } from './cast.ts'
import { Cast } from './cast.ts'
import { DelayBook } from './checks/delay-checks.ts'
import { DesyncBook } from './checks/desync-checks.ts'
import { checkMatches } from './checks/match-checks.ts'
import { Oracle } from './checks/oracle.ts'
import { checkQuiet, lagAllowance } from './checks/quiet-checks.ts'
import { checkBooks, checkEnd, checkReaction } from './checks/room-reactions.ts'
import { scheduleCurves } from './engine/faults/curves.ts'
import { Faults } from './engine/faults/faults.ts'
import type { NodeId } from './engine/node-id.ts'
import type { CoverageReport } from './engine/sometimes.ts'
import { Violation } from './engine/violation.ts'
import { World } from './engine/world.ts'
import { makeRuledGame, weatherOf } from './games/ruled-game.ts'
import { makeToyGame } from './games/toy-game.ts'
import { wideGame } from './games/wide-game.ts'
import { matchName } from './plan/match-options.ts'
import { isFrozen, isUnwokenAt, sleepMs } from './plan/plan-faults.ts'
import type { StormKnobs } from './plan/storm-knobs.ts'
import type { StormPlan } from './plan/storm-plan.ts'
import { knobsOf } from './plan/storm-plan.ts'

/** The result of one run of a plan. */
export interface StormResult {
  readonly violation: Violation | undefined
  /** A hash that is the same for the same plan; a rerun is compared by it (I-22). */
  readonly traceHash: string
  readonly events: number
  readonly virtualMs: number
  /** Ticks sealed, and ticks run by all clients together. */
  readonly sealedTicks: number
  readonly coverage: CoverageReport
  readonly trace: readonly string[]
}

/** Options for running a plan. */
export interface StormRunOptions {
  /** The game to play. Defaults to a small built-in one. */
  readonly game?: Game
  /** How many readable lines to keep for a failure report. */
  readonly traceLines?: number
}

/** One run: the world of a plan, its faults, and then the quiet in which everything must come right. */
export class StormRun {
  readonly world: World
  readonly oracle: Oracle
  readonly #plan: StormPlan
  readonly #tickRate: number
  readonly #relay: RelayActor
  readonly #faults: Faults
  readonly #desync: DesyncBook
  readonly #cast: Cast
  /** Whose end was looked at. */
  readonly #ended = new WeakSet<ClientActor>()
  /** Whether the relay's clock stands still at times. */
  readonly #isFrozen: boolean

  constructor(plan: StormPlan, options: StormRunOptions = {}) {
    const knobs = knobsOf(plan)
    const game = options.game ?? gameOf(knobs)
    this.#plan = plan
    this.#tickRate = game.tickRate
    this.world = new World({
      seed: plan.seed,
      traceLines: options.traceLines ?? 0,
      // Both ends of a datagram link take its number for their epoch.
      firstLink: knobs.firstEpoch,
    })
    const { waitingOrdersMax, lobbyStart, botSeats } = knobs
    // A relay whose clock stands still cannot tell how fast orders come, and errs on the safe side.
    this.#isFrozen = isFrozen(plan)
    // Bots give up orders that find no room; so nobody counts on theirs.
    const mayRefuse = this.#isFrozen || waitingOrdersMax < outboxOrdersMax || botSeats > 0
    this.oracle = new Oracle(this.world, mayRefuse, lobbyStart !== 'when-full')
    const oracles = new Map([[matchName, this.oracle]])
    const honest = new Set(plan.nodes.map(({ name }) => name))
    const isHonest = (name: string) => honest.has(name)
    const gatekeeper = knobs.isAuthorizing ? this.#makeGatekeeper(plan) : undefined
    this.#relay = new RelayActor(this.world, oracles, knobs, gatekeeper)
    const silenceMs = (link: number) => this.#relay.silenceMs(link)
    this.#relay.onCheck = (match) => {
      checkBooks(this.world, match, isHonest, this.oracle.isDisturbed ? () => 0 : silenceMs)
      for (const session of match.sessions) this.#checkHold(session)
      this.#changeWeather(game, match)
      if (this.#isFine) this.#desync.checkSoon(this.clients, match.log.sealedTick)
      checkMatches(this.world, this.#relay.relay, plan)
    }
    this.#desync = new DesyncBook(this.world, knobs, isHonest)
    this.oracle.onApart = (tick) => this.#desync.noteApart(tick)
    this.#relay.onHalted = () => this.#desync.noteHalted()
    this.#relay.onResync = () => this.#desync.noteResync()
    this.#relay.onMismatch = (event, there) => {
      this.#desync.noteMismatch(event, there, (name) => this.#relay.isOnLine(name))
    }
    this.#relay.onFound = (event, there) => this.#desync.noteFound(event, there)
    const relayPlan = plan.nodes.find(({ kind }) => kind === 'relay')
    const relayNode = this.world.addNode('relay', this.#relay, relayPlan?.clock)
    this.#relay.start(relayNode)
    this.#watchDelay(relayNode, knobs.spectatorDelayMs)
    this.#cast = new Cast({
      world: this.world,
      game,
      plan,
      oracle: this.oracle,
      desync: this.#desync,
      relayNode,
      handleAdded: (node, id, actor) => this.#scheduleHabits(node, id, actor),
    })
    this.#faults = new Faults(this.world, { slow: (node, op) => this.#slow(node, op.factor) })
    this.#faults.schedule(plan.faults)
    this.#scheduleDisturbances()
    scheduleCurves(this.world, plan.links)
  }

  get clients(): readonly ClientActor[] {
    return this.#cast.clients
  }

  /** Everybody has a token of its own, save those who come without one. */
  #makeGatekeeper({ nodes, attackers }: StormPlan): Gatekeeper {
    const names = new Set([...nodes, ...attackers].map(({ name }) => name))
    return new Gatekeeper(this.world, (name) => names.has(name))
  }

  #watchDelay(relay: NodeId, delayMs: number): void {
    const watchers = this.#plan.nodes.filter((node) => 'role' in node && node.role === 'spectator')
    if (delayMs === 0) return
    const names = new Set(watchers.map(({ name }) => name))
    this.oracle.delays = new DelayBook(this.world, relay, delayMs, names)
  }

  /** Whether nothing keeps reports from coming: no faults or crashes, no strangers, no pauses, nobody who hides. */
  get #isFine(): boolean {
    const { faults, attackers, nodes } = this.#plan
    const isHiding = nodes.some((node) => node.kind === 'client' && node.hides !== undefined)
    const { hasWishes, lagMode, crashesPerMinute } = knobsOf(this.#plan)
    const isSteady = !hasWishes && lagMode === 'off' && crashesPerMinute === 0
    return faults.length + attackers.length === 0 && !isHiding && isSteady
  }

  /** The program around the relay gives an order now and then. */
  #changeWeather(game: Game, match: Match): void {
    const bytes = weatherOf(game, this.oracle.sealedTick)
    if (bytes === undefined) return
    if (match.ownOrders.order(bytes, 0)) this.oracle.relayOrders.noteIssued(bytes)
  }

  /** Whose clock is out of order cannot tell how long anything takes. */
  #checkHold(session: Session): void {
    const { name } = session
    const isHit = this.#plan.faults.some((op) => {
      return op.kind !== 'partition' && op.node === name && disturbing.has(op.kind)
    })
    if (!isHit) this.clients.find(({ plan }) => plan.name === name)?.holds.check(session)
  }

  /** Runs faults, then quiet. Throws a {@link Violation}. */
  run(): void {
    const { durationMs, quietMs } = this.#plan
    const checkBounds = () => this.#checkBounds()
    this.world.runUntil(durationMs, checkBounds)
    this.#faults.healAll()
    this.#relay.calmDown()
    this.#checkReactions()
    this.#cast.stopAttacks()
    for (const client of this.clients) client.calmDown()
    this.world.runUntil(durationMs + quietMs - settleMs, checkBounds)
    for (const client of this.clients) client.stopWork()
    this.oracle.lates.restart(this.#silentSeats())
    this.world.runUntil(durationMs + quietMs, checkBounds)
    checkQuiet({
      world: this.world,
      oracle: this.oracle,
      clients: this.clients,
      plan: this.#plan,
      tickRate: this.#tickRate,
      desync: this.#desync,
      relay: this.#relay.relay,
      strangerLinks: this.#cast.strangerLinks,
    })
  }

  /** Seats of players from whom nothing comes. */
  #silentSeats(): number[] {
    const sessions = this.#relay.relay.matches.get(matchName)?.sessions ?? []
    const silent = sessions.filter(({ link }) => {
      return link < 0 || this.#relay.silenceMs(link) >= silentMs
    })
    return silent.flatMap(({ seat }) => (seat === undefined ? [] : [seat]))
  }

  #scheduleHabits(node: ClientNode, id: NodeId, actor: ClientActor): void {
    const { leavesAtMs, hides = [] } = node
    if (leavesAtMs !== undefined) {
      this.world.atNode(id, leavesAtMs, (nowMs) => actor.handleTime(nowMs))
    }
    for (const { atMs, forMs } of hides) {
      this.world.atNode(id, atMs, (nowMs) => actor.setHidden(true, nowMs))
      this.world.atNode(id, atMs + forMs, (nowMs) => actor.setHidden(false, nowMs))
      this.world.at(atMs + forMs + visibleMsMax, () => this.#checkVisible(actor, atMs + forMs))
    }
  }

  /** Tells the oracle when the relay itself is hit: then its clock proves nothing. */
  #scheduleDisturbances(): void {
    for (const op of this.#plan.faults) {
      if (op.kind === 'partition' || op.node !== 'relay' || !disturbing.has(op.kind)) continue
      this.world.at(op.atMs, () => this.oracle.noteDisturbed(op.durationMs))
    }
  }

  /** Two seconds after somebody looks again, a client plays as before (F-13), unless its line is bad. */
  #checkVisible(actor: ClientActor, atMs: number): void {
    const { world } = this
    const { client, plan, closedReason } = actor
    const isHit = this.#plan.faults.some((op) => {
      return op.atMs < world.nowMs && op.atMs + op.durationMs > atMs - settleMs
    })
    if (isHit || closedReason !== undefined || this.oracle.sealedTick === 0) return
    const lag = this.oracle.sealedTick - client.cursors.simulatedTick
    world.always(
      'F-13',
      lag <= lagAllowance(this.#tickRate),
      () => `${plan.name} is ${lag} ticks behind`,
    )
    const match = this.#relay.relay.matches.get(matchName)
    if (match !== undefined) {
      const session = match.sessions.find(({ name }) => name === plan.name)
      const presence = session?.guard.liveness.presence
      const isThere = presence === 'active' || presence === 'lagging'
      world.always('F-13', isThere, () => `${plan.name} looks again, and is ${presence}`)
    }
  }

  #checkReactions(): void {
    for (const attacker of this.#cast.attackers) {
      checkEnd(this.world, attacker, this.#isCalmFor(`x-${attacker.kind}`))
    }
    for (const cheat of this.#cast.cheats) {
      const isCalm = this.#isCalmFor(cheat.spec.name)
      const { member = -1 } = cheat.client
      const presences = this.#relay.presences.get(member) ?? new Set()
      // Where a match pauses, or waits for inputs, few of them are late.
      const { hasWishes, missing } = knobsOf(this.#plan)
      const isPatient = hasWishes || missing.kind === 'wait'
      checkReaction(this.world, cheat, presences, isCalm, isPatient)
    }
  }

  /**
   * Whether its line and the relay's are good enough for the relay to know what somebody does. What a
   * relay was about to answer is lost when it dies.
   */
  #isCalmFor(name: string): boolean {
    if (knobsOf(this.#plan).crashesPerMinute > 0) return false
    return this.#plan.faults.every((op) => op.kind !== 'partition' && op.node !== name)
  }

  #slow(node: NodeId, factor: number): () => void {
    const actor = this.clients.find(({ plan }) => plan.name === this.world.nameOf(node))
    if (actor === undefined) return () => {}
    // A tick that costs its whole budget at factor 1 leaves no room at factor 2.
    actor.machine.slowDown(factor)
    this.world.sometimes('a client was too slow', factor > 2)
    return () => actor.machine.slowDown(1)
  }

  /** Memory stays within its limits (I-13), and nobody honest is blamed (I-21). */
  #checkBounds(): void {
    const { world } = this
    const acting = this.clients[world.lastNode - 1]
    if (acting === undefined) return
    const { client, closedReason } = acting
    // What is received and not run.
    const { readyTicks } = client
    world.always('I-13', client.pendingOrders <= outboxOrdersMax, 'The outbox is over its limit')
    world.always('I-13', readyTicks <= inboxTicksMax + windowTicksMax, 'The inbox is too long')
    const inboxMax = (inboxTicksMax + windowTicksMax) * bundleBytesMax
    const inboxBytes = client.running?.inbox.bytes ?? 0
    world.always('I-13', inboxBytes <= inboxMax, 'The inbox has too many bytes')
    // Once, as it ends: what excuses it may be over later.
    if (closedReason !== undefined && !this.#ended.has(acting)) {
      this.#ended.add(acting)
      this.#checkClosed(acting, closedReason)
    }
    world.sometimes('a client caught up from far behind', readyTicks > 2 * this.#tickRate)
  }

  /** Somebody honest was sent away: only for what is nobody's fault (I-21). */
  #checkClosed(acting: ClientActor, closedReason: string): void {
    const { world } = this
    const { plan } = acting
    // A spectator whose line was down when the match began has come too late, by rule; and a witness
    // comes to a match that is there.
    const isNew = acting.witnessed.executedTick === 0
    const isLate = isNew && closedReason.startsWith('match-full')
    const isEarly = isNew && plan.role === 'witness' && closedReason.startsWith('no-match')
    world.sometimes('a spectator came too late', isLate)
    const isGivenUp = sleepMs(this.#plan, plan.name) >= seatMs && isTyped(closedReason)
    world.sometimes('a sleeper was told that his seat is gone', isGivenUp)
    // Where players do not agree, nobody has a state to give.
    const isStateless = closedReason.startsWith('no-state') && this.#desync.isOn
    world.sometimes('a joiner was told that nobody agrees', isStateless)
    // A relay whose clock stands still cannot tell how fast packets come, as with orders.
    const isUntimed = this.#isFrozen && closedReason.startsWith('rate')
    const isUnwoken = isUnwokenAt(this.#plan, world.nowMs) && closedReason.startsWith('too-slow')
    const isUnhealed = closedReason.startsWith('desync') && this.#desync.isPatient(plan.name)
    const isExcused = isLate || isEarly || isGivenUp
    const isOurs = isStateless || isUntimed || isUnwoken || isUnhealed
    const isAllowed = isExcused || isOurs || acting.hasLeft
    world.always('I-21', isAllowed, () => {
      return `${plan.name}, who is honest, was closed: ${closedReason}`
    })
  }
}

/** The game of ours that a plan plays. */
function gameOf({ isWide, hasOrderRules, tickRate }: StormKnobs): Game {
  const ruled = hasOrderRules ? makeRuledGame(tickRate) : makeToyGame(tickRate)
  return (isWide ? wideGame : ruled) as unknown as Game
}

/** Time at the end of the quiet in which nobody issues orders any more. */
const settleMs = 10_000

/** Runs a plan until its end or its first violation. */
export function runStormPlan(plan: StormPlan, options: StormRunOptions = {}): StormResult {
  const run = new StormRun(plan, options)
  let violation: Violation | undefined
  try {
    run.run()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violation = error
  }
  const { world, oracle } = run
  return {
    violation,
    traceHash: world.traceHash(),
    events: world.events,
    virtualMs: world.nowMs,
    sealedTicks: oracle.sealedTick,
    coverage: world.coverage.report(),
    trace: world.traceLines(),
  }
}

/** Faults after which a machine's own time proves nothing. */
const disturbing: ReadonlySet<string> = new Set([
  'pause',
  'clock-jump',
  'clock-freeze',
  'clock-drift',
  'throttle',
  'sleep',
  'slow',
])

/** Whose machine sleeps for less keeps the seat (F-15); the rest is for noticing that, and for coming back. */
const seatMs = 45_001

/** Whether somebody who was away for too long was told so: nobody has his ticket any more, or his match. */
function isTyped(reason: string | undefined): boolean {
  return (
    reason !== undefined && ['auth', 'no-match', 'too-slow'].includes(reason.split(':')[0] ?? '')
  )
}

/** How soon a client is back after somebody looks again (F-13). */
const visibleMsMax = 2_000
