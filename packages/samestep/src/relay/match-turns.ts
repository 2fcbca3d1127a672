import { WireError } from '../base/errors.ts'
import { orderBytesMax } from '../sim/limits.ts'
import type { ClientTurn, TurnReport } from '../wire/client-turn.ts'
import { readClientTurn, readTurnHead, turnSlotsMax } from '../wire/client-turn.ts'
import type { ClientActivity, OrderRefusal } from '../wire/codes.ts'
import { outboxOrdersMax } from '../wire/limits.ts'
import type { MessageBody } from '../wire/messages.ts'
import { encodeMessage } from '../wire/messages.ts'
import { readAction } from '../wire/room-actions.ts'
import { Admission } from './admission.ts'
import type { BundleLog } from './bundle-log.ts'
import { HashBoard } from './hash-board.ts'
import type { Fault, MatchEvent } from './match-types.ts'
import type { MatchWatch } from './match-watch.ts'
import type { OrderRulebook, OrderState } from './order-table.ts'
import { allClasses } from './order-table.ts'
import type { Room } from './room.ts'
import type { Sealer } from './sealer.ts'
import type { Session } from './session.ts'
import type { StrikeReason } from './strikes.ts'

// Shared by all matches, so that they stay in the cache: calls do not overlap.
let turnSlots = new Uint32Array(0)
const turnContext = { nearReceived: 0, nearInputTick: 0, nearOrderNumber: 0 }

/** A bot's seat: which runner's turn it is, the order that comes next, and what it may send. */
type Bot = {
  readonly turn: number
  nextOrder: number
  admission: Admission | undefined
  answeredTick: number
}

