/**
 * Who somebody on a bus is. In the clear, 128 random bits. Sealed, the beginning of the SHA-256 of a
 * public key, so that only the owner of its private half can speak under that id (T-95, T-101).
 */
import { UsageError } from '../../base/errors.ts'
import { idBytes } from './frame.ts'

/** P-256: the curve that every WebCrypto has. */
const curve = { name: 'ECDH', namedCurve: 'P-256' } as const

/** Bytes of a public key, uncompressed. */
export const publicKeyBytes = 65

/** Two keys of one connection, one for each direction. */
export interface PairKeys {
  readonly send: CryptoKey
  readonly receive: CryptoKey
}

/** Bytes whose memory nobody shares, as WebCrypto wants them. */
type Plain = Uint8Array<ArrayBuffer>

/** An identity for one listener or one dial. Never stored. */
export class PeerKeys {
  readonly id: Uint8Array
  /** Empty in the clear. */
  readonly publicKey: Uint8Array
  readonly #privateKey: CryptoKey | undefined

  private constructor(id: Uint8Array, publicKey: Uint8Array, privateKey: CryptoKey | undefined) {
    this.id = id
    this.publicKey = publicKey
    this.#privateKey = privateKey
  }

  /** Whether what it sends is sealed. */
  get isSealed(): boolean {
    return this.#privateKey !== undefined
  }

  /** An id without keys. */
  static makeClear(): PeerKeys {
    const id = crypto.getRandomValues(new Uint8Array(idBytes))
    return new PeerKeys(id, new Uint8Array(0), undefined)
  }

  /**
   * An id with keys.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` where the page has no WebCrypto, as on plain HTTP.
   */
  static async makeSealed(): Promise<PeerKeys> {
    if (globalThis.crypto?.subtle === undefined) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        'Cannot seal frames: this page has no WebCrypto; it must come from https or localhost',
      )
    }
    const pair = await crypto.subtle.generateKey(curve, false, ['deriveBits'])
    const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    return new PeerKeys(await idOf(publicKey), publicKey, pair.privateKey)
  }

  /**
   * The keys for a connection with the owner of `otherKey`, or undefined when that is no key, or not
   * the one that `otherId` stands for. `secret` is what all who may take part know; empty for anybody.
   */
  async derive(
    otherId: Uint8Array,
    otherKey: Uint8Array,
    side: 'dialer' | 'listener',
    secret: Uint8Array,
  ): Promise<PairKeys | undefined> {
    if (this.#privateKey === undefined || otherKey.length !== publicKeyBytes) return undefined
    const claimed = await idOf(otherKey)
    if (!claimed.every((byte, index) => byte === otherId[index])) return undefined
    let shared: ArrayBuffer
    try {
      const key = await crypto.subtle.importKey('raw', otherKey as Plain, curve, false, [])
      shared = await crypto.subtle.deriveBits({ ...curve, public: key }, this.#privateKey, 256)
    } catch {
      // No point of the curve.
      return undefined
    }
    const root = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
    const ids = side === 'dialer' ? [this.id, otherId] : [otherId, this.id]
    const [up, down] = await Promise.all([
      deriveKey(root, 'up', ids, secret),
      deriveKey(root, 'down', ids, secret),
    ])
    return side === 'dialer' ? { send: up, receive: down } : { send: down, receive: up }
  }
}

async function idOf(publicKey: Uint8Array): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest('SHA-256', publicKey as Plain)
  return new Uint8Array(digest, 0, idBytes)
}

function deriveKey(
  root: CryptoKey,
  direction: 'up' | 'down',
  ids: readonly Uint8Array[],
  secret: Uint8Array,
): Promise<CryptoKey> {
  const label = new TextEncoder().encode(`samestep broadcast 1 ${direction} `)
  const info = Uint8Array.from([...label, ...ids.flatMap((id) => [...id])])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: secret as Plain, info },
    root,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}
