import { WireError } from '../../base/errors.ts'
import type { Members } from '../../room/members.ts'
import type { Room } from '../../room/room.ts'
import { spectatorSeat } from '../../sim/game/run/bundle.ts'
import { orderBytesMax } from '../../sim/limits.ts'
import type { OrderRefusal } from '../../wire/codes.ts'
import { heldOrdersMax, outboxOrdersMax } from '../../wire/limits.ts'
import type { ClientTurn, TurnReport } from '../../wire/ticks/client-turn.ts'
import { readClientTurn, readTurnHead, turnSlotsMax } from '../../wire/ticks/client-turn.ts'
import type { StrikeReason } from '../guard/strikes.ts'
import type { WaitingTurns } from '../links/waiting-turns.ts'
import type { MatchWatch } from '../pace/match-watch.ts'
import type { MatchNotes } from '../record/match-notes.ts'
import type { DesyncWatch } from './hashes/desync-watch.ts'
import { HashIntake } from './hashes/hash-intake.ts'
import type { Fault, MatchEvent } from './match-types.ts'
import type { OrderRulebook } from './orders/order-table.ts'
import type { Carrier, Session } from './session.ts'
import type { BundleLog } from './ticks/bundle-log.ts'
import type { Sealer } from './ticks/sealer.ts'

// Shared by all matches, so that they stay in the cache: calls do not overlap.
let turnSlots = new Uint32Array(0)
const turnContext = { nearReceived: 0, nearInputTick: 0, nearOrderNumber: 0 }

/** What handling turns needs from the match. */
export interface TurnParts {
  readonly members: Members<Session>
  readonly sealer: Sealer
  readonly log: BundleLog
  readonly room: Room
  readonly watch: MatchWatch
  readonly desync: DesyncWatch
  readonly rules: OrderRulebook | undefined
  /** Queues turns until the next tick. Without it, each is handled on arrival. */
  readonly waiting: WaitingTurns<Carrier> | undefined
  /** Notes what happens for the record. */
  readonly notes: MatchNotes | undefined
  emit(event: MatchEvent): void
  /** Ends the session of a client whose turn broke the rules. */
  expel(session: Session, fault: Fault, nowMs: number): void
  /** The player acted, not only the machine. */
  noteAct(session: Session, nowMs: number): void
  /** Passes on what a turn changed about its sender's presence. */
  note(session: Session, nowMs: number): void
}

/** Handles the turns of clients: inputs, orders, hashes, signs of life. */
export class MatchTurns {
  readonly #sealer: Sealer
  readonly #log: BundleLog
  readonly #room: Room
  readonly #watch: MatchWatch
  readonly #parts: TurnParts
  /** Handles state hashes. */
  readonly hashes: HashIntake

  constructor(parts: TurnParts) {
    const { sealer } = parts
    this.#parts = parts
    this.#sealer = sealer
    this.#log = parts.log
    this.#room = parts.room
    this.#watch = parts.watch
    const strike = (session: Session, reason: StrikeReason, nowMs: number) =>
      this.strike(session, reason, nowMs)
    this.hashes = new HashIntake(parts.log, parts.desync, strike)
    const slotsMax = turnSlotsMax(sealer.codec.delta)
    if (turnSlots.length < slotsMax) turnSlots = new Uint32Array(slotsMax)
  }

  /** Handles all queued turns, in the sequence in which they arrived. */
  takeWaiting(nowMs: number): void {
    const { waiting, members } = this.#parts
    if (waiting === undefined) return
    const { sessions } = members
    // By index: an iterator would create garbage in every tick of every match.
    for (let index = 0; index < sessions.length; index++) {
      const carrier = (sessions[index] as Session).carrier
      if (carrier !== undefined && carrier.newestTurn >= 0) waiting.collect(carrier)
    }
    for (let carrier = waiting.take(); carrier; carrier = waiting.take()) {
      const { session } = carrier
      // Turns of members who have since left are ignored.
      if (session === undefined || !session.member.isIn) continue
      const fault = this.#handleWaiting(session, waiting.bytes, waiting.atMs)
      if (fault !== undefined) this.#parts.expel(session, fault, nowMs)
      else if (session.guard.takeNews()) this.#parts.note(session, nowMs)
    }
  }