/** Takes in what clients did: inputs, orders, hashes, signs of life. */
export class MatchTurns {
  readonly #sealer: Sealer
  readonly #log: BundleLog
  readonly #room: Room
  readonly #watch: MatchWatch
  readonly #emit: (event: MatchEvent) => void
  readonly #rules: OrderRulebook | undefined
  readonly hashes = new HashBoard()
  readonly #bots = new Map<number, Bot>()
  readonly #orderState: { -readonly [K in keyof OrderState]: OrderState[K] } = {
    isPaused: false,
    allowedClasses: allClasses,
    pausedClasses: allClasses,
  }

  constructor(
    sealer: Sealer,
    log: BundleLog,
    room: Room,
    watch: MatchWatch,
    emit: (event: MatchEvent) => void,
    rules?: OrderRulebook,
  ) {
    this.#rules = rules
    this.#sealer = sealer
    this.#log = log
    this.#room = room
    this.#watch = watch
    this.#emit = emit
    const slotsMax = turnSlotsMax(sealer.codec.delta)
    if (turnSlots.length < slotsMax) turnSlots = new Uint32Array(slotsMax)
  }

  /**
   * Takes in a turn.
   *
   * @throws WireError when the bytes are none.
   */
  handle(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    turnContext.nearReceived = session.ackedTick
    turnContext.nearInputTick = this.#sealer.sealedTick
    turnContext.nearOrderNumber = session.nextOrder
    const turn = readClientTurn(bytes, this.#sealer.codec.delta, turnContext, turnSlots)
    if (turn.received > session.sentTick) {
      return { reason: 'bad-message', message: 'You confirm a tick that was not sent' }
    }
    session.acknowledge(turn.received, turn.controlSeen)
    session.guard.noteHeard(nowMs)
    if (turn.hash !== undefined) this.#takeHash(session, turn.hash)
    const fault = this.#takeReport(session, turn.report, nowMs)
    this.#takeInputs(session, turn, nowMs)
    return fault ?? this.#takeOrders(session, turn, nowMs)
  }

  /**
   * Takes in a turn that has waited. Nobody is at the other end of it any more who could hear of bad
   * bytes, or of a bug of ours: both are a fault of the session, and a bug is told.
   */
  handleWaiting(session: Session, bytes: Uint8Array, atMs: number): Fault | undefined {
    try {
      return this.handle(session, bytes, atMs)
    } catch (error) {
      const isWire = error instanceof WireError
      if (!isWire) this.#emit({ type: 'bug', error, link: session.link })
      const message = isWire ? error.message : 'The relay could not go on with you'
      return { reason: 'bad-message', message }
    }
  }

  /**
   * Takes in a turn that a newer one overtook. That one repeated all that matters of it but the token,
   * which is sent now and then: where most turns are overtaken, it may never come in sequence. One that
   * is not the newest any more is no breach here, and proves nothing.
   *
   * @throws WireError when the bytes are none.
   */
  handleLate(session: Session, bytes: Uint8Array, nowMs: number): void {
    const { liveness } = session.guard
    const token = readTurnHead(bytes, session.ackedTick).report?.token
    if (token === undefined || token !== liveness.token) return
    liveness.handleProof(token, session.executedTick, this.#log.sealedTick, nowMs)
  }

  /** What a client says that it is busy with. */
  noteActivity(session: Session, activity: ClientActivity, nowMs: number): void {
    const { guard } = session
    const wasHidden = guard.activity === 'hidden'
    guard.activity = activity
    if (activity === 'hidden' || wasHidden) {
      const behind = this.#log.sealedTick - session.executedTick
      guard.liveness.declareHidden(activity === 'hidden', behind, nowMs)
    } else {
      guard.liveness.handlePacket(nowMs)
    }
  }

  /** Notes a breach of the rules. Gives the end of the session when it is one too many. */
  strike(session: Session, reason: StrikeReason, nowMs: number): Fault | undefined {
    if (!session.guard.strikes.add(reason, nowMs)) return undefined
    return { reason: 'bad-message', message: `Too many breaches of the rules; the last: ${reason}` }
  }

  /**
   * Hears a wish about the match.
   *
   * @throws WireError when it is none.
   */
  handleAct(session: Session, body: MessageBody<'ClientAct'>, nowMs: number): Fault | undefined {
    const { guard, member } = session
    guard.liveness.handlePacket(nowMs)
    const action = readAction(body)
    const verdict = guard.admitAct(nowMs)
    if (verdict === 'flood') return { reason: 'rate', message: 'Too many wishes' }
    const answer =
      verdict === 'rate'
        ? { refusal: 'rate', strike: undefined }
        : this.#room.handle(member, action, nowMs)
    if (answer.refusal !== undefined) {
      const denied = { action: action.type, reason: answer.refusal }
      session.channel?.sendControl(encodeMessage('RelayDenied', denied), nowMs)
    }
    return answer.strike && this.strike(session, answer.strike, nowMs)
  }

  /** A bot has a new runner, who counts its orders from 0. Gives the number that comes next. */
  startBot(seat: number, turn: number, isRunning: boolean): number {
    if (!this.#room.bots.isBot(seat)) {
      if (this.#bots.delete(seat) && isRunning) {
        this.#sealer.addEvent({ type: 'leave', seat, reason: 'left' })
      }
      return 0
    }
    const known = this.#bots.get(seat)
    if (known === undefined && isRunning) this.#sealer.addEvent({ type: 'join', seat })
    if (known === undefined || known.turn !== turn) {
      this.#bots.set(seat, { turn, nextOrder: 0, admission: undefined, answeredTick: 0 })
    }
    return this.#bots.get(seat)?.nextOrder ?? 0
  }

  /** Whether a bot sits there. */
  hasBot(seat: number): boolean {
    return this.#bots.has(seat)
  }

  /** Takes orders of a bot: each once, in sequence, and only from whoever runs it. */
  handleBotOrders(
    session: Session,
    body: MessageBody<'ClientBotOrders'>,
    nowMs: number,
  ): Fault | undefined {
    const claim = this.#room.bots.claimOf(session.member, body.seat)
    if (claim === 'wrong-seat') return this.strike(session, 'wrong-seat', nowMs)
    const bot = this.#bots.get(body.seat)
    // What was on its way when the bot moved is as lost as what it had only thought of.
    if (claim === 'moved' || bot === undefined || bot.turn !== body.turn) return undefined
    for (const [index, bytes] of body.orders.entries()) {
      const number = body.firstNumber + index
      if (number !== bot.nextOrder) continue
      bot.nextOrder += 1
      const verdict = this.#budgetOf(bot, nowMs).admit(bytes, this.#state(), nowMs)
      if (verdict === 'flood') return { reason: 'rate', message: 'Too many orders of a bot' }
      if (verdict !== 'taken' || !this.#sealer.hasRoomFor(body.seat)) continue
      const order = { seat: body.seat, number: number % 256, bytes, arrivedAtMs: nowMs }
      this.#sealer.addOrder(order)
    }
    return undefined
  }

  /** A bot has a budget of its own, as a player has: who runs five of them sends for five. */
  #budgetOf(bot: Bot, nowMs: number): Admission {
    bot.admission ??= new Admission(this.#rules, nowMs)
    if (bot.answeredTick !== this.#sealer.sealedTick) bot.admission.noteAnswered()
    bot.answeredTick = this.#sealer.sealedTick
    return bot.admission
  }

  #takeReport(session: Session, report: TurnReport | undefined, nowMs: number): Fault | undefined {
    const { guard } = session
    if (report !== undefined) {
      session.control.noteStamp(report.stamp, nowMs)
      session.rttMs = report.rttMs === rttUnknown ? undefined : report.rttMs
      guard.loadPercent = report.loadPercent
      if (session.seat !== undefined) {
        this.#watch.noteLoad(session.seat, report.loadPercent, nowMs)
      }
      if (report.activity !== guard.activity) this.noteActivity(session, report.activity, nowMs)
    }
    const { sealedTick } = this.#log
    const breach = guard.liveness.handleProof(
      report?.token,
      session.executedTick,
      sealedTick,
      nowMs,
    )
    return breach && this.strike(session, breach, nowMs)
  }

  #takeHash(session: Session, hash: NonNullable<ClientTurn['hash']>): void {
    const { tick, lo, hi } = hash
    if (tick <= session.executedTick) return
    session.executedTick = tick
    // Who only watches is compared, but never the one that others are compared with.
    const isSame =
      session.seat === undefined
        ? this.hashes.matches(tick, lo, hi)
        : this.hashes.report(tick, lo, hi)
    if (!isSame) this.#emit({ type: 'hash-mismatch', tick, seat: session.seat })
  }

  #takeInputs(session: Session, turn: ClientTurn, nowMs: number): void {
    const { seat } = session
    if (seat === undefined || turn.inputCount === 0) return
    const { slotCount } = this.#sealer.codec.delta
    const last = turn.firstInputTick + turn.inputCount - 1
    const delay = Math.max(last - turn.received, 0)
    for (let index = 0; index < turn.inputCount; index++) {
      const tick = turn.firstInputTick + index
      const verdict = this.#sealer.addInput(seat, tick, turn.inputs, index * slotCount)
      if (tick !== last) continue
      if (verdict === 'kept') this.#watch.noteKept(seat, tick, delay, turn.heldMs, nowMs)
      // A turn that repeats orders repeats inputs too, long after they came in time or were told late.
      if (last <= session.newestInputTick || verdict === 'too-early') continue
      session.newestInputTick = last
      session.guard.heldMs = turn.heldMs
      if (verdict === 'late') this.#noteLate(session, seat, turn, last, delay, nowMs)
    }
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
      // On its way when a launch was called off and the count began anew.
      if (this.#log.sealedTick === 0 && !this.#room.isAsIs) return undefined
      return { reason: 'bad-message', message: 'Orders are missing before the ones that you sent' }
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
    // An honest client has fewer orders on their way than that, all told.
    if (session.control.openRefusals <= outboxOrdersMax) return undefined
    return { reason: 'rate', message: 'You send orders faster than refusals reach you' }
  }

  #takeOrder(session: Session, bytes: Uint8Array, nowMs: number): Fault | undefined {
    const number = session.nextOrder
    session.nextOrder += 1
    const refusal = this.#refusalOf(session, bytes, nowMs)
    if (refusal === 'flood') return { reason: 'rate', message: 'Too many orders at once' }
    if (refusal === undefined) {
      const seat = session.seat as number
      this.#sealer.addOrder({ seat, number: number % 256, bytes, arrivedAtMs: nowMs })
      return undefined
    }
    session.control.refuse(number, refusal)
    return refusal === 'wrong-order' ? this.strike(session, refusal, nowMs) : undefined
  }

  #refusalOf(
    session: Session,
    bytes: Uint8Array,
    nowMs: number,
  ): OrderRefusal | 'flood' | undefined {
    if (session.seat === undefined) return 'no-seat'
    // Orders that come while players load wait for the first tick.
    if (!this.#room.isLaunched) return 'not-running'
    if (bytes.byteLength > orderBytesMax) return 'too-large'
    session.guard.noteAnswered(this.#sealer.sealedTick)
    const verdict = session.guard.admission.admit(bytes, this.#state(), nowMs)
    if (verdict !== 'taken') return verdict
    return this.#sealer.hasRoomFor(session.seat) ? undefined : 'queue-full'
  }

  #state(): OrderState {
    this.#orderState.isPaused = this.#room.pace.isPaused
    return this.#orderState
  }
}

/** What a client says that does not know its round trip. */
const rttUnknown = 65_535
