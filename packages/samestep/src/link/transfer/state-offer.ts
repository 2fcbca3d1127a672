import { assert } from '../../base/assert.ts'
import { sha256Bytes } from '../../sim/hash/sha256.ts'
import { deflate } from '../../sim/snapshot/deflate.ts'
import { chunkBytes, chunkHashBytes, stateBytesMax } from '../../wire/messages/state-transfer.ts'
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

  /** `bytes` are kept, and must not change. `chunkHashes` is what {@link hashChunks} would give. */
  constructor(
    tick: number,
    hash: Uint8Array,
    bytes: Uint8Array,
    chunkHashes: Uint8Array = hashChunks(bytes),
  ) {
    assert(bytes.byteLength <= stateBytesMax, 'A state that is too large was offered')
    this.#bytes = bytes
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

/** The hashes of all chunks of a state, one after the other. */
function hashChunks(bytes: Uint8Array): Uint8Array {
  const count = chunkCount(bytes.byteLength)
  const hashes = new Uint8Array(count * chunkHashBytes)
  for (let index = 0; index < count; index++) {
    const at = index * chunkBytes
    hashes.set(hashChunk(bytes.subarray(at, at + chunkBytes)), index * chunkHashBytes)
  }
  return hashes
}

/** The same, from whole SHA-256 hashes of the chunks. */
export function shortenHashes(hashes: Uint8Array): Uint8Array {
  const count = hashes.byteLength / sha256Bytes
  const short = new Uint8Array(count * chunkHashBytes)
  for (let index = 0; index < count; index++) {
    const at = index * sha256Bytes
    short.set(hashes.subarray(at, at + chunkHashBytes), index * chunkHashBytes)
  }
  return short
}
