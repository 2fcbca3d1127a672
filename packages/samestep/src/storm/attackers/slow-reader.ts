import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'

/**
 * Stops reading its stream, and goes on to speak. What waits for it at the relay stays bounded (I-13),
 * and no tick of anybody else waits for it (T-26). On datagrams it only confirms nothing.
 */
export class SlowReader implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { turns, timeMs } = this.#attacker
    this.#attacker.stopReading()
    channel.sendTick(turns.make({}), timeMs)
  }
}
