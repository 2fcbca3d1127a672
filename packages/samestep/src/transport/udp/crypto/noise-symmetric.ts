/**
 * The symmetric half of the Noise framework (revision 34, §5.1 and §5.2) for ChaChaPoly and SHA256: a
 * hash of all that both sides have seen, and a key from all that they share.
 */
import { createHash, createHmac } from 'node:crypto'
import { keyBytes } from '../limits.ts'
import { open, seal } from './aead.ts'

/** The keys of a finished handshake, one for each direction. */
export interface SplitKeys {
  readonly initiator: Uint8Array
  readonly responder: Uint8Array
}

const none = new Uint8Array(0)

/** `SymmetricState` of Noise, with the `CipherState` of the handshake in it. */
export class NoiseSymmetric {
  #chainingKey: Uint8Array
  #hash: Uint8Array
  #key: Uint8Array | undefined
  #count = 0

  /** Starts with the name of the protocol, which says everything that both sides must do alike. */
  constructor(protocolName: string) {
    const name = Buffer.from(protocolName, 'latin1')
    if (name.length <= keyBytes) {
      this.#hash = new Uint8Array(keyBytes)
      this.#hash.set(name)
    } else {
      this.#hash = sha256(name, none)
    }
    this.#chainingKey = this.#hash
  }

  /** Another one that goes on from here, so that a message which turns out wrong changes nothing. */
  clone(): NoiseSymmetric {
    const copy = new NoiseSymmetric('')
    // These arrays are replaced and never written to, so both may hold them.
    copy.#chainingKey = this.#chainingKey
    copy.#hash = this.#hash
    copy.#key = this.#key
    copy.#count = this.#count
    return copy
  }

  /** The hash of the whole conversation: the same on both sides, or they did not have the same one. */
  get hash(): Uint8Array {
    return this.#hash
  }

  mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data)
  }

  mixKey(secret: Uint8Array): void {
    const [chainingKey, key] = derive(this.#chainingKey, secret)
    this.#chainingKey = chainingKey
    this.#key = key
    this.#count = 0
  }

  /** Encrypts once there is a key; before, only the hash takes notice. */
  encryptAndHash(plain: Uint8Array): Uint8Array {
    const sealed =
      this.#key === undefined ? plain : seal(this.#key, this.#count++, this.#hash, plain)
    this.mixHash(sealed)
    return sealed
  }

  /** The other direction; `undefined` for bytes that were not made for this conversation. */
  decryptAndHash(sealed: Uint8Array): Uint8Array | undefined {
    const plain =
      this.#key === undefined ? sealed : open(this.#key, this.#count++, this.#hash, sealed)
    this.mixHash(sealed)
    return plain
  }

  /** The keys for what follows the handshake. */
  split(): SplitKeys {
    const [initiator, responder] = derive(this.#chainingKey, none)
    return { initiator, responder }
  }
}

function sha256(a: Uint8Array, b: Uint8Array): Uint8Array {
  return createHash('sha256').update(a).update(b).digest()
}

/** HKDF of Noise with two outputs. */
function derive(chainingKey: Uint8Array, secret: Uint8Array): [Uint8Array, Uint8Array] {
  const temporary = createHmac('sha256', chainingKey).update(secret).digest()
  const first = createHmac('sha256', temporary).update(Uint8Array.of(1)).digest()
  const second = createHmac('sha256', temporary).update(first).update(Uint8Array.of(2)).digest()
  return [first, second]
}
