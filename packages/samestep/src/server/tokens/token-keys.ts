/** Keys of signed tokens, from where operators keep them. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { UsageError } from '../../base/errors.ts'
import { showPath } from '../../transport/node/secret-text.ts'
import { readSmallFile } from '../settings/small-file.ts'

/** By which key tokens are checked. Exactly one of them is given. */
export interface TokenKeyOptions {
  /** A file with an Ed25519 key in PEM, the public one: tokens are signed by EdDSA. */
  readonly publicKeyFile?: string
  /** A file with a set of such keys, as JSON Web Keys. */
  readonly jwksFile?: string
  /** A file with a secret of 32 bytes or more: tokens are signed by HS256. */
  readonly secretFile?: string
  /** That secret itself. */
  readonly secret?: string
}

/** A key, and the only algorithms that it is used with: a token does not choose (T-14). */
export interface TokenKey {
  readonly key: Uint8Array | KeyObject | { readonly jwks: JSONWebKeySet }
  readonly algorithms: readonly string[]
}

/** What `jose` takes for it. */
export type JoseKey = Uint8Array | KeyObject | JWTVerifyGetKey

/** Bytes of a secret: as many as HS256 has in its result. A shorter one can be guessed from a token. */
export const secretBytesMin = 32

const edAlgorithms = ['EdDSA', 'Ed25519'] as const

/** Reads the key by which tokens are checked. Throws `SS_BAD_ARGUMENT`. */
export function readTokenKey(options: TokenKeyOptions): TokenKey {
  const { publicKeyFile, jwksFile, secretFile, secret } = options
  if (publicKeyFile !== undefined) return readPublicKey(publicKeyFile)
  if (jwksFile !== undefined) return readJwks(jwksFile)
  const bytes = secretFile === undefined ? Buffer.from(secret ?? '') : readSecret(secretFile)
  if (bytes.byteLength < secretBytesMin) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot check tokens: the secret has ${bytes.byteLength} bytes; it must have at least ${secretBytesMin}`,
    )
  }
  return { key: Uint8Array.from(bytes), algorithms: ['HS256'] }
}

/** A key that signs, and how. */
export interface SigningKey {
  readonly key: Uint8Array | KeyObject
  readonly algorithm: 'EdDSA' | 'HS256'
}

/** Reads what tokens are signed with: an Ed25519 private key in PEM, or a secret. */
export function readSigningKey(path: string): SigningKey {
  const bytes = readSmallFile(path, 'key', { isPrivate: true })
  const text = bytes.toString('utf8')
  if (!text.includes('-----BEGIN')) {
    return { key: readTokenKey({ secretFile: path }).key as Uint8Array, algorithm: 'HS256' }
  }
  const key = makeKey(path, () => createPrivateKey(text), 'an Ed25519 private key in PEM')
  return { key, algorithm: 'EdDSA' }
}

function readSecret(path: string): Buffer {
  const bytes = readSmallFile(path, 'secret', { isPrivate: true })
  // The end of its line belongs to the file, not to the secret.
  const text = bytes.toString('latin1').replace(/\r?\n$/, '')
  return bytes.subarray(0, text.length)
}

function readPublicKey(path: string): TokenKey {
  const pem = readSmallFile(path, 'public key').toString('utf8')
  // Of a private key too: whoever has only that can try tokens with it.
  const key = makeKey(path, () => createPublicKey(pem), 'an Ed25519 key in PEM')
  return { key, algorithms: edAlgorithms }
}

function makeKey(path: string, make: () => KeyObject, must: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = make()
  } catch {
    // What OpenSSL says about it helps nobody, and may repeat some of it.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key
  const is = key === undefined ? 'it is none' : `it is of the type ${key.asymmetricKeyType}`
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot use the key ${showPath(path)}: ${is}; it must be ${must}`,
  )
}

function readJwks(path: string): TokenKey {
  const text = readSmallFile(path, 'key set').toString('utf8')
  try {
    const jwks = JSON.parse(text) as JSONWebKeySet
    const isGood = ({ kty, crv }: { kty?: string; crv?: string }) =>
      kty === 'OKP' && crv === 'Ed25519'
    if (Array.isArray(jwks.keys) && jwks.keys.length > 0 && jwks.keys.every(isGood)) {
      return { key: { jwks }, algorithms: edAlgorithms }
    }
  } catch {
    // Told below, like anything else that is no such set.
  }
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot use the key set ${showPath(path)}: it must contain only Ed25519 keys, like {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "…", "kid": "…"}]}`,
  )
}
