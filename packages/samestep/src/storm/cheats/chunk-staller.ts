import type { Channel } from '../../link/channel.ts'
import type { Cheat, Cheater } from './cheat.ts'
import { DonorChannel } from './donor-channel.ts'

/** Agrees about the state, promises it, and never sends it. Another donor takes its place (T-61). */
export class ChunkStaller implements Cheat {
  readonly everyMs = 60_000
  readonly #cheater: Cheater

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  /** It does nothing unasked. */
  commit(): boolean {
    return false
  }

  wrap(channel: Channel): Channel {
    const { world, random } = this.#cheater
    return new DonorChannel(channel, {
      manifest: (bytes) => {
        world.sometimes('a donor stalled')
        return random.chance(0.8) ? bytes : undefined
      },
      chunk: () => undefined,
    })
  }
}
