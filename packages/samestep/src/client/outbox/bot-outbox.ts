import type { SealedOrder } from '../../sim/game/run/bundle.ts'
import { botOrdersMax, outboxOrdersMax } from '../../wire/limits.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'

/** The assignment of a bot to the client that runs it. */
export type BotPlace = MessageBody<'RelayBots'>['bots'][number]

type Bot = {
  /** Counts how often the bot was assigned to a runner; identifies our assignment. */
  turn: number
  /** The number of the first queued order, and all queued orders. */
  first: number
  waiting: Uint8Array[]
  /** How many of them were sent over this link. */
  sent: number
}

/**
 * The orders of the bots that run here. Each runner of a bot numbers its orders from 0. They are kept
 * until they are sealed, so that a lost link loses none of them.
 */
export class BotOutbox {
  readonly #bots = new Map<number, Bot>()
  #seats: readonly number[] = []

  /** Seats of the bots that run here. The same list for as long as they are the same. */
  get seats(): readonly number[] {
    return this.#seats
  }

  has(seat: number): boolean {
    return this.#bots.has(seat)
  }

  /** The relay assigns a bot to a client. Returns whether that is a change for this client. */
  assign(body: BotPlace, own: number): boolean {
    const { seat, runner, turn, nextOrder } = body
    const bot = this.#bots.get(seat)
    if (runner !== own) {
      const isGone = this.#bots.delete(seat)
      if (isGone) this.#seats = [...this.#bots.keys()]
      return isGone
    }
    if (bot === undefined || bot.turn !== turn) {
      this.#bots.set(seat, { turn, first: nextOrder, waiting: [], sent: 0 })
      this.#seats = [...this.#bots.keys()]
      return true
    }
    // A new link: orders that the relay has not accepted are sent again.
    const taken = Math.max(Math.min(nextOrder - bot.first, bot.waiting.length), 0)
    bot.waiting.splice(0, taken)
    bot.first += taken
    bot.sent = 0
    return false
  }

  /** The launch was cancelled: drops the orders meant for that match. None of them was sent. */
  forgetWaiting(): void {
    for (const bot of this.#bots.values()) bot.waiting = []
  }

  /** Queues an order. Returns false if too many are queued, or if the bot does not run here. */
  issue(seat: number, bytes: Uint8Array): boolean {
    const bot = this.#bots.get(seat)
    if (bot === undefined || bot.waiting.length >= outboxOrdersMax) return false
    bot.waiting.push(bytes)
    return true
  }

  /** The relay has sealed an order. If it is one of these, it is no longer kept. */
  noteSealed({ seat, id, bytes }: SealedOrder): void {
    const bot = this.#bots.get(seat)
    if (bot === undefined) return
    const at = bot.waiting.findIndex((own, index) => {
      return (bot.first + index) % 256 === id && areSameBytes(own, bytes)
    })
    // An order that was not sent cannot be sealed: this one came from the bot's previous runner.
    if (at < 0 || at >= bot.sent) return
    // Earlier ones were refused, or the relay holds them until a pause ends.
    bot.waiting.splice(0, at + 1)
    bot.first += at + 1
    bot.sent -= at + 1
  }

  /** The next message to send, or `undefined`. */
  take(): MessageBody<'ClientBotOrders'> | undefined {
    for (const [seat, bot] of this.#bots) {
      if (bot.sent >= bot.waiting.length) continue
      const orders = bot.waiting.slice(bot.sent, bot.sent + botOrdersMax)
      const firstNumber = bot.first + bot.sent
      bot.sent += orders.length
      return { seat, turn: bot.turn, firstNumber, orders }
    }
    return undefined
  }
}