  /**
   * Handles a turn.
   *
   * @throws WireError if the bytes are not a turn.
   */
  handle(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    // Over datagrams, a turn may overtake the message that the state is there. It is repeated.
    if (session.isWaitingForState) return undefined
    turnContext.nearReceived = session.ackedTick
    turnContext.nearInputTick = this.#sealer.sealedTick
    turnContext.nearOrderNumber = session.nextOrder
    const turn = readClientTurn(bytes, this.#sealer.codec.delta, turnContext, turnSlots)
    if (turn.received > session.sentableTick) {
      return { reason: 'bad-message', message: 'Your client confirmed a tick that was never sent' }
    }
    const newTicks = Math.max(turn.received - session.ackedTick, 0)
    session.acknowledge(turn.received, turn.controlSeen)
    session.guard.noteHeard(nowMs)
    const breach = turn.hash && this.hashes.handleHash(session, turn.hash, nowMs)
    const fault = this.#takeReport(session, turn.report, nowMs) ?? breach
    const inputFault = this.#takeInputs(session, turn, newTicks, nowMs)
    return fault ?? inputFault ?? this.#takeOrders(session, turn, nowMs)
  }

  /**
   * Handles a queued turn. There is no caller left to catch bad bytes or a bug of ours: both become a
   * fault of the session, and a bug is also reported.
   */
  #handleWaiting(session: Session, bytes: Uint8Array, atMs: number): Fault | undefined {
    try {
      return this.handle(session, bytes, atMs)
    } catch (error) {
      const isWire = error instanceof WireError
      if (!isWire) this.#parts.emit({ type: 'bug', error, link: session.link })
      const message = isWire ? error.message : 'Internal relay error'
      return { reason: 'bad-message', message }
    }
  }

  /**
   * Handles a turn that a newer one overtook. The newer one repeated everything that matters but the
   * token, which is sent only now and then: where most turns are overtaken, it might never come in
   * sequence. An outdated token is no breach here, and proves nothing.
   *
   * @throws WireError if the bytes are not a turn.
   */
  handleLate(session: Session, bytes: Uint8Array, nowMs: number): void {
    if (session.isWaitingForState) return
    const { liveness } = session.guard
    const token = readTurnHead(bytes, session.ackedTick).report?.token
    if (token === undefined || token !== liveness.token) return
    const reachable = session.reachableTick(this.#log.sealedTick)
    liveness.handleProof(token, session.executedTick, reachable, nowMs)
  }

  /** Notes a breach of the rules. Returns the end of the session if it is one too many. */
  strike(session: Session, reason: StrikeReason, nowMs: number): Fault | undefined {
    const isTooMany = session.guard.strikes.add(reason, nowMs)
    if (this.#parts.notes !== undefined) this.#parts.notes.isStruck = true
    if (!isTooMany) return undefined
    return { reason: 'bad-message', message: `Your client broke the rules too often: ${reason}` }
  }

  #takeReport(session: Session, report: TurnReport | undefined, nowMs: number): Fault | undefined {
    const { guard } = session
    const reachable = session.reachableTick(this.#log.sealedTick)
    const { executedTick } = session
    if (report !== undefined) {
      session.control.noteStamp(report.stamp, nowMs)
      session.rttMs = report.rttMs === rttUnknown ? undefined : report.rttMs
      guard.loadPercent = report.loadPercent
      if (session.seat !== undefined) {
        this.#watch.noteLoad(session.seat, report.loadPercent, nowMs)
        if (session.visitor.isHost) this.#watch.noteHostLoad(report.loadPercent, nowMs)
      }
      if (report.activity !== guard.activity) {
        guard.noteActivity(report.activity, reachable - executedTick, nowMs)
      }
    }
    const breach = guard.liveness.handleProof(report?.token, executedTick, reachable, nowMs)
    // While two links carry a session, their turns arrive in any sequence.
    if (breach === 'old-token' && nowMs < session.twoLinksUntilMs) return undefined
    return breach && this.strike(session, breach, nowMs)
  }

  /** `newTicks` is how many ticks this turn confirms for the first time: each called for an input. */
  #takeInputs(
    session: Session,
    turn: ClientTurn,
    newTicks: number,
    nowMs: number,
  ): Fault | undefined {
    const { seat } = session
    if (seat === undefined || turn.inputCount === 0) return undefined
    const { slotCount } = this.#sealer.codec.delta
    const last = turn.firstInputTick + turn.inputCount - 1
    const delay = Math.max(last - turn.received, 0)
    let isWrong = false
    // A turn that repeats orders repeats inputs too, long after they arrived or were counted as late.
    const known = session.newestInputTick
    const measuredFrom = last - this.#watch.measuredTicks(newTicks)
    for (let index = 0; index < turn.inputCount; index++) {
      const tick = turn.firstInputTick + index
      const verdict = this.#sealer.addInput(seat, tick, turn.inputs, index * slotCount)
      if (verdict === 'wrong') isWrong = true
      if (tick <= measuredFrom || verdict === 'wrong') continue
      if (verdict === 'kept') this.#watch.noteKept(seat, tick, delay, turn.heldMs, nowMs)
      if (tick <= known || verdict === 'too-early') continue
      session.newestInputTick = tick
      this.#noteInput(session, turn.inputs, index * slotCount, slotCount, nowMs)
      session.guard.heldMs = turn.heldMs
      if (verdict === 'late') this.#noteLate(session, seat, turn, tick, delay, nowMs)
    }
    return isWrong ? this.strike(session, 'wrong-input', nowMs) : undefined
  }

  /** An input that differs from the one before was made by a person; a repeated one, by a machine. */
  #noteInput(
    session: Session,
    slots: Uint32Array,
    at: number,
    slotCount: number,
    nowMs: number,
  ): void {
    let sum = 0
    for (let slot = 0; slot < slotCount; slot++) {
      sum = (Math.imul(sum, 31) + (slots[at + slot] as number)) | 0
    }
    if (sum !== session.inputSum) this.#parts.noteAct(session, nowMs)
    session.inputSum = sum
  }

