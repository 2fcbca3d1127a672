import type { Channel } from '../../link/channel.ts'
import type { Attack, Attacker } from './attack.ts'
import { noiseOf } from './noise.ts'

/** Sends damaged turns and noise: half of it as packets of its own making, half as turns. */
export class Garbage implements Attack {
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, timeMs } = this.#attacker
    const bytes = this.#make()
    if (random.chance(0.5)) {
      this.#attacker.sendRaw(bytes)
      return
    }
    bytes[0] = 0x40 | (bytes[0]! & 0x3f)
    channel.sendTick(bytes, timeMs)
  }

  /** A valid turn with some bits turned, cut or added, or nothing but noise. */
  #make(): Uint8Array {
    const { random, turns, oracle } = this.#attacker
    if (random.chance(0.2)) return noiseOf(random, 200)
    const orders = [noiseOf(random, 20)]
    const bytes = turns.make({ lastTick: oracle.sealedTick + 3, inputCount: 2, orders })
    const mutated = random.chance(0.3) ? bytes.slice(0, random.below(bytes.length)) : bytes
    for (let flips = random.below(4); flips > 0 && mutated.length > 0; flips--) {
      const at = random.below(mutated.length)
      mutated[at] = mutated[at]! ^ (1 << random.below(8))
    }
    return mutated.length === 0 ? noiseOf(random, 4) : mutated
  }
}
