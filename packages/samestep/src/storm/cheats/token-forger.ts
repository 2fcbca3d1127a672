import { BitWriter } from '../../base/bit-writer.ts'
import type { Channel } from '../../link/channel.ts'
import { writeClientTurn } from '../../wire/ticks/client-turn.ts'
import { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import type { Cheat, Cheater } from './cheat.ts'

/** Makes up signs of life: struck, and closed with `bad-message` (T-41). */
export class TokenForger implements Cheat {
  readonly everyMs = 300
  readonly #cheater: Cheater
  readonly #writer = new BitWriter()

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  commit(channel: Channel): boolean {
    const { client, random, timeMs } = this.#cheater
    const token = random.u32()
    this.#writer.reset()
    writeClientTurn(this.#writer, new SlotDelta([]), {
      received: client.cursors.sealedTick,
      controlSeen: 255,
      report: { stamp: 0, rttMs: 10, activity: 'active', loadPercent: 1, token },
      hash: undefined,
      firstInputTick: 0,
      inputs: new Uint32Array(1),
      inputCount: 0,
      heldMs: 0,
      firstOrderNumber: 0,
      orders: [],
    })
    channel.sendTick(this.#writer.finish(), timeMs)
    return true
  }
}
