import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'

/** Sends inputs for the past and the future. They are late or early, and are ignored. */
export class Traveller implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, turns, oracle, timeMs } = this.#attacker
    const offset = random.pick([-2_000, -70, -1, 1, 60, 70, 500, 30_000])
    const lastTick = oracle.sealedTick + offset
    channel.sendTick(turns.make({ lastTick, inputCount: 1 + random.below(3) }), timeMs)
  }
}
