import { expect, test } from 'vitest'
import { HeadEnd, skipEmptyLines } from './head-end.ts'

test.each([
  ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 27],
  ['GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n', 27],
  ['GET / HTTP/1.1\n\n', 16],
  ['GET / HTTP/1.1\r\n\n', 17],
  ['GET / HTTP/1.1\n\r\n', 17],
  ['GET / HTTP/1.1\r\nx\n', -1],
  ['GET / HTTP/1.1\r\n\r', -1],
  ['GET / HTTP/1.1\r\n\r\r\n', -1],
  ['', -1],
])('%j ends at %i, wherever it is cut', (text, expected) => {
  const bytes = Buffer.from(text)
  expect(new HeadEnd().find(bytes)).toBe(expected)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const head = new HeadEnd()
    const first = head.find(bytes.subarray(0, cut))
    if (first >= 0) expect(first).toBe(expected)
    else {
      const second = head.find(bytes.subarray(cut))
      expect(second < 0 ? -1 : cut + second).toBe(expected)
    }
  }
  const single = new HeadEnd()
  const at = [...bytes].findIndex((byte) => single.find(Buffer.of(byte)) === 1)
  expect(at < 0 ? -1 : at + 1).toBe(expected)
})

test('empty lines in front of a request are skipped', () => {
  expect(skipEmptyLines(Buffer.from('\r\n\n\rGET'))).toBe(4)
  expect(skipEmptyLines(Buffer.from('GET'))).toBe(0)
  expect(skipEmptyLines(Buffer.from('\r\n'))).toBe(2)
})
