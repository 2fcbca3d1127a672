import type { Channel } from '../../link/channel.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import type { Cheat, Cheater } from './cheat.ts'

/**
 * Pauses, resumes and wants another speed all the time: gets three pauses, each of which ends by itself;
 * the rest is denied (T-39).
 */
export class PauseAbuser implements Cheat {
  readonly everyMs = 400
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(channel: Channel): boolean {
    this.#cheater.say(channel, this.#draw())
    return true
  }

  #draw(): RoomAction {
    const { random } = this.#cheater
    if (random.chance(0.2)) return { type: 'set-speed', percent: 50 + random.below(100) }
    return { type: random.chance(0.7) ? 'pause' : 'resume' }
  }
}
