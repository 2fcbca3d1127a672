import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isSha256Native, sha256, sha256Into, sha256JsInto } from './sha256.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function sha256Js(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(32)
  sha256JsInto(bytes, out, 0)
  return out
}

const implementations = [
  ['native', sha256],
  ['JavaScript', sha256Js],
] as const

describe.each(implementations)('SHA-256, %s', (_name, compute) => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
  ])('of the NIST example %j', (text, expected) => {
    expect(hex(compute(Buffer.from(text)))).toBe(expected)
  })

  test('of a million letters a', () => {
    expect(hex(compute(new Uint8Array(1_000_000).fill(0x61)))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    )
  })

  test('of every length around the edges of a block, and of random ones, is the platform’s', () => {
    const check = (bytes: Uint8Array): void => {
      expect(hex(compute(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
    }
    for (let length = 0; length < 260; length++) check(new Uint8Array(length).fill(length))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.nat(9), (bytes, start) => {
        check(bytes.subarray(Math.min(start, bytes.length)))
      }),
    )
  })
})

describe('SHA-256', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  test('is the platform’s own in Node', () => {
    expect(isSha256Native()).toBe(true)
  })

  test('is written where it is asked for, and nowhere else', () => {
    const out = new Uint8Array(40).fill(1)
    sha256Into(Uint8Array.of(1, 2, 3), out, 4)
    expect(out.subarray(4, 36)).toEqual(sha256(Uint8Array.of(1, 2, 3)))
    expect([...out.subarray(0, 4), ...out.subarray(36)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1])
    expect(() => sha256JsInto(new Uint8Array(0), out, 9)).toThrow('No room')
  })

  test.each([
    ['there is no process', undefined],
    ['it cannot give modules', {}],
    ['its crypto has no one-shot hash', { getBuiltinModule: () => ({}) }],
    [
      'asking throws',
      {
        getBuiltinModule: () => {
          throw new Error('not here')
        },
      },
    ],
    ['its hash is wrong', { getBuiltinModule: () => ({ hash: () => '0123456789abcdef' }) }],
  ])('is computed here where %s', async (_what, process) => {
    vi.resetModules()
    const fresh = await import('./sha256.ts')
    vi.stubGlobal('process', process)
    const native = fresh.isSha256Native()
    const bytes = fresh.sha256(Uint8Array.of(0x61, 0x62, 0x63))
    vi.unstubAllGlobals()
    expect(native).toBe(false)
    expect(hex(bytes)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
