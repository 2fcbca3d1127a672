import type { Channel } from '../../link/channel.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { Cheat, Cheater } from './cheat.ts'

/** Sends orders for seats that are not his: struck, and closed with `bad-message` (T-30). */
export class Spoofer implements Cheat {
  readonly everyMs = 300
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(channel: Channel): boolean {
    const { random, room, client, timeMs } = this.#cheater
    const seat = random.below(room.seats)
    if (client.botSeats.includes(seat)) return false
    const orders = [Uint8Array.of(random.below(256), random.below(256))]
    const body = { seat, turn: random.below(3), firstNumber: 0, orders }
    channel.sendControl(encodeMessage('ClientBotOrders', body), timeMs)
    return true
  }
}
