import { assert } from '../../base/assert.ts'
import type { MatchHistory } from '../../record/match-history.ts'
import type { LobbyPhase, Role } from '../../room/lobby-types.ts'
import type { Place } from '../../room/members.ts'
import { Members } from '../../room/members.ts'
import type { Room } from '../../room/room.ts'
import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'
import { makeReactions } from '../desync/make-reactions.ts'
import { PresenceWatch } from '../guard/presence-watch.ts'
import { MatchStates, type StateParts } from '../join/match-states.ts'
import { isStateMessage } from '../join/state-message.ts'
import type { MatchNotes } from '../record/match-notes.ts'
import type { RelayWakeReason } from '../wake-reason.ts'
import { DesyncWatch } from './hashes/desync-watch.ts'
import { makeRoom } from './make-room.ts'
import { MatchShare } from './match-share.ts'
import { MatchTurns } from './match-turns.ts'
import type { Expulsion, Fault, GameIdentity, MatchLine, MatchSpec } from './match-types.ts'
import { firstLine } from './match-types.ts'
import { matchWakeReason } from './match-wake.ts'
import type { MemberMessage } from './member-message.ts'
import type { OrderRulebook } from './orders/order-table.ts'
import { makeRulebook } from './orders/order-table.ts'
import { Departures } from './people/departures.ts'
import { KickedList } from './people/kicked-list.ts'
import { MemberMaker } from './people/member-maker.ts'
import { Opening } from './people/opening.ts'
import { PastSpeech } from './people/past-speech.ts'
import { SeatWatch } from './people/seat-watch.ts'
import type { Session } from './session.ts'
import type { BundleLog } from './ticks/bundle-log.ts'
import type { Sealer } from './ticks/sealer.ts'
import { TickCore } from './ticks/tick-core.ts'
import { makeTickHost } from './ticks/tick-host.ts'

/**
 * One match: its members and their sessions, the room around them, and the ticks. It never runs the
 * game and never decodes an order.
 *
 * Whatever happens to it comes in by one of its entrances (`handle…`, `admit`, `remove`, `kick`,
 * `excuse`), and each of them first takes in the turns that wait: they came before.
 */
export class Match {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly identity: GameIdentity
  /** What serving it may still cost. */
  readonly share: MatchShare
  readonly members: Members<Session>
  /** Who was sent away, and may not come back. */
  readonly kicked: KickedList
  readonly pastSpeech = new PastSpeech()
  readonly room: Room
  readonly turns: MatchTurns
  readonly maker: MemberMaker
  /** What happened, for the record; `undefined` where none is kept. */
  readonly notes: MatchNotes | undefined
  /** Which line of the match's history this relay goes on with. */
  readonly line: MatchLine
  readonly #spec: MatchSpec
  readonly #rules: OrderRulebook | undefined
  readonly #ticks: TickCore
  readonly #desync: DesyncWatch
  readonly #departures: Departures
  readonly #presence: PresenceWatch
  readonly #states: MatchStates
  readonly #seats: SeatWatch
  readonly #opening: Opening
  readonly #isRunning = (): boolean => this.phase === 'running'
  #config: MatchConfig

