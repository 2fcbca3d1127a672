import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../base/utf8.ts'
import { readText } from './names.ts'
import { isValueOrWireError } from './testing/files.ts'

test('gives the text of the bytes, however often and in whatever sequence it is asked', () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `name${index}`)
  texts.push('', 'é', 'ab', 'ba', 'x'.repeat(200), '日本語', '\u0000', 'a\u0000')
  for (let round = 0; round < 3; round++) {
    for (const text of texts) {
      const bytes = encodeUtf8(text)
      expect(readText(bytes, 0, bytes.length)).toBe(text)
    }
  }
})

test('a kept text of Latin-1 letters is not taken for the bytes of the same numbers', () => {
  // All pairs, because only some of them meet at the same place.
  for (let pair = 0x8080; pair <= 0xffff; pair += (pair & 0xff) === 0xff ? 0x81 : 1) {
    const text = String.fromCharCode(pair >> 8, pair & 0xff)
    const utf8 = encodeUtf8(text)
    readText(utf8, 0, utf8.length)
    let found = 'refused'
    isValueOrWireError(() => {
      found = readText(Uint8Array.of(pair >> 8, pair & 0xff), 0, 2)
    })
    if (found === text) expect.fail(`bytes ${pair.toString(16)} were read as '${text}'`)
  }
})
