/**
 * X25519 over raw keys of 32 bytes, which node:crypto only takes in wrappers. Of these, JWK is by far
 * the cheapest: 10 µs for a public key, against 270 µs for SPKI and 680 µs for PKCS#8.
 */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import { assert } from '../../../base/assert.ts'
import { keyBytes } from '../limits.ts'

/** Where random bytes come from: `crypto.randomBytes`, or a seed in tests. */
export type RandomBytes = (size: number) => Uint8Array

/** A key pair for Diffie-Hellman. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  readonly privateKey: KeyObject
}

/**
 * What stands before the 32 bytes in PKCS#8: the sequence, the name of the curve. OpenSSL takes ten
 * times as long to read this wrapper as to compute with the key in it, so it is the second choice.
 */
const privatePrefix = Uint8Array.from(Buffer.from('302e020100300506032b656e04220420', 'hex'))

const zeroSecret = new Uint8Array(keyBytes)

/** The pair of a private key: any 32 random bytes are one. */
export function makeKeyPair(secret: Uint8Array): KeyPair {
  assert(secret.length === keyBytes, `A private key has ${keyBytes} bytes, not ${secret.length}`)
  const privateKey = readAsJwk(secret) ?? readAsPkcs8(secret)
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  assert(typeof x === 'string', 'A public key of X25519 has an x')
  return { privateKey, publicKey: Uint8Array.from(Buffer.from(x, 'base64url')) }
}

/**
 * A JWK has room for the public key too, which is not known yet. Node 20 computes it and does not look
 * there; `undefined` where another version asks for the right one.
 */
function readAsJwk(secret: Uint8Array): KeyObject | undefined {
  const d = Buffer.from(secret).toString('base64url')
  try {
    return createPrivateKey({ key: { kty: 'OKP', crv: 'X25519', d, x: '' }, format: 'jwk' })
  } catch {
    return undefined
  }
}

function readAsPkcs8(secret: Uint8Array): KeyObject {
  const key = Buffer.concat([privatePrefix, secret])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/**
 * The secret that a private and somebody's public key share. `undefined` for the few public keys with
 * which the secret does not depend on the private one: only an attacker sends those (T-05).
 */
export function agree(pair: KeyPair, publicKey: Uint8Array): Uint8Array | undefined {
  try {
    const x = Buffer.from(publicKey).toString('base64url')
    const other = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
    const secret = diffieHellman({ privateKey: pair.privateKey, publicKey: other })
    // OpenSSL throws for these today. That is its kindness, and nothing that we rely on.
    return Buffer.compare(secret, zeroSecret) === 0 ? undefined : secret
  } catch {
    return undefined
  }
}
