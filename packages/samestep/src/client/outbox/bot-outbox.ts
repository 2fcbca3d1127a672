import type { SealedOrder } from '../../sim/game/run/bundle.ts'
import { botOrdersMax, outboxOrdersMax } from '../../wire/limits.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'

/** Where the relay says that a bot thinks. */
export type BotPlace = MessageBody<'RelayBots'>['bots'][number]

type Bot = {
  /** Counts the runners of the seat: ours is a turn of it. */
  turn: number
  /** The number of the first order that waits, and what waits. */
  first: number
  waiting: Uint8Array[]
  /** Of those, how many were sent over this link. */
  sent: number
}

/**
 * The orders of bots that think here. A bot's orders are numbered from 0 by each of its runners, and
 * kept until they are in a sealed tick, so that a lost link loses none of them.
 */
export class BotOutbox {
  readonly #bots = new Map<number, Bot>()

  /** Seats of the bots that think here. */
  get seats(): readonly number[] {
    return [...this.#bots.keys()]
  }

  has(seat: number): boolean {
    return this.#bots.has(seat)
  }

  /** The relay says where a bot thinks. Gives whether that changed for us. */
  assign(body: BotPlace, own: number): boolean {
    const { seat, runner, turn, nextOrder } = body
    const bot = this.#bots.get(seat)
    if (runner !== own) return this.#bots.delete(seat)
    if (bot === undefined || bot.turn !== turn) {
      this.#bots.set(seat, { turn, first: nextOrder, waiting: [], sent: 0 })
      return true
    }
    // A new link: everything that the relay has not taken goes out again.
    const taken = Math.max(Math.min(nextOrder - bot.first, bot.waiting.length), 0)
    bot.waiting.splice(0, taken)
    bot.first += taken
    bot.sent = 0
    return false
  }

  /** The launch was called off: what was meant for that match is for no other. None of it was sent. */
  forgetWaiting(): void {
    for (const bot of this.#bots.values()) bot.waiting = []
  }

  /** Takes an order in. False when too many wait. */
  issue(seat: number, bytes: Uint8Array): boolean {
    const bot = this.#bots.get(seat)
    if (bot === undefined || bot.waiting.length >= outboxOrdersMax) return false
    bot.waiting.push(bytes)
    return true
  }

  /** The relay has sealed one of them. */
  noteSealed({ seat, id, bytes }: SealedOrder): void {
    const bot = this.#bots.get(seat)
    if (bot === undefined) return
    const at = bot.waiting.findIndex((own, index) => {
      return (bot.first + index) % 256 === id && areSameBytes(own, bytes)
    })
    // What was not sent is not sealed: that one is of who ran the bot before us.
    if (at < 0 || at >= bot.sent) return
    // What came before it was refused, or waits in the relay for the end of a pause.
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
