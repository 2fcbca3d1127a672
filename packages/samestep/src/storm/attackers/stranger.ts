import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'
import { noiseMessage } from './noise.ts'

/** Says things out of turn: noise with the first byte of a control message. */
export class Stranger implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    channel.sendControl(noiseMessage(this.#attacker.random), this.#attacker.timeMs)
  }
}
