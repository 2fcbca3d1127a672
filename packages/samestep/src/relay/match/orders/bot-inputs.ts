import type { Member } from '../../../room/members.ts'
import type { Room } from '../../../room/room.ts'
import type { MessageBody } from '../../../wire/messages/messages.ts'
import type { Sealer } from '../ticks/sealer.ts'

/** Takes in what bots hold, and only from whoever runs the bot. */
export class BotInputs {
  readonly #sealer: Sealer
  readonly #room: Room

  constructor(sealer: Sealer, room: Room) {
    this.#sealer = sealer
    this.#room = room
  }

  /** Gives what the sender is to be struck for. */
  handle(
    member: Member,
    { seat, turn, slots }: MessageBody<'ClientBotInput'>,
  ): 'wrong-seat' | 'wrong-input' | undefined {
    const claim = this.#room.bots.claimOf(member, seat)
    if (claim === 'wrong-seat') return 'wrong-seat'
    const bot = this.#room.bots.at(seat)
    // What was on its way when the bot moved is what another one held.
    if (claim === 'moved' || bot === undefined || bot.turn !== turn || !bot.isPlaying) {
      return undefined
    }
    return this.#sealer.holdInput(seat, slots) ? undefined : 'wrong-input'
  }
}
