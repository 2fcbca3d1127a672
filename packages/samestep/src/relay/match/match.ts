import { assert } from '../../base/assert.ts'
import type { MatchHistory } from '../../record/match-history.ts'
import type { LobbyPhase, Role } from '../../room/lobby-types.ts'
import type { Members, Place } from '../../room/members.ts'
import type { Room } from '../../room/room.ts'
import type { LeaveReason } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'
import type { PresenceWatch } from '../guard/presence-watch.ts'
import type { MatchStates } from '../join/match-states.ts'
import { isStateMessage } from '../join/state-message.ts'
import type { MatchNotes } from '../record/match-notes.ts'
import type { RelayWakeReason } from '../wake-reason.ts'
import type { DesyncWatch } from './hashes/desync-watch.ts'
import { MatchParts } from './match-parts.ts'
import { MatchShare } from './match-share.ts'
import type { MatchTurns } from './match-turns.ts'
import type { Expulsion, Fault, GameIdentity, MatchLine, MatchSpec } from './match-types.ts'
import { firstLine } from './match-types.ts'
import { matchWakeReason } from './match-wake.ts'
import type { MemberMessage } from './member-message.ts'
import type { RelayOrders } from './orders/relay-orders.ts'
import type { KickedList } from './people/kicked-list.ts'
import type { MemberMaker } from './people/member-maker.ts'
import type { PastSpeech } from './people/past-speech.ts'
import type { SeatWatch } from './people/seat-watch.ts'
import type { Session } from './session.ts'
import type { BundleLog } from './ticks/bundle-log.ts'
import type { Sealer } from './ticks/sealer.ts'
import type { TickCore } from './ticks/tick-core.ts'

/**
 * One match: its members and their sessions, the room around them, and the ticks. It never runs the
 * game and never decodes an order.
 *
 * Everything reaches it through its entry points (`handle…`, `admit`, `remove`, `kick`, `decide`,
 * `excuse`). Each first handles the queued turns, because they arrived earlier; `handleReturn` and
 * `handleMoved` follow a `handleJoin` that did.
 */
export class Match {
  readonly id: string
  readonly name: string
  readonly seed: string
  readonly identity: GameIdentity
  /** What serving it may still cost. */
  readonly share: MatchShare
  readonly members: Members<Session>
  /** Who was removed, and may not come back. */
  readonly kicked: KickedList
  readonly pastSpeech: PastSpeech
  readonly room: Room
  readonly turns: MatchTurns
  readonly maker: MemberMaker
  /** Orders of the relay itself. */
  readonly ownOrders: RelayOrders
  /** Notes what happens for the record; `undefined` if none is kept. */
  readonly notes: MatchNotes | undefined
  /** The line of the match's history that this relay writes. */
  readonly line: MatchLine
  readonly #parts: MatchParts
  // What every tick needs is here too, one lookup nearer.
  readonly #ticks: TickCore
  readonly #desync: DesyncWatch
  readonly #presence: PresenceWatch
  readonly #states: MatchStates
  readonly #seats: SeatWatch
  readonly #mayDefer: boolean
  readonly #isRunning = (): boolean => this.phase === 'running'

  constructor(spec: MatchSpec) {
    const parts = new MatchParts(spec)
    this.id = spec.id
    this.name = spec.name
    this.seed = spec.seed
    this.identity = spec.identity
    this.notes = spec.notes
    this.line = spec.line ?? firstLine
    this.share = new MatchShare(spec.nowMs)
    this.members = parts.members
    this.kicked = parts.kicked
    this.pastSpeech = parts.pastSpeech
    this.room = parts.room
    this.turns = parts.turns
    this.maker = parts.maker
    this.ownOrders = parts.ownOrders
    this.#parts = parts
    this.#ticks = parts.ticks
    this.#desync = parts.desync
    this.#presence = parts.presence
    this.#states = parts.states
    this.#seats = parts.seats
    this.#mayDefer = spec.waitingTurns !== undefined
  }

  /** What the match was created with; its options are final once it is launched. */
  get config(): MatchConfig {
    return this.#parts.config
  }

  get log(): BundleLog {
    return this.#ticks.log
  }

  /** The oldest tick needed by a client that waits for a state; `Infinity` for none. */
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

  /** Whether ticks wait for their inputs, so that each input may move a seal. */
  get waitsForInputs(): boolean {
    return this.#ticks.waitsForInputs
  }

  /** Whether turns may be queued until the next tick; nothing in them matters earlier. */
  get defersTurns(): boolean {
    return this.#mayDefer && this.#ticks.isStarted
  }

  /** Ticks per second at the current speed, or at the normal one if that is higher. */
  get ticksPerSecond(): number {
    return this.#parts.ticksPerSecond
  }

  get phase(): LobbyPhase['name'] {
    return this.room.lobby.phase
  }

  /** The sessions of all members. A list never changes: a change of members makes a new one. */
  get sessions(): readonly Session[] {
    return this.members.sessions
  }

  /** Why no client can join with this role now; `undefined` if one can. */
  joinFault(role: Role, place?: Place): string | undefined {
    return this.room.lobby.joinFault(role, place)
  }

