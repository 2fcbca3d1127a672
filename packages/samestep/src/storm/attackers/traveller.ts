import type { Channel } from '../../link/channel.ts'
import { inputAheadTicksMax } from '../../wire/limits.ts'
import type { Attack, Attacker } from './attack.ts'

/** Sends inputs for the past and the future. They are late or early, and are ignored. */
export class Traveller implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, turns, oracle, timeMs } = this.#attacker
    const offset = random.pick(offsets)
    const lastTick = oracle.sealedTick + offset
    channel.sendTick(turns.make({ lastTick, inputCount: 1 + random.below(3) }), timeMs)
  }
}

/** Long ago and far ahead, and around the last tick that an input may be for. */
const offsets = [
  -2_000,
  -1,
  1,
  inputAheadTicksMax - 1,
  inputAheadTicksMax,
  inputAheadTicksMax + 1,
  500,
  30_000,
] as const
