import type { Channel } from '../../link/channel.ts'
import { chunkLength, hashChunk } from '../../link/transfer/manifest.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages/messages.ts'
import { chunkHashBytes } from '../../wire/messages/state-transfer.ts'
import type { Cheat, Cheater } from './cheat.ts'
import { DonorChannel } from './donor-channel.ts'

/**
 * Agrees with everybody about the state, and then hands over another one (T-60): either chunks that are
 * not those of its manifest, or a manifest and chunks that fit each other and nobody's state. Whoever
 * joins gets the right state from somebody else.
 */
export class StatePoisoner implements Cheat {
  readonly everyMs = 60_000
  readonly #cheater: Cheater
  #stateBytes = 0

  constructor(cheater: Cheater) {
    this.#cheater = cheater
  }

  /** It does nothing unasked. */
  commit(): boolean {
    return false
  }

  wrap(channel: Channel): Channel {
    return new DonorChannel(channel, {
      manifest: (bytes) => this.#forge(bytes),
      chunk: (bytes) => this.#poison(bytes),
    })
  }

  /** Half of the time, promises the chunks that it will send. */
  #forge(bytes: Uint8Array): Uint8Array {
    const { name, body } = decodeMessage(bytes)
    if (name !== 'ClientManifest') return bytes
    this.#stateBytes = body.bytes
    if (this.#cheater.random.chance(0.5)) return bytes
    const chunkHashes = body.chunkHashes.slice()
    for (let index = 0; index * chunkHashBytes < chunkHashes.byteLength; index++) {
      chunkHashes.set(hashChunk(this.#fake(index)), index * chunkHashBytes)
    }
    return encodeMessage('ClientManifest', { ...body, chunkHashes })
  }

  #poison(bytes: Uint8Array): Uint8Array {
    const { name, body } = decodeMessage(bytes)
    if (name !== 'ClientChunk') return bytes
    this.#cheater.world.sometimes('a state was poisoned')
    const content = this.#fake(body.index)
    return encodeMessage('ClientChunk', { ...body, isDeflated: false, content })
  }

  #fake(index: number): Uint8Array {
    return new Uint8Array(chunkLength(this.#stateBytes, index))
  }
}
