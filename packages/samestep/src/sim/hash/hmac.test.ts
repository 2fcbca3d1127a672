import { expect, test } from 'vitest'
import { fromHex, toHex } from './hex.ts'
import { hmacSha256 } from './hmac.ts'

const text = (words: string) => new TextEncoder().encode(words)

// RFC 4231, cases 1, 2, 3 and 6.
test.each([
  [
    fromHex('0b'.repeat(20)),
    text('Hi There'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ],
  [
    text('Jefe'),
    text('what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    fromHex('aa'.repeat(20)),
    fromHex('dd'.repeat(50)),
    '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  ],
  [
    fromHex('aa'.repeat(131)),
    text('Test Using Larger Than Block-Size Key - Hash Key First'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
])('is the HMAC of RFC 4231, %#', (key, message, expected) => {
  expect(toHex(hmacSha256(key, message))).toBe(expected)
})
