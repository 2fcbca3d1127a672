import type { Channel } from '../../link/channel.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { voteWords } from '../../wire/messages/room-actions.ts'
import type { Cheat, Cheater } from './cheat.ts'

/**
 * Says yes as often as it can, and proposes whatever comes to mind: has one proposal and one ballot; the
 * rest is denied (T-55, T-56).
 */
export class VoteStuffer implements Cheat {
  readonly everyMs = 400
  readonly #cheater: Cheater
  #openVote = 0

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  handleVote({ state, id }: MessageBody<'RelayVote'>): void {
    this.#openVote = state === 'open' ? id : 0
  }

  commit(channel: Channel): boolean {
    const cheater = this.#cheater
    const { random, room, client, name } = cheater
    for (let left = 1 + random.below(3); left > 0; left--) {
      const id = this.#openVote
      if (id > 0) cheater.oracle.votes.noteBallot(name, id, true)
      cheater.say(channel, { type: 'cast', id, isYes: true })
    }
    const target = random.chance(0.2) ? (client.seat ?? 0) : random.below(room.seats)
    const vote = random.chance(0.7) ? 'kick' : random.pick(voteWords)
    cheater.say(channel, { type: 'propose', vote, target, percent: 120 })
    return true
  }
}
