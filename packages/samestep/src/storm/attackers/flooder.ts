import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'
import { noiseOf } from './noise.ts'

/** Orders more than a person could. */
export class Flooder implements Attack {
  readonly #attacker: Attacker
  readonly isSilentBefore = true

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, turns, timeMs } = this.#attacker
    for (let index = 0; index < 30; index++) {
      // Short ones may be orders of the game, and of others: of the relay, or of those who watch.
      const bytesMax = random.chance(0.5) ? 8 : 300
      const orders = Array.from({ length: 1 + random.below(3) }, () => noiseOf(random, bytesMax))
      channel.sendTick(turns.makeWithOrders(orders), timeMs)
    }
  }
}
