/** ChaCha20-Poly1305 (RFC 8439) with the nonces of Noise: four zero bytes and a little-endian count. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { keyBytes, tagBytes } from '../limits.ts'

const algorithm = 'chacha20-poly1305'
const options = { authTagLength: tagBytes } as const
const nonceBytes = 12
const twoTo32 = 2 ** 32

// Calls do not overlap, and OpenSSL copies the nonce.
const nonce = new Uint8Array(nonceBytes)
const nonceView = new DataView(nonce.buffer)

/** Encrypts and appends the tag. `count` must never come twice with one key. */
export function seal(
  key: Uint8Array,
  count: number,
  head: Uint8Array,
  plain: Uint8Array,
): Uint8Array {
  setNonce(count)
  const packet = new Uint8Array(plain.length + tagBytes)
  sealInto(key, head, plain, packet, 0)
  return packet
}

/** Makes a packet of `head`, which stays readable but cannot be changed, and the encrypted rest. */
export function sealPacket(
  key: Uint8Array,
  count: number,
  head: Uint8Array,
  plain: Uint8Array,
): Uint8Array {
  setNonce(count)
  const packet = new Uint8Array(head.length + plain.length + tagBytes)
  packet.set(head)
  sealInto(key, head, plain, packet, head.length)
  return packet
}

/** Decrypts what {@link seal} made; `undefined` when one bit of anything differs. */
export function open(
  key: Uint8Array,
  count: number,
  head: Uint8Array,
  sealed: Uint8Array,
): Uint8Array | undefined {
  if (sealed.length < tagBytes) return undefined
  setNonce(count)
  const size = sealed.length - tagBytes
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, options)
    decipher.setAAD(head, { plaintextLength: size })
    decipher.setAuthTag(sealed.subarray(size))
    const plain = decipher.update(sealed.subarray(0, size))
    decipher.final()
    // Not as a Buffer, whose slice is no copy: layers above know only plain arrays.
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.length)
  } catch {
    return undefined
  }
}

/** The key after `key`, from which nobody gets back to it: REKEY of the Noise framework. */
export function nextKey(key: Uint8Array): Uint8Array {
  // The largest count of all, which no packet can have.
  nonceView.setUint32(4, twoTo32 - 1, true)
  nonceView.setUint32(8, twoTo32 - 1, true)
  const sealed = new Uint8Array(keyBytes + tagBytes)
  sealInto(key, new Uint8Array(0), new Uint8Array(keyBytes), sealed, 0)
  return sealed.slice(0, keyBytes)
}

function sealInto(
  key: Uint8Array,
  head: Uint8Array,
  plain: Uint8Array,
  packet: Uint8Array,
  at: number,
): void {
  const cipher = createCipheriv(algorithm, key, nonce, options)
  cipher.setAAD(head, { plaintextLength: plain.length })
  packet.set(cipher.update(plain), at)
  cipher.final()
  packet.set(cipher.getAuthTag(), at + plain.length)
}

function setNonce(count: number): void {
  nonceView.setUint32(4, count % twoTo32, true)
  nonceView.setUint32(8, Math.floor(count / twoTo32), true)
}
