import type { Channel } from '../../link/channel.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { agreedHashBytes, stateHashTicks } from '../../wire/messages/state-transfer.ts'
import { readRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { Attack, Attacker } from './attack.ts'

/** Makes up the hashes of its state, and now and then two for one tick. */
export class HashLiar implements Attack {
  readonly #attacker: Attacker
  /** The newest tick that came: a hash is believed only of those. */
  #received = 0
  #acts = 0

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  handleTicks(bytes: Uint8Array): void {
    const { firstTick, bundles, part } = readRelayBundles(bytes, this.#received + 1, this.#received)
    const isNext = part === undefined && firstTick <= this.#received + 1
    if (isNext) this.#received = Math.max(this.#received, firstTick + bundles.length - 1)
  }

  /** Mostly about the newest tick; now and then about one that it lied about before. */
  act(channel: Channel): void {
    const { random, turns, timeMs } = this.#attacker
    const executedTick = this.#received - (random.chance(0.1) ? random.below(4) : 0)
    const tick = Math.max(executedTick, 0)
    const hash = { executedTick: tick, tick, lo: random.below(2), hi: random.below(2) }
    // The 256 bits of the whole state, too.
    this.#acts += 1
    if (this.#acts % 8 === 0) {
      const stateTick = tick - (tick % stateHashTicks)
      const lie = new Uint8Array(agreedHashBytes).fill(this.#acts >> 4)
      channel.sendControl(encodeMessage('ClientState', { tick: stateTick, hash: lie }), timeMs)
    }
    channel.sendTick(turns.make({ received: this.#received, hash }), timeMs)
  }
}
