import type { LeaveReason } from '../sim/game/bundle.ts'
import type { MatchConfig } from '../wire/match-config.ts'
import type { MessageBody } from '../wire/messages.ts'
import { encodeMessage } from '../wire/messages.ts'
import { Batching } from './batching.ts'
import { BundleLog } from './bundle-log.ts'
import type { LobbyPhase } from './lobby-types.ts'
import { MatchTurns } from './match-turns.ts'
import type { Expulsion, Fault, GameIdentity, MatchEvent, MatchSpec } from './match-types.ts'
import { halfOpen, joinGraceTicks, lateJoinTicks } from './match-types.ts'
import { MatchWatch } from './match-watch.ts'
import type { OrderRulebook } from './order-table.ts'
import { makeRulebook, TickCaps } from './order-table.ts'
import type { Blame, LivenessAlarm } from './presence.ts'
import type { RoomHost } from './room.ts'
import { Room } from './room.ts'
import { makeRoomHost } from './room-host.ts'
import { RoomShow } from './room-show.ts'
import { Sealer } from './sealer.ts'
import { Seating } from './seating.ts'
import { Session } from './session.ts'
import { SessionGuard } from './session-guard.ts'
import { TickClock } from './tick-clock.ts'
import { TickSender } from './tick-sender.ts'

/**
 * One match: who sits where, which ticks are sealed, who still needs which of them. It never runs the
 * game and never decodes an order.
 */
export class Match {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly identity: GameIdentity
  readonly sealer: Sealer
  readonly log = new BundleLog()
  readonly room: Room
  /** Whether a tick waits for its inputs, so that each of them may move its seal. */
  readonly waitsForInputs: boolean
  readonly #spec: MatchSpec
  readonly #rules: OrderRulebook | undefined
  readonly #watch: MatchWatch
  readonly turns: MatchTurns
  readonly #seating: Seating
  readonly #show: RoomShow
  readonly #sender: TickSender
  readonly #expelled: Expulsion[] = []
  /** When the watch over one of the sessions has to look again, or before. */
  readonly #alarm: LivenessAlarm = { atMs: Number.POSITIVE_INFINITY }
  #config: MatchConfig
  #memberCount = 0
  #clock: TickClock | undefined
  #waitingSinceMs = -1