  #noteLate(
    session: Session,
    seat: number,
    turn: ClientTurn,
    tick: number,
    delay: number,
    nowMs: number,
  ): void {
    session.control.countLateInput()
    session.guard.liveness.handleLateTick(nowMs)
    const { sealedTick } = this.#sealer
    this.#watch.noteLate(session, seat, tick, sealedTick, delay, turn.heldMs, nowMs)
  }

  #takeOrders(session: Session, turn: ClientTurn, nowMs: number): Fault | undefined {
    const { orders, firstOrderNumber } = turn
    if (orders.length === 0) return undefined
    if (firstOrderNumber > session.nextOrder) {
      // Sent before a launch was cancelled and the count began again.
      if (this.#log.sealedTick === 0 && !this.#room.isAsIs) return undefined
      return { reason: 'bad-message', message: 'Your client skipped orders before those it sent' }
    }
    session.copiedOrders += Math.min(session.nextOrder - firstOrderNumber, orders.length)
    if (firstOrderNumber + orders.length <= session.nextOrder) {
      session.control.repeat()
      return undefined
    }
    for (let index = session.nextOrder - firstOrderNumber; index < orders.length; index++) {
      const fault = this.#takeOrder(session, orders[index] as Uint8Array, nowMs)
      if (fault !== undefined) return fault
    }
    session.control.answerOrders()
    // An honest client never has more orders in flight than that.
    if (session.control.openRefusals <= outboxOrdersMax) return undefined
    return { reason: 'rate', message: 'Your client sends orders faster than it reads refusals' }
  }

  #takeOrder(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    const number = session.nextOrder
    session.nextOrder += 1
    const refusal = this.#refusalOf(session, bytes, nowMs)
    if (refusal === 'flood')
      return { reason: 'rate', message: 'Your client sent too many orders at once' }
    if (refusal === undefined) {
      this.#parts.noteAct(session, nowMs)
      const seat = issuerOf(session)
      this.#sealer.addOrder({ seat, number: number % 256, bytes, arrivedAtMs: nowMs })
      this.#parts.notes?.fresh.push({ seat, number, bytes })
      return undefined
    }
    session.control.refuse(number, refusal)
    this.#parts.notes?.refused.push({ member: session.member.id, number, reason: refusal })
    const isWrong = refusal === 'wrong-order' || refusal === 'too-large'
    return isWrong ? this.strike(session, 'wrong-order', nowMs) : undefined
  }

  #refusalOf(
    session: Session,
    bytes: Uint8Array,
    nowMs: number,
  ): OrderRefusal | 'flood' | undefined {
    const isSpectator = session.seat === undefined
    // Only the game's rules say which kinds spectators may issue.
    if (isSpectator && this.#parts.rules === undefined) return 'no-seat'
    // Orders that arrive while players load wait for the first tick.
    if (!this.#room.isLaunched) return 'not-running'
    if (bytes.byteLength > orderBytesMax) return 'too-large'
    session.guard.noteAnswered(this.#sealer.sealedTick)
    const isHolding = this.#room.pace.isPaused
    const seat = issuerOf(session)
    const isHoldFull = isHolding && this.#sealer.waitingOf(seat) >= heldOrdersMax
    const issuer = isSpectator ? 'spectator' : 'player'
    const verdict = session.guard.admission.admit(bytes, isHoldFull, nowMs, issuer)
    if (verdict !== 'taken') return verdict
    return this.#sealer.hasRoomFor(seat) ? undefined : 'queue-full'
  }
}

/** The `seat` of orders from this sender. */
function issuerOf({ seat, member }: Session): number {
  return seat ?? spectatorSeat(member.id)
}

/** Sent by a client that does not know its round-trip time. */
const rttUnknown = 65_535