  constructor(spec: MatchSpec) {
    const { config } = spec
    this.id = spec.id
    this.name = spec.name
    this.seed = spec.seed
    this.identity = spec.identity
    this.#spec = spec
    this.notes = spec.notes
    this.line = spec.line ?? firstLine
    this.share = new MatchShare(spec.nowMs)
    this.#config = config
    this.#rules = makeRulebook(config)
    this.members = new Members(config.seats)
    this.kicked = new KickedList(spec.kicksAddresses === true)
    this.#ticks = this.#makeTicks(spec)
    this.room = this.#makeRoom(spec)
    const { sealer, log, watch, view } = this.#ticks
    const { members, room, kicked } = this
    const { emit } = spec
    const finalConfig = () => this.#config
    const about = { ...spec, log, finalConfig }
    const desync = new DesyncWatch(
      members,
      about,
      makeReactions({
        room,
        desync: () => this.#desync,
        states: () => this.#states,
        departures: () => this.#departures,
      }),
      view?.delayMs,
    )
    this.#desync = desync
    this.#opening = new Opening({ members, ticks: this.#ticks, room, emit })
    this.#departures = new Departures({
      ...{ members, ticks: this.#ticks, room, desync, kicked, pastSpeech: this.pastSpeech, emit },
      forget: (session, nowMs) => this.#states.handleDetached(session, nowMs),
    })
    const expel = (session: Session, fault: Fault, nowMs: number) =>
      this.#departures.expel(session, 'timeout', fault, nowMs)
    this.#states = this.#makeStates(spec, expel)
    this.#seats = new SeatWatch({
      ...{ members, room, ticks: this.#ticks, desync, emit, isRunning: this.#isRunning },
      rules: config.lobby,
      expel,
    })
    this.#presence = new PresenceWatch({
      ...{ members, watch, room, log, emit },
      drop: (session, blame, nowMs) => this.#departures.drop(session, blame, nowMs),
      closeLink: (session) => this.#departures.closeLink(session),
    })
    this.maker = new MemberMaker(members, config, this.#rules, this.#presence.alarm, view)
    this.turns = new MatchTurns({
      ...{ members, sealer, log, room, watch, desync, rules: this.#rules },
      waiting: spec.waitingTurns,
      notes: spec.notes,
      emit,
      expel: (session, fault, nowMs) => this.#departures.expel(session, 'refused', fault, nowMs),
      note: (session, nowMs) => this.#presence.note(session, nowMs),
      noteAct: (session, nowMs) => this.#seats.noteAct(session, nowMs),
    })
  }

  /** What the match is made with; its options are final once it is launched. */
  get config(): MatchConfig {
    return this.#config
  }

  get log(): BundleLog {
    return this.#ticks.log
  }

  /** The oldest tick that somebody will need who gets a state; `Infinity` for none. */
  get neededTick(): number {
    return this.#states.neededTick
  }

  get sealer(): Sealer {
    return this.#ticks.sealer
  }

  /** Ticks between making an input and executing it. */
  get inputDelay(): number {
    return this.#ticks.watch.delayTicks
  }

  /** Whether a tick waits for its inputs, so that each of them may move its seal. */
  get waitsForInputs(): boolean {
    return this.#ticks.waitsForInputs
  }

  /** Whether turns may wait for the next tick: nothing that they say matters before. */
  get defersTurns(): boolean {
    return this.#ticks.isStarted && this.#spec.waitingTurns !== undefined
  }

  /** Ticks that are sealed in a second, at the speed of now; a slower match may be a faster one soon. */
  get ticksPerSecond(): number {
    return (this.#config.tickRate * Math.max(this.room.pace.effectivePercent, 100)) / 100
  }

  get phase(): LobbyPhase['name'] {
    return this.room.lobby.phase
  }

  /** The sessions of all members, as a list that never changes. */
  get sessions(): readonly Session[] {
    return this.members.sessions
  }

  /** Why nobody of that role can come in now; `undefined` when somebody can. */
  joinFault(role: Role, place?: Place): string | undefined {
    return this.room.lobby.joinFault(role, place)
  }

  /** Somebody asks to come in, or to come back. Gives the session that has the ticket. */
  handleJoin(ticket: Uint8Array | undefined, nowMs: number): Session | undefined {
    this.turns.takeWaiting(nowMs)
    return ticket && this.sessions.find((session) => areSameBytes(session.ticket, ticket))
  }

  /** The session of somebody who is known by more than a ticket. */
  sessionOf(identity: string): Session | undefined {
    return this.sessions.find(({ visitor }) => visitor.identity === identity)
  }

  /** Gives a seat, or a place to watch from. The match may start with it. */
  admit(name: string, role: Role, ticket: Uint8Array, nowMs: number, place?: Place): Session {
    this.turns.takeWaiting(nowMs)
    const isRunning = this.phase === 'running'
    const member = this.maker.make(name, ticket, nowMs)
    this.room.add(member, role, nowMs, place)
    if (this.#states.isNeeded(member.session, 0, nowMs)) member.session.awaitState(true)
    else if (isRunning && member.seat !== undefined) this.#ticks.sit(member.seat)
    return member.session
  }

  /** Somebody comes back who has so many ticks: whether it can go on from there, or needs a state. */
  handleReturn(session: Session, haveTick: number, nowMs: number): void {
    if (this.#states.isNeeded(session, haveTick, nowMs)) session.awaitState(false)
  }

  /** Goes on where another relay was: members come back with their tickets. For a new match only. */
  restore(history: MatchHistory, nowMs: number): void {
    const { room } = history
    assert(room !== undefined, 'A match was restored of which nothing is known')
    this.kicked.restore(history.kicked)
    this.pastSpeech.restore(history.silenced, nowMs)
    this.maker.restore(history, nowMs)
    this.room.restore(room, nowMs)
    if (this.phase !== 'lobby') this.#config = { ...this.#config, options: room.options }
    this.#ticks.restore(history, this.phase === 'running', nowMs)
    for (const session of this.sessions) this.#presence.note(session, nowMs)
  }

  /** A link carries a session (again). */
  handleAttached(session: Session, haveTick: number, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.#ticks.settleRest(nowMs)
    const behind = session.reachableTick(this.log.sealedTick) - haveTick
    session.guard.liveness.handleLinkUp(Math.max(behind, 0), nowMs)
    session.guard.noteAttached(nowMs)
    this.room.handleLinkUp(session.member, nowMs)
    this.#states.handleAttached(session, nowMs)
    this.#seats.handleBack(session, nowMs)
    this.#presence.note(session, nowMs)
    this.#desync.handleAttached(session, haveTick, nowMs)
  }

  /** Another link carries a session from here on, and the old one works: nobody else notices. */
  handleMoved(session: Session, nowMs: number): void {
    session.guard.noteAttached(nowMs)
    this.#states.handleMoved(session, nowMs)
  }

  /** The link of a session is lost; its player may come back. */
  handleDetached(session: Session, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    session.detach()
    if (!session.member.isIn || this.phase === 'ended') return
    session.guard.liveness.handleLinkDown(nowMs)
    this.#states.handleDetached(session, nowMs)
    this.room.handleLinkDown(session.member, nowMs)
    this.#presence.note(session, nowMs)
    this.#ticks.settleRest(nowMs)
  }

  /** Ends a session for good. Its seat, if any, is left at the next tick, for everybody the same. */
  remove(session: Session, reason: LeaveReason, nowMs: number, told?: string): void {
    this.turns.takeWaiting(nowMs)
    this.#departures.remove(session, reason, nowMs, told)
  }

  /**
   * Takes in what a client did. The bytes are a stranger's: a `WireError` passes through to whoever
   * called; a message that breaks the rules gives a fault.
   */
  handleTurn(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    this.turns.takeWaiting(nowMs)
    const fault = this.turns.handle(session, bytes, nowMs)
    if (session.rewindTick !== undefined) {
      // Whoever sends turns has heard how far it had to go back.
      session.rewindTick = undefined
      this.room.changes += 1
    }
    if (fault === undefined && session.guard.takeNews()) this.#presence.note(session, nowMs)
    return fault
  }

  /** Takes in a turn that a newer one overtook. */
  handleLate(session: Session, bytes: Uint8Array, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.turns.handleLate(session, bytes, nowMs)
  }

  /**
   * Takes in what else a member says. Gives what the sender is to be closed for.
   *
   * @throws WireError when it says what nobody can say.
   */
  handleMessage(session: Session, message: MemberMessage, nowMs: number): Fault | undefined {
    this.turns.takeWaiting(nowMs)
    if (message.name === 'ClientProbe') {
      this.#desync.diagnosis.handleReply(session, message.body, nowMs)
      return undefined
    }
    const isState = isStateMessage(message)
    if (isState) this.#states.handle(session, message, nowMs)
    const fault = isState
      ? this.turns.hashes.handleState(session, message, nowMs)
      : this.turns.handleMessage(session, message, nowMs)
    if (isState || message.name === 'ClientHere') this.#presence.note(session, nowMs)
    return fault
  }

  handleTime(nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.room.handleTime(nowMs)
    this.#desync.handleTime(nowMs)
    this.#states.handleTime(nowMs)
    this.#ticks.handleTime(this.#isRunning, nowMs)
    this.#presence.handleTime(nowMs)
    this.#seats.handleTime(nowMs)
    this.room.show(nowMs)
  }

  wakeAtMs(): number {
    if (this.phase === 'ended') return Number.POSITIVE_INFINITY
    const ticks = this.#ticks
    const roomAtMs = Math.min(this.room.wakeAtMs(), this.#states.wakeAtMs())
    const tickAtMs = Math.min(ticks.flushAtMs(), ticks.wakeAtMs())
    const soonest = Math.min(roomAtMs, tickAtMs, this.#desync.wakeAtMs())
    // Every tick looks after everybody: while they come, nobody needs a wake-up of his own.
    return ticks.isGoing ? soonest : Math.min(soonest, this.#presence.wakeAtMs())
  }

  /** What {@link wakeAtMs} is for. */
  wakeReason(): RelayWakeReason | undefined {
    if (this.share.readyAtMs > this.wakeAtMs()) return 'share'
    const { room } = this
    const [ticks, desync, states] = [this.#ticks, this.#desync, this.#states]
    return matchWakeReason({ ticks, room, desync, states, presence: this.#presence })
  }

  /** Sessions that are over since the last call: their links are to be closed. */
  takeExpelled(): readonly Expulsion[] {
    return this.#departures.take()
  }

  /** The relay stood still for so long: nobody is to blame for that time. */
  excuse(lostMs: number, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.room.excuse(lostMs)
    this.#states.excuse(lostMs)
    this.#desync.diagnosis.excuse(lostMs)
    for (const { guard } of this.sessions) guard.excuse(lostMs, nowMs)
  }

  /** Sends away whoever sits there, as an operator may. False when nobody does. */
  kick(seat: number, nowMs: number): boolean {
    this.turns.takeWaiting(nowMs)
    return this.#departures.kick(seat, nowMs)
  }

  #makeTicks({ config, emit, randomWord, waitingMax, notes, makeUpMs }: MatchSpec): TickCore {
    const around = {
      ticks: () => this.#ticks,
      room: () => this.room,
      hashes: () => this.#desync.hashes,
      departures: () => this.#departures,
      neededTick: () => this.neededTick,
    }
    const host = { ...makeTickHost(around), makeUpMs, emit, randomWord }
    return new TickCore(config, this.members, host, this.#rules, waitingMax, notes)
  }

  #makeStates(spec: MatchSpec, expel: StateParts['expel']): MatchStates {
    return new MatchStates({
      ...{ members: this.members, log: this.log, tickRate: spec.config.tickRate },
      ticksPerSecond: () => this.ticksPerSecond,
      view: this.#ticks.view,
      isKeeping: spec.keepsStates ?? true,
      isRunning: this.#isRunning,
      emit: spec.emit,
      sit: (seat) => this.#ticks.sit(seat),
      handleStage: (nowMs) => this.room.handlePresence(nowMs),
      handleBack: (session, nowMs) => this.#seats.handleBack(session, nowMs),
      expel,
    })
  }

  #makeRoom(spec: MatchSpec): Room {
    return makeRoom(spec, this.members, {
      ticks: () => this.#ticks,
      seats: () => this.#seats,
      departures: () => this.#departures,
      ticksPerSecond: () => this.ticksPerSecond,
      enter: (phase, nowMs) => {
        const options = this.#opening.enter(phase, this.#config.tickRate, nowMs)
        if (options !== undefined) this.#config = { ...this.#config, options }
      },
    })
  }
}