  constructor(spec: MatchSpec) {
    const { config } = spec
    this.id = spec.id
    this.name = spec.name
    this.seed = spec.seed
    this.identity = spec.identity
    this.#spec = spec
    this.#config = config
    this.waitsForInputs = config.missing.kind === 'wait'
    this.#rules = makeRulebook(config)
    const caps = this.#rules && new TickCaps(this.#rules, config.seats)
    this.sealer = new Sealer(config, spec.waitingMax, caps)
    this.#seating = new Seating(config.seats)
    this.#watch = new MatchWatch(config, this.#seating.seats)
    const enter: RoomHost['enter'] = (phase, nowMs) => this.#enter(phase, nowMs)
    const host = makeRoomHost(this, this.#seating, this.#watch, () => this.#clock, enter)
    this.room = new Room(config, host, spec.nowMs)
    this.#show = new RoomShow(this.room.lobby, this.#seating, spec.nowMs)
    const emit = (event: MatchEvent) => spec.emit(event)
    const { sealer, log, room } = this
    this.turns = new MatchTurns(sealer, log, room, this.#watch, emit, this.#rules)
    const isBatching = config.batching === 'adaptive'
    this.#sender = new TickSender(this.#seating, log, isBatching, () => spec.randomWord())
  }

  /** What the match is made with; its options are final once it is launched. */
  get config(): MatchConfig {
    return this.#config
  }

  /** Whether turns may wait for the next tick: nothing that they say matters before. */
  get defersTurns(): boolean {
    return this.#clock !== undefined && this.#spec.waitingTurns !== undefined
  }

  get phase(): LobbyPhase['name'] {
    return this.room.lobby.phase
  }

  get sessions(): ReadonlySet<Session> {
    return this.#seating.sessions
  }

  /** The same as a list. */
  get sessionList(): readonly Session[] {
    return this.#seating.list
  }

  /** Whether clients can begin to load: the options will not change any more. */
  get isLaunched(): boolean {
    return this.room.isLaunched
  }

  /** Why nobody of that role can come in now; `undefined` when somebody can. */
  joinFault(role: 'player' | 'spectator'): string | undefined {
    // Without snapshots only who was there from tick 1 has a state to go on from.
    if (this.log.firstTick > 1) return 'closed'
    return this.room.lobby.joinFault(role)
  }

  /** Gives a seat, or a place to watch from. The match may start with it. */
  admit(name: string, role: 'player' | 'spectator', ticket: Uint8Array, nowMs: number): Session {
    const member = this.#memberCount++
    const isRunning = this.phase === 'running'
    const { tickRate, batching: batchingMode } = this.#config
    const guard = new SessionGuard(undefined, tickRate, this.#rules, nowMs, this.#alarm)
    const batching = batchingMode === 'adaptive' ? new Batching() : undefined
    const session = new Session(ticket, name, undefined, member, guard, batching)
    this.#seating.add(session)
    this.room.add(member, name, role, nowMs)
    session.seat = this.room.lobby.member(member)?.seat
    if (session.seat !== undefined) this.#seating.seats[session.seat] = session
    if (isRunning && session.seat !== undefined) this.#sit(session.seat)
    return session
  }

  sessionWith(ticket: Uint8Array): Session | undefined {
    return this.#seating.withTicket(ticket)
  }

  /** A link carries a session (again). */
  handleAttached(session: Session, haveTick: number, nowMs: number): void {
    session.guard.liveness.handleLinkUp(this.log.sealedTick - haveTick, nowMs)
    session.guard.admission.noteAnswered()
    this.room.setConnected(session.member, true, nowMs)
    this.#notePresence(session, nowMs)
    this.#show.touch()
  }

  /** The link of a session is lost; its player may come back. */
  handleDetached(session: Session, nowMs: number): void {
    if (!this.#seating.has(session) || this.phase === 'ended') return
    session.detach(nowMs)
    session.guard.liveness.handleLinkDown(nowMs)
    this.room.setConnected(session.member, false, nowMs)
    this.#notePresence(session, nowMs)
  }

  /** Ends a session for good. Its seat, if any, is left at the next tick, for everybody the same. */
  remove(session: Session, reason: LeaveReason, nowMs: number, blame?: Blame): void {
    const isSeated = this.#seating.isSeated(session)
    if (!this.#seating.remove(session)) return
    const { seat, member } = session
    if (seat !== undefined && isSeated) {
      this.#watch.setCounted(seat, undefined)
      this.sealer.forgetInputs(seat)
      // Who is sent away orders nothing from that tick on, not even what waits for it (T-57).
      if (reason === 'kicked' || reason === 'voted-out') this.sealer.forgetOrders(seat)
      // Before the match runs nobody has sat down yet.
      if (this.#clock !== undefined) this.sealer.addEvent({ type: 'leave', seat, reason })
      this.#spec.emit({ type: 'left', seat, reason, blame })
    }
    this.room.remove(member, seat, nowMs)
    // Who only watches may wait for the first player, but not for players who are gone.
    const { sessions, seatedCount } = this.#seating
    const isOver = isSeated ? seatedCount === 0 : sessions.size === 0
    if (isOver && this.phase === 'running') this.room.lobby.end(nowMs)
    this.room.settle(nowMs)
  }

  /**
   * Takes in what a client did. The bytes are a stranger's: a `WireError` passes through to whoever
   * called; a message that breaks the rules gives a fault.
   */
  handleTurn(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    this.takeTurns(nowMs)
    const fault = this.turns.handle(session, bytes, nowMs)
    if (fault === undefined && session.guard.takeNews()) this.#notePresence(session, nowMs)
    return fault
  }

  /** Takes in the turns that wait. Call it before anything else that concerns the match. */
  takeTurns(nowMs: number): void {
    const waiting = this.#spec.waitingTurns
    if (waiting === undefined) return
    this.#seating.collectTurns(waiting)
    for (let link = waiting.take(); link; link = waiting.take()) {
      const session = link.state.name === 'seated' ? link.state.session : undefined
      // Who is out since has no say.
      if (session === undefined || !this.#seating.has(session)) continue
      const fault = this.turns.handleWaiting(session, waiting.bytes, waiting.atMs)
      if (fault !== undefined) this.expel(session, 'refused', fault, nowMs)
      else if (session.guard.takeNews()) this.#notePresence(session, nowMs)
    }
  }

  /** Hears a wish about the match. */
  handleAct(session: Session, body: MessageBody<'ClientAct'>, nowMs: number): Fault | undefined {
    const fault = this.turns.handleAct(session, body, nowMs)
    if (this.phase === 'lobby') this.#seating.follow(this.room.lobby)
    return fault
  }

  /** A sign of life. */
  handleHere(session: Session, body: MessageBody<'ClientHere'>, nowMs: number): void {
    this.turns.noteActivity(session, body.activity, nowMs)
    this.#notePresence(session, nowMs)
  }

  handleTime(nowMs: number): void {
    this.takeTurns(nowMs)
    this.room.handleTime(nowMs)
    if (this.phase === 'lobby') this.#seating.follow(this.room.lobby)
    const clock = this.#clock
    while (clock?.isDue(nowMs) && this.phase === 'running') {
      if (this.#mustWait(nowMs)) break
      const sinceMs = this.#waitingSinceMs
      // However the wait ended, its time is not made up afterwards.
      if (sinceMs >= 0) clock.postpone(nowMs)
      this.#waitingSinceMs = -1
      clock.advance(nowMs)
      const waitedMs = sinceMs >= 0 && this.sealer.isComplete ? nowMs - sinceMs : 0
      this.#seal(nowMs, clock.intervalMs, waitedMs)
    }
    this.#sender.flush(this.#waitingSinceMs >= 0, nowMs)
    if (this.#alarm.atMs <= nowMs) this.#lookAfterAll(nowMs)
    this.#show.handleTime(nowMs)
  }

  wakeAtMs(): number {
    if (this.phase === 'ended') return Number.POSITIVE_INFINITY
    const soonest = Math.min(this.room.wakeAtMs(), this.#show.wakeAtMs(), this.#sender.wakeAtMs())
    // Every tick looks after everybody: while they come, nobody needs a wake-up of his own.
    const isWaiting = this.#waitingSinceMs >= 0 && !this.sealer.isComplete
    if (this.#clock !== undefined && !isWaiting) return Math.min(soonest, this.#clock.wakeAtMs())
    const watch = Math.min(soonest, this.#seating.livenessAtMs())
    if (this.#clock === undefined) return watch
    return Math.min(watch, this.#waitingSinceMs + this.#config.missing.waitMs)
  }

  /** Sessions that are over since the last call: their links are to be closed. */
  takeExpelled(): readonly Expulsion[] {
    return this.#expelled.length === 0 ? nobody : this.#expelled.splice(0)
  }

  /** The relay stood still for so long: nobody is to blame for that time. */
  excuse(lostMs: number, nowMs: number): void {
    this.takeTurns(nowMs)
    this.room.excuse(lostMs)
    for (const { guard } of this.#seating.sessions) guard.excuse(lostMs, nowMs)
  }

  /** Ends somebody's session by the relay's own decision. */
  expel(session: Session, why: LeaveReason, fault: Fault, nowMs: number): void {
    if (!this.#seating.has(session)) return
    this.remove(session, why, nowMs)
    this.#expelled.push({ session, ...fault, isLinkOnly: false })
  }

  /** Sends away whoever sits there, as an operator may. False when nobody does. */
  kick(seat: number, nowMs: number): boolean {
    const session = this.#seating.seats[seat]
    const fault = { reason: 'kicked', message: 'You were removed from the match' } as const
    if (session !== undefined) this.expel(session, 'kicked', fault, nowMs)
    return session !== undefined
  }

  #enter(phase: LobbyPhase['name'], nowMs: number): void {
    this.#spec.emit({ type: 'phase', phase })
    if (phase === 'loading') this.#launch(nowMs)
    if (phase === 'running') this.#start(nowMs)
    if (phase === 'ended') this.#spec.emit({ type: 'ended' })
  }

  /** From here on options and seats stay as they are. */
  #launch(nowMs: number): void {
    const { options } = this.room.lobby
    this.#config = { ...this.#config, options }
    this.#seating.follow(this.room.lobby)
    // What was sent before a launch that was called off belongs to nobody now.
    for (const seat of this.#seating.seats.keys()) {
      this.sealer.forgetInputs(seat)
      this.sealer.forgetOrders(seat)
    }
    for (const session of this.#seating.sessions) {
      session.startOver()
      const body = encodeMessage('RelayLaunch', { options, seat: session.seat })
      session.channel?.sendControl(body, nowMs)
    }
  }

  #start(nowMs: number): void {
    this.#clock = new TickClock(this.#config.tickRate, nowMs)
    this.#seating.follow(this.room.lobby)
    for (const [seat, session] of this.#seating.seats.entries()) {
      if (this.#config.lobby.start !== 'when-full') session?.guard.admission.noteStarted(nowMs)
      if (session !== undefined) this.#sit(seat)
      else if (this.turns.hasBot(seat)) this.sealer.addEvent({ type: 'join', seat })
    }
    this.#spec.emit({ type: 'started', tick: this.sealer.sealedTick + 1 })
  }

  /** A player begins to play, at the next tick. */
  #sit(seat: number): void {
    // What the last player of this seat had ordered and is not sealed must not run as this one's.
    if (this.sealer.sealedTick > 0) this.sealer.forgetOrders(seat)
    this.sealer.addEvent({ type: 'join', seat })
    this.#watch.setCounted(seat, this.#seating.seats[seat])
    const firstTick = this.sealer.sealedTick + 1 + this.#watch.delayTicks
    this.sealer.expectInputs(seat, firstTick + joinGraceTicks)
  }

  /** Under the policy `wait`, a tick waits for its inputs, but not for ever. */
  #mustWait(nowMs: number): boolean {
    if (!this.waitsForInputs || this.sealer.isComplete) return false
    if (this.#waitingSinceMs < 0) this.#waitingSinceMs = nowMs
    return nowMs < this.#waitingSinceMs + this.#config.missing.waitMs
  }

  #seal(nowMs: number, intervalMs: number, waitedMs: number): void {
    this.#steer(nowMs)
    const bundle = this.sealer.seal()
    this.log.append(bundle)
    const { sealedTick } = this.sealer
    this.#watch.noteSealed(sealedTick, nowMs, waitedMs)
    for (const { seat, arrivedAtMs } of this.sealer.sealedOrders) {
      this.#seating.seats[seat]?.guard.waits.add(nowMs - arrivedAtMs)
    }
    if (this.#spec.tellSealed !== false)
      this.#spec.emit({ type: 'sealed', tick: sealedTick, bundle })
    const stats = this.#watch.takeStats(this.room.pace, this.turns.hashes, sealedTick, nowMs)
    const neededTick = this.#sender.noteSealed(stats, nowMs, intervalMs)
    if (neededTick < this.log.firstTick) this.#expelFallenBehind(nowMs)
    // Ticks that everybody has are needed no more. Whoever comes a little late can still run the
    // match from its beginning.
    if (sealedTick > lateJoinTicks) this.log.dropBefore(neededTick)
  }

  /** The input delay and the speed follow what is measured, by events of a tick. */
  #steer(nowMs: number): void {
    const ticks = this.#watch.updateDelay(nowMs)
    if (ticks !== undefined) this.sealer.addEvent({ type: 'delay', ticks })
    this.#watch.requestSpeed(this.room.pace.requestedPercent)
    if (this.#watch.updateSpeed(nowMs)) {
      this.room.pace.limitSpeed(this.#watch.speedLimitPercent)
      this.room.settle(nowMs)
    }
  }

  /** A client that takes nothing in is not waited for: the log is bounded, and so is our patience. */
  #expelFallenBehind(nowMs: number): void {
    for (const session of this.#seating.fallenBehind(this.log.firstTick)) {
      const message = 'You are further behind than the relay remembers'
      this.expel(session, 'timeout', { reason: 'behind-log', message }, nowMs)
    }
  }

  /** Looks after everybody, and notes when that has to be done again. */
  #lookAfterAll(nowMs: number): void {
    this.#alarm.atMs = Number.POSITIVE_INFINITY
    for (const session of this.#seating.list) {
      const { liveness } = session.guard
      if (liveness.wakeAtMs() <= nowMs) {
        liveness.handleTime(this.log.sealedTick, nowMs)
        this.#notePresence(session, nowMs)
      }
      this.#alarm.atMs = Math.min(this.#alarm.atMs, liveness.lookAtMs())
    }
  }

  /** Passes on what the watch over a session noticed. */
  #notePresence(session: Session, nowMs: number): void {
    const { liveness } = session.guard
    for (let event = liveness.pollEvent(); event; event = liveness.pollEvent()) {
      const { seat, member } = session
      this.#show.touch()
      this.#spec.emit({ type: 'presence', member, seat, event: event.type })
      if (event.type === 'half-open') this.#expelled.push({ session, ...halfOpen })
      if (event.type === 'gone') this.#drop(session, event.blame, nowMs)
      if (this.#seating.has(session)) this.room.bots.setClient(member, liveness.isAble)
    }
    if (this.#seating.isSeated(session)) this.#watch.setCounted(session.seat as number, session)
    this.room.settle(nowMs)
  }

  /** Gives up somebody who was silent, or behind, for too long. */
  #drop(session: Session, blame: Blame, nowMs: number): void {
    const message = blame.reason === 'timeout' ? 'You were silent' : 'You do not keep up'
    this.remove(session, 'timeout', nowMs, { ...blame, seat: session.seat })
    this.#expelled.push({ session, reason: 'too-slow', message, isLinkOnly: false })
  }
}

const nobody: readonly Expulsion[] = Object.freeze([])
