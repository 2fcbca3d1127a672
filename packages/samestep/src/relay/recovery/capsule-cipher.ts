import { hmacSha256 } from '../../sim/hash/hmac.ts'
import { sha256, sha256Bytes } from '../../sim/hash/sha256.ts'
import { tagBytes } from '../../wire/messages/recovery.ts'
import { areSameBytes } from '../../wire/messages/return-proof.ts'

/**
 * What a relay gives its clients to keep, so that they can neither read nor change it.
 *
 *     capsule   nonce ‖ text xor keystream ‖ HMAC over both          encrypt, then authenticate
 *     tag       HMAC over the match, its line, ticks and bundles     16 bytes of it
 *
 * The keystream is SHA-256 of a key, the nonce and a counter: inputs of one length, so that nothing can
 * be appended to them. Three keys come of the one that an operator keeps, each for one purpose.
 */
export class CapsuleCipher {
  readonly #streamKey: Uint8Array
  readonly #sealKey: Uint8Array
  readonly #tagKey: Uint8Array

  /** `key` has 32 secret bytes, the same for all relays that may go on with each other's matches. */
  constructor(key: Uint8Array) {
    this.#streamKey = hmacSha256(key, ascii('samestep/1 capsule stream'))
    this.#sealKey = hmacSha256(key, ascii('samestep/1 capsule seal'))
    this.#tagKey = hmacSha256(key, ascii('samestep/1 tag'))
  }

  /** Makes a capsule. The nonce is used for no other. */
  seal(text: Uint8Array, nonce: Uint8Array): Uint8Array {
    const capsule = new Uint8Array(nonceBytes + text.byteLength + tagBytes)
    capsule.set(nonce)
    capsule.set(text, nonceBytes)
    this.#cover(capsule.subarray(nonceBytes, nonceBytes + text.byteLength), nonce)
    const signed = capsule.subarray(0, nonceBytes + text.byteLength)
    capsule.set(hmacSha256(this.#sealKey, signed).subarray(0, tagBytes), signed.byteLength)
    return capsule
  }

  /** What a capsule says; `undefined` for one that no relay with this key made. A stranger's bytes. */
  open(capsule: Uint8Array): Uint8Array | undefined {
    const end = capsule.byteLength - tagBytes
    if (end < nonceBytes) return undefined
    const signed = hmacSha256(this.#sealKey, capsule.subarray(0, end)).subarray(0, tagBytes)
    if (!areSameBytes(signed, capsule.subarray(end))) return undefined
    const text = capsule.slice(nonceBytes, end)
    this.#cover(text, capsule.subarray(0, nonceBytes))
    return text
  }

  /** The seal on some ticks of a match, on one line of its history. */
  tag(line: Uint8Array, firstTick: number, bundles: readonly Uint8Array[]): Uint8Array {
    let size = line.byteLength + 8
    for (const { byteLength } of bundles) size += 2 + byteLength
    const message = new Uint8Array(size)
    const view = new DataView(message.buffer)
    message.set(line)
    view.setUint32(line.byteLength, firstTick, true)
    view.setUint32(line.byteLength + 4, bundles.length, true)
    let at = line.byteLength + 8
    for (const bundle of bundles) {
      view.setUint16(at, bundle.byteLength, true)
      message.set(bundle, at + 2)
      at += 2 + bundle.byteLength
    }
    return hmacSha256(this.#tagKey, message).subarray(0, tagBytes)
  }

  #cover(text: Uint8Array, nonce: Uint8Array): void {
    const block = new Uint8Array(this.#streamKey.byteLength + nonceBytes + 4)
    block.set(this.#streamKey)
    block.set(nonce, this.#streamKey.byteLength)
    const view = new DataView(block.buffer)
    for (let start = 0; start < text.byteLength; start += sha256Bytes) {
      view.setUint32(block.byteLength - 4, start / sha256Bytes, true)
      const stream = sha256(block)
      const end = Math.min(start + sha256Bytes, text.byteLength)
      for (let at = start; at < end; at++)
        text[at] = (text[at] as number) ^ (stream[at - start] as number)
    }
  }
}

/** Bytes of a nonce: random ones never meet. */
export const nonceBytes = 16

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}
