import { sha256, sha256Bytes } from './sha256.ts'

const blockBytes = 64

/** HMAC-SHA-256 (RFC 2104), synchronous everywhere as {@link sha256} is. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const short = key.length > blockBytes ? sha256(key) : key
  const inner = new Uint8Array(blockBytes + message.length).fill(0x36, 0, blockBytes)
  const outer = new Uint8Array(blockBytes + sha256Bytes).fill(0x5c, 0, blockBytes)
  for (const [index, byte] of short.entries()) {
    inner[index] = (inner[index] as number) ^ byte
    outer[index] = (outer[index] as number) ^ byte
  }
  inner.set(message, blockBytes)
  outer.set(sha256(inner), blockBytes)
  return sha256(outer)
}