  /** A client asks to join, or to come back. Returns the session with its ticket. */
  handleJoin(ticket: Uint8Array | undefined, nowMs: number): Session | undefined {
    this.turns.takeWaiting(nowMs)
    return ticket && this.sessions.find((session) => areSameBytes(session.ticket, ticket))
  }

  /** The session of an identity that authorization vouched for. */
  sessionOf(identity: string): Session | undefined {
    return this.sessions.find(({ visitor }) => visitor.identity === identity)
  }

  /** Gives a client a seat, or a place to watch from. The match may start with it. */
  admit(name: string, role: Role, ticket: Uint8Array, nowMs: number, place?: Place): Session {
    this.turns.takeWaiting(nowMs)
    const isRunning = this.phase === 'running'
    const member = this.maker.make(name, ticket, nowMs)
    this.room.add(member, role, nowMs, place)
    // Its client may run ticks from before, in which others had the seat.
    if (isRunning && member.seat !== undefined) {
      member.session.seatTick = this.sealer.sealedTick + 1
    }
    if (this.#states.isNeeded(member.session, 0, nowMs)) member.session.awaitState('newcomer')
    else if (isRunning && member.seat !== undefined) this.#ticks.sit(member.seat)
    return member.session
  }

  /** A client comes back with all ticks up to `haveTick`: it goes on from there, or needs a state. */
  handleReturn(session: Session, haveTick: number, nowMs: number): void {
    if (!this.#states.isNeeded(session, haveTick, nowMs)) return
    session.awaitState('returning', haveTick)
  }

  /** Continues where another relay stopped: members return with their tickets. For a new match only. */
  restore(history: MatchHistory, nowMs: number): void {
    const { room } = history
    assert(room !== undefined, 'A match was restored of which nothing is known')
    this.kicked.restore(history.kicked)
    this.pastSpeech.restore(history.silenced, nowMs)
    this.maker.restore(history, nowMs)
    this.room.restore(room, nowMs)
    if (this.phase !== 'lobby') this.#parts.config = { ...this.config, options: room.options }
    this.#ticks.restore(history, this.phase === 'running', nowMs)
    for (const session of this.sessions) this.#presence.note(session, nowMs)
  }

  /** A link carries the session now, for the first time or again. */
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

  /** A session moved from a link that works to another one: nobody else notices. */
  handleMoved(session: Session, nowMs: number): void {
    session.guard.noteAttached(nowMs)
    this.#states.handleMoved(session, nowMs)
  }

  /** The link of a session was lost; its player may come back. */
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

  /** Ends a session for good. Its seat, if any, is left at the next tick, the same for everyone. */
  remove(session: Session, reason: LeaveReason, nowMs: number, told?: string): void {
    this.turns.takeWaiting(nowMs)
    this.#parts.departures.remove(session, reason, nowMs, told)
  }

  /**
   * Handles a turn. The bytes are untrusted: a `WireError` passes through to the caller; a turn that
   * breaks the rules returns a fault.
   */
  handleTurn(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    this.turns.takeWaiting(nowMs)
    const fault = this.turns.handle(session, bytes, nowMs)
    if (session.rewindTick !== undefined) {
      // A client that sends turns knows how far it had to go back.
      session.rewindTick = undefined
      this.room.changes += 1
    }
    if (fault === undefined && session.guard.takeNews()) this.#presence.note(session, nowMs)
    return fault
  }

  /** Handles a turn that a newer one overtook. */
  handleLate(session: Session, bytes: Uint8Array, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.turns.handleLate(session, bytes, nowMs)
  }

  /**
   * Handles the other messages of a member. Returns the fault if the sender's link is to be closed.
   *
   * @throws WireError if the message is invalid.
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
      : this.#parts.roomIntake.handle(session, message, nowMs)
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
    // Every tick checks all members: while ticks come, no member needs its own wake-up.
    return ticks.isGoing ? soonest : Math.min(soonest, this.#presence.wakeAtMs())
  }

  /** The reason for {@link wakeAtMs}. */
  wakeReason(): RelayWakeReason | undefined {
    if (this.share.readyAtMs > this.wakeAtMs()) return 'share'
    return matchWakeReason(this.#parts)
  }

  /** Sessions and links that are over since the last call: the links are to be closed. */
  takeExpelled(): readonly Expulsion[] {
    return this.#parts.departures.take()
  }

  /** The relay was stalled for `lostMs`: that time counts against no member. */
  excuse(lostMs: number, nowMs: number): void {
    this.turns.takeWaiting(nowMs)
    this.room.excuse(lostMs)
    this.#states.excuse(lostMs)
    this.#desync.diagnosis.excuse(lostMs)
    for (const { guard } of this.sessions) guard.excuse(lostMs, nowMs)
  }

  /** Operator call: removes the player at a seat. Returns false if nobody sits there. */
  kick(seat: number, nowMs: number): boolean {
    this.turns.takeWaiting(nowMs)
    return this.#parts.departures.kick(seat, nowMs)
  }

  /** Operator call: resumes a paused match, or ends the match. Returns false if it cannot. */
  decide(decision: 'resume' | 'end', nowMs: number): boolean {
    this.turns.takeWaiting(nowMs)
    return this.room.decide(decision, nowMs)
  }
}
