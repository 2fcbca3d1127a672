/** X25519 over raw keys of 32 bytes, which node:crypto only takes in wrappers. */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import { assert } from '../../base/assert.ts'
import { keyBytes } from './limits.ts'

/** Where random bytes come from: `crypto.randomBytes`, or a seed in tests. */
export type RandomBytes = (size: number) => Uint8Array

/** A key pair for Diffie-Hellman. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  readonly privateKey: KeyObject
}

/** What stands before the 32 bytes in PKCS#8 and in SPKI: the sequence, the name of the curve. */
const privatePrefix = Uint8Array.from(Buffer.from('302e020100300506032b656e04220420', 'hex'))
const publicPrefix = Uint8Array.from(Buffer.from('302a300506032b656e032100', 'hex'))

const zeroSecret = new Uint8Array(keyBytes)

/** The pair of a private key: any 32 random bytes are one. */
export function makeKeyPair(secret: Uint8Array): KeyPair {
  assert(secret.length === keyBytes, `A private key has ${keyBytes} bytes, not ${secret.length}`)
  const key = Buffer.concat([privatePrefix, secret])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const wrapped = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return { privateKey, publicKey: Uint8Array.from(wrapped.subarray(publicPrefix.length)) }
}

/**
 * The secret that a private and somebody's public key share. `undefined` for the few public keys with
 * which the secret does not depend on the private one: only an attacker sends those (T-05).
 */
export function agree(pair: KeyPair, publicKey: Uint8Array): Uint8Array | undefined {
  try {
    const key = Buffer.concat([publicPrefix, publicKey])
    const other = createPublicKey({ key, format: 'der', type: 'spki' })
    const secret = diffieHellman({ privateKey: pair.privateKey, publicKey: other })
    // OpenSSL throws for these today. That is its kindness, and nothing that we rely on.
    return Buffer.compare(secret, zeroSecret) === 0 ? undefined : secret
  } catch {
    return undefined
  }
}
