import { unreachable } from '../../base/assert.ts'
import type { Room } from '../../room/room.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { readAction } from '../../wire/messages/room-actions.ts'
import type { StrikeReason } from '../guard/strikes.ts'
import type { Fault } from './match-types.ts'
import type { RoomMessage } from './member-message.ts'
import { BotInputs } from './orders/bot-inputs.ts'
import { BotOrders } from './orders/bot-orders.ts'
import type { OrderRulebook } from './orders/order-table.ts'
import type { Session } from './session.ts'
import type { BundleLog } from './ticks/bundle-log.ts'
import type { Sealer } from './ticks/sealer.ts'

/** What handling messages about the room needs from the match. */
export interface RoomIntakeParts {
  readonly sealer: Sealer
  readonly log: BundleLog
  readonly room: Room
  readonly rules: OrderRulebook | undefined
  /** Notes a breach of the rules. Returns the end of the session if it is one too many. */
  strike(session: Session, reason: StrikeReason, nowMs: number): Fault | undefined
  /** The player acted, not only the machine. */
  noteAct(session: Session, nowMs: number): void
}

/** Handles what members send besides turns: wishes, actions of their bots, signs of life. */
export class RoomIntake {
  readonly #parts: RoomIntakeParts
  readonly #botOrders: BotOrders
  readonly #botInputs: BotInputs

  constructor(parts: RoomIntakeParts) {
    const { sealer, room, rules } = parts
    this.#parts = parts
    this.#botOrders = new BotOrders(sealer, room, rules)
    this.#botInputs = new BotInputs(sealer, room)
  }

  /**
   * Returns the fault if the sender's link is to be closed.
   *
   * @throws WireError if the message is invalid.
   */
  handle(session: Session, message: RoomMessage, nowMs: number): Fault | undefined {
    const { strike, log } = this.#parts
    switch (message.name) {
      case 'ClientAct':
        return this.#handleAct(session, message.body, nowMs)
      case 'ClientBotInput': {
        const breach = this.#botInputs.handle(session.member, message.body)
        return breach && strike(session, breach, nowMs)
      }
      case 'ClientBotOrders': {
        const fault = this.#botOrders.handle(session.member, message.body, nowMs)
        return fault === 'wrong-seat' ? strike(session, fault, nowMs) : fault
      }
      case 'ClientHere': {
        const behindTicks = session.reachableTick(log.sealedTick) - session.executedTick
        session.guard.noteActivity(message.body.activity, behindTicks, nowMs)
        return undefined
      }
      default:
        unreachable(message)
    }
  }

  #handleAct(session: Session, body: MessageBody<'ClientAct'>, nowMs: number): Fault | undefined {
    const { guard, member } = session
    guard.liveness.handlePacket(nowMs)
    const action = readAction(body)
    if (action.type !== 'report-load') this.#parts.noteAct(session, nowMs)
    const verdict = guard.admitAct(nowMs)
    if (verdict === 'flood')
      return { reason: 'rate', message: 'Your client asked for too much in too short a time' }
    const answer =
      verdict === 'rate'
        ? { refusal: 'rate', strike: undefined }
        : this.#parts.room.handle(member, action, nowMs)
    if (answer.refusal !== undefined) {
      const denied = { action: action.type, reason: answer.refusal }
      session.send(encodeMessage('RelayDenied', denied), nowMs)
    }
    return answer.strike && this.#parts.strike(session, answer.strike, nowMs)
  }
}
