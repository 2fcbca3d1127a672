import { beforeEach, describe, expect, test, vi } from 'vitest'
import { agree, makeKeyPair } from './x25519.ts'

/** Whether node:crypto asks a JWK of a private key for the right public key. */
const node = vi.hoisted(() => ({ isStrict: false }))
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const createPrivateKey = (options: { readonly format: string }) => {
    if (node.isStrict && options.format === 'jwk') throw new TypeError('Invalid JWK')
    return real.createPrivateKey(options as never)
  }
  return { ...real, createPrivateKey }
})

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

// Bob's is the example of RFC 7748, section 6.1.
const alice = new Uint8Array(32).fill(0x77)
const bob = bytes('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb')

describe.each([false, true])('with a Node that is strict about JWK: %s', (isStrict) => {
  beforeEach(() => {
    node.isStrict = isStrict
  })

  test('a private key has the public key of the standard', () => {
    expect(makeKeyPair(bob).publicKey).toEqual(
      bytes('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'),
    )
  })

  test('both sides find the same secret', () => {
    const [a, b] = [makeKeyPair(alice), makeKeyPair(bob)]
    const secret = agree(a, b.publicKey)
    expect(secret).toEqual(agree(b, a.publicKey))
    expect(secret?.length).toBe(32)
  })

  test('T-05 keys that nobody honest has give none', () => {
    const one = Uint8Array.of(1, ...new Uint8Array(31))
    for (const key of [new Uint8Array(32), one, new Uint8Array(31), new Uint8Array(33)]) {
      expect(agree(makeKeyPair(bob), key)).toBeUndefined()
    }
  })
})
