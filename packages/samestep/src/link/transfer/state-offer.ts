import { assert } from '../../base/assert.ts'
import { deflate } from '../../sim/snapshot/deflate.ts'
import { chunkBytes, chunkHashBytes, stateBytesMax } from '../../wire/state-transfer.ts'
import type { Chunk, Manifest } from './manifest.ts'
import { chunkCount, chunkLength, hashChunk } from './manifest.ts'

/** A state that somebody may ask for, in chunks. */
export interface OfferedState {
  readonly manifest: Manifest
  /** One chunk, ready to travel. */
  chunk(index: number): Chunk
}

/**
 * A state that is offered by whoever has it in memory. Chunks are compressed when they are asked for,
 * one at a time, so that no picture waits for a megabyte.
 */
export class StateOffer implements OfferedState {
  readonly manifest: Manifest
  readonly #bytes: Uint8Array

  /** `bytes` are kept, and must not change. */
  constructor(tick: number, hash: Uint8Array, bytes: Uint8Array) {
    assert(bytes.byteLength <= stateBytesMax, 'A state that is too large was offered')
    this.#bytes = bytes
    const count = chunkCount(bytes.byteLength)
    const chunkHashes = new Uint8Array(count * chunkHashBytes)
    for (let index = 0; index < count; index++) {
      chunkHashes.set(hashChunk(this.#plain(index)), index * chunkHashBytes)
    }
    this.manifest = { tick, hash, isAgreed: false, bytes: bytes.byteLength, chunkHashes }
  }

  chunk(index: number): Chunk {
    const plain = this.#plain(index)
    const deflated = deflate(plain)
    const isDeflated = deflated.byteLength < plain.byteLength
    const content = isDeflated ? deflated : plain
    return { tick: this.manifest.tick, index, isDeflated, content }
  }

  #plain(index: number): Uint8Array {
    const at = index * chunkBytes
    return this.#bytes.subarray(at, at + chunkLength(this.#bytes.byteLength, index))
  }
}
