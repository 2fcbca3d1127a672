import type { Member } from '../../../room/members.ts'
import type { Room } from '../../../room/room.ts'
import { heldOrdersMax } from '../../../wire/limits.ts'
import type { MessageBody } from '../../../wire/messages/messages.ts'
import { Admission } from '../../guard/admission.ts'
import type { Fault } from '../match-types.ts'
import type { Sealer } from '../ticks/sealer.ts'
import type { OrderRulebook } from './order-table.ts'

/** What the runner of one turn of a bot may send, and up to which tick it knows what became of it. */
type Budget = { readonly turn: number; readonly admission: Admission; answeredTick: number }

/** Takes orders of bots: each once, in sequence, and only from whoever runs the bot. */
export class BotOrders {
  readonly #sealer: Sealer
  readonly #room: Room
  readonly #rules: OrderRulebook | undefined
  /** By seat. */
  readonly #budgets = new Map<number, Budget>()

  constructor(sealer: Sealer, room: Room, rules: OrderRulebook | undefined) {
    this.#sealer = sealer
    this.#room = room
    this.#rules = rules
  }

  /** Gives what the sender is to be struck or closed for. */
  handle(
    member: Member,
    { seat, turn, firstNumber, orders }: MessageBody<'ClientBotOrders'>,
    nowMs: number,
  ): Fault | 'wrong-seat' | undefined {
    const claim = this.#room.bots.claimOf(member, seat)
    if (claim === 'wrong-seat') return 'wrong-seat'
    const bot = this.#room.bots.at(seat)
    // What was on its way when the bot moved is as lost as what it had only thought of.
    if (claim === 'moved' || bot === undefined || bot.turn !== turn) return undefined
    for (const [index, bytes] of orders.entries()) {
      const number = firstNumber + index
      if (number !== bot.nextOrder) continue
      bot.nextOrder += 1
      const admission = this.#admissionOf(seat, turn, nowMs)
      const isHolding = this.#room.pace.isPaused
      const isHoldFull = isHolding && this.#sealer.waitingOf(seat) >= heldOrdersMax
      const verdict = admission.admit(bytes, isHoldFull, nowMs)
      if (verdict === 'flood')
        return { reason: 'rate', message: 'Your client sent too many orders of a bot at once' }
      if (verdict !== 'taken' || !this.#sealer.hasRoomFor(seat)) continue
      this.#sealer.addOrder({ seat, number: number % 256, bytes, arrivedAtMs: nowMs })
    }
    return undefined
  }

  /** A bot has a budget of its own, as a player has: who runs five of them sends for five. */
  #admissionOf(seat: number, turn: number, nowMs: number): Admission {
    const { sealedTick } = this.#sealer
    let budget = this.#budgets.get(seat)
    if (budget?.turn !== turn) {
      budget = { turn, admission: new Admission(this.#rules, nowMs), answeredTick: 0 }
      this.#budgets.set(seat, budget)
    }
    if (budget.answeredTick !== sealedTick) budget.admission.noteAnswered()
    budget.answeredTick = sealedTick
    return budget.admission
  }
}
