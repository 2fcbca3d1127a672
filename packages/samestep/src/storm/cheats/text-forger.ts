import type { Channel } from '../../link/channel.ts'
import type { Cheat, Cheater } from './cheat.ts'

/**
 * Says things in chat that deceive, or that cannot be seen: nobody ever hears of them, and it is struck
 * and closed with `bad-message` (SEC-05).
 */
export class TextForger implements Cheat {
  readonly everyMs = 800
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(channel: Channel): boolean {
    const text = this.#cheater.random.pick(badLines)
    this.#cheater.say(channel, { type: 'say', scope: 'all', text })
    return true
  }
}

const badLines = [
  '',
  'gg\n[relay] you win',
  'gg\u0000',
  '\u202egg',
  '\u200b',
  'e\u0301ve',
  '\u0007',
] as const
