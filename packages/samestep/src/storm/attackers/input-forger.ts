import type { Channel } from '../../link/channel.ts'
import { slotBits } from '../../wire/ticks/input-layout.ts'
import type { Attack, Attacker } from './attack.ts'

/** Sends inputs for the next ticks that fit their bits, and that the game's fields cannot hold (T-40). */
export class InputForger implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, turns, oracle, timeMs } = this.#attacker
    const turn = turns.make({
      lastTick: oracle.sealedTick + 1 + random.below(20),
      inputCount: 1 + random.below(2),
      valueFor: (slot) => {
        const most = 2 ** slotBits(slot) - 1
        return most === slot.max ? slot.initial : slot.max + 1 + random.below(most - slot.max)
      },
    })
    channel.sendTick(turn, timeMs)
  }
}
