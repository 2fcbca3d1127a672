import type { Channel } from '../../link/channel.ts'
import { encodeMessage, messageTypes } from '../../wire/messages/messages.ts'
import { chunkBytes } from '../../wire/messages/state-transfer.ts'
import type { Attack, AttackEnd, Attacker } from './attack.ts'
import { noiseOf } from './noise.ts'

/**
 * Sends what is large, or says that it is: packets of 64 KiB, messages in which every length is the
 * largest that can be written, chunks of a state that nobody asked for.
 */
export class BombSender implements Attack {
  readonly end: AttackEnd = { rule: 'T-23', reasons: ['bad-message', 'rate'] }
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(channel: Channel): void {
    const { random, timeMs } = this.#attacker
    switch (random.below(4)) {
      case 0: {
        const bytes = new Uint8Array(65_536).fill(0xff)
        bytes.set(noiseOf(random, 64))
        this.#attacker.sendRaw(bytes)
        return
      }
      case 1: {
        const bytes = new Uint8Array(1 + random.below(900)).fill(0xff)
        bytes[0] = random.pick(Object.values(messageTypes)).number
        channel.sendControl(bytes, timeMs)
        return
      }
      case 2: {
        const bytes = new Uint8Array(1 + random.below(900)).fill(0xff)
        bytes[0] = 0x40
        channel.sendTick(bytes, timeMs)
        return
      }
      default: {
        const content = new Uint8Array(chunkBytes)
        const chunk = { tick: random.below(9), index: 0, isDeflated: random.chance(0.5), content }
        channel.sendBulk(encodeMessage('ClientChunk', chunk), timeMs)
      }
    }
  }
}
