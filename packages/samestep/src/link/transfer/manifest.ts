import { sha256 } from '../../sim/hash/sha256.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { agreedHashBytes, chunkBytes, chunkHashBytes } from '../../wire/messages/state-transfer.ts'

/** What a state consists of. */
export type Manifest = MessageBody<'RelayManifest'>

/** A part of a state, as it travels. */
export type Chunk = MessageBody<'RelayChunk'>

/** A wish for a manifest, or for chunks. */
export type Fetch = MessageBody<'RelayFetch'>

/** How many chunks so many bytes are. */
export function chunkCount(bytes: number): number {
  return Math.ceil(bytes / chunkBytes)
}

/** The bytes of one chunk of a state of so many bytes. */
export function chunkLength(bytes: number, index: number): number {
  return Math.min(bytes - index * chunkBytes, chunkBytes)
}

/** What a chunk hashes to. */
export function hashChunk(plain: Uint8Array): Uint8Array {
  return sha256(plain).subarray(0, chunkHashBytes)
}

/** The hash that a manifest gives for a chunk. */
export function hashAt({ chunkHashes }: Manifest, index: number): Uint8Array {
  return chunkHashes.subarray(index * chunkHashBytes, (index + 1) * chunkHashBytes)
}

/** What is wrong with a manifest of a stranger; `undefined` when nothing is. */
export function manifestFault({ hash, bytes, chunkHashes }: Manifest): string | undefined {
  if (hash.byteLength !== agreedHashBytes) return 'A state whose hash is too short'
  if (bytes === 0) return 'A state without any bytes'
  const wanted = chunkCount(bytes) * chunkHashBytes
  return chunkHashes.byteLength === wanted ? undefined : 'A state without a hash for every chunk'
}

/** Whether two byte strings are the same. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index])
}
