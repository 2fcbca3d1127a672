import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'

/** Sends its old packets again. */
export class Replayer implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, sent, turns, timeMs } = this.#attacker
    for (let index = 0; index < 5 && sent.length > 0; index++) {
      this.#attacker.sendRaw(random.pick(sent).slice())
    }
    channel.sendTick(turns.make({}), timeMs)
  }
}
