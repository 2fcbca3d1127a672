import type { Channel } from '../../link/channel.ts'
import type { Cheat, Cheater } from './cheat.ts'

/** Asks for hundreds of things per second: closed with `rate` (T-36). */
export class ActFlooder implements Cheat {
  readonly everyMs = 200
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(channel: Channel): boolean {
    for (let left = 60; left > 0; left--) {
      this.#cheater.say(channel, { type: 'choose-team', team: 0 })
    }
    return true
  }
}
