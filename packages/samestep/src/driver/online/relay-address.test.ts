import { expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { parseUdpUrl } from '../../transport/udp/udp-url.ts'
import { readMatchAddress, readRelayAddress, withMatch } from './relay-address.ts'

test.each([
  ['ws://localhost:7777', 'ws://localhost:7777/', undefined],
  ['wss://relay.example/play?region=eu', 'wss://relay.example/play?region=eu', undefined],
  ['ws://localhost:7777/#match=friday', 'ws://localhost:7777/', 'friday'],
  // A link that people send each other is a page; the relay answers at its root.
  ['http://localhost:7777/#match=friday', 'ws://localhost:7777/', 'friday'],
  ['https://play.example/rooms/list.html?tab=2#match=friday', 'wss://play.example/', 'friday'],
  [
    'https://play.example/#match=friday%20night%20%26%20more',
    'wss://play.example/',
    'friday night & more',
  ],
  ['https://play.example/#lang=de&match=a', 'wss://play.example/', 'a'],
  ['https://play.example/#about', 'wss://play.example/', undefined],
  ['http://[::1]:7777/#match=x', 'ws://[::1]:7777/', 'x'],
])('%s is the relay %s and the match %s', (text, url, match) => {
  expect(readRelayAddress(text)).toEqual({ url, match })
})

test('the address of a UDP relay keeps its key, and is one that can be dialled', () => {
  const key = 'A'.repeat(43)
  const plain = `udp://relay.example:7777/#key=${key}`
  expect(readRelayAddress(plain)).toEqual({ url: plain, match: undefined })
  const { url, match } = readRelayAddress(`udp://relay.example:7777/?match=friday#key=${key}`)
  expect([url, match]).toEqual([plain, 'friday'])
  expect(parseUdpUrl(url)).toMatchObject({ host: 'relay.example', port: 7777 })
})

test.each(['', 'localhost:7777', 'friday', 'ftp://relay.example', 'ws://', 'file:///etc/hosts'])(
  '%j is no address of a relay',
  (text) => {
    expect(() => readRelayAddress(text)).toThrow(UsageError)
    expect(() => readRelayAddress(text)).toThrow(/Cannot reach a relay at/)
  },
)

test('the match goes into the address, beside what is there and in place of another', () => {
  expect(withMatch('ws://relay.example/', 'a b&c')).toBe('ws://relay.example/?match=a+b%26c')
  expect(withMatch('ws://relay.example/x?region=eu&match=old', 'new')).toBe(
    'ws://relay.example/x?region=eu&match=new',
  )
})

/** `Café` with an accent of its own behind the e, and with one letter for both. */
const decomposed = 'Cafe\u0301'
const composed = 'Caf\u00e9'

test.each([
  ['named', 'ws://relay.test', decomposed],
  ['in a link', `http://relay.test/#match=${encodeURIComponent(decomposed)}`, undefined],
  ['in a udp address', `udp://relay.test:7777?match=${encodeURIComponent(decomposed)}`, undefined],
])('a match is meant in its composed form, %s', (_where, address, named) => {
  expect(readMatchAddress(address, named).match).toBe(composed)
})
