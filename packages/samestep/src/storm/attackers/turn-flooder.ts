import type { Channel } from '../../link/channel.ts'
import type { Attack, AttackEnd, Attacker } from './attack.ts'

/** Sends valid turns, far more than there are ticks: closed with `rate` (T-36, SEC-08). */
export class TurnFlooder implements Attack {
  readonly end: AttackEnd = { rule: 'T-36', reasons: ['rate'] }
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  /** About a thousand per second at 30 ticks, and four times what is allowed at any rate. */
  act(channel: Channel): void {
    const { turns, oracle, config, timeMs } = this.#attacker
    const lastTick = oracle.sealedTick + config.inputDelay
    for (let left = 20 + 2 * config.tickRate; left > 0; left--) {
      channel.sendTick(turns.make({ lastTick, inputCount: 1 }), timeMs)
      this.#attacker.flush()
    }
  }
}
