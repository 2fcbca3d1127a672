import { expect, test } from 'vitest'
import { addressBlock, isLoopback, plainAddress, TrustedProxies } from './address-block.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2ff:3::4', '2001:db8:1:200::/56'],
  ['2001:0DB8:0001:0201::', '2001:db8:1:200::/56'],
  ['2001:db8::1', '2001:db8:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['', ''],
])('%s belongs to %s', (address, block) => {
  expect(addressBlock(address)).toBe(block)
})

test('one home is one block, its neighbour is another', () => {
  expect(addressBlock('2001:db8:1:2aa::1')).toBe(addressBlock('2001:db8:1:2ff:ffff::9'))
  expect(addressBlock('2001:db8:1:300::1')).not.toBe(addressBlock('2001:db8:1:2ff::1'))
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.evil.com', false],
  ['localhost.evil.com', false],
  ['128.0.0.1', false],
  ['::ffff:10.0.0.1', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test('an address keeps what is not a zone', () => {
  expect(plainAddress('fe80::1%eth0')).toBe('fe80::1')
})

const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])

test.each<[string, string | undefined, string, string]>([
  ['203.0.113.7', '1.1.1.1', '203.0.113.7', 'not a proxy of ours'],
  ['10.1.2.3', '1.1.1.1', '1.1.1.1', 'a proxy of ours'],
  ['::ffff:10.1.2.3', '1.1.1.1', '1.1.1.1', 'the same on an IPv6 socket'],
  ['10.1.2.3', '6.6.6.6, 1.1.1.1', '1.1.1.1', 'the begin is written by the stranger'],
  ['10.1.2.3', '6.6.6.6, 1.1.1.1, 192.0.2.1, 10.0.0.9', '1.1.1.1', 'a chain of proxies of ours'],
  ['10.1.2.3', undefined, '10.1.2.3', 'a proxy that says nothing'],
  ['10.1.2.3', '', '10.1.2.3', 'a proxy that says an empty thing'],
  ['10.1.2.3', '1.1.1.1, nonsense', '10.1.2.3', 'a proxy that says nonsense'],
  ['10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1', 'nobody but proxies'],
  ['2001:db8::5', '[2001:db9::1]:4433', '2001:db9::1', 'a port behind IPv6'],
  ['10.1.2.3', '1.1.1.1:5544', '1.1.1.1', 'a port behind IPv4'],
  ['10.1.2.3', '2001:db9::7', '2001:db9::7', 'IPv6 without a port'],
  ['10.1.2.3', '[', '10.1.2.3', 'half a bracket'],
])('from %s, forwarded for %s: it is %s (%s)', (socket, forwarded, expected) => {
  expect(proxies.addressOf(socket, forwarded)).toBe(expected)
})

test.each([
  '',
  'proxy.example',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '::1/129',
  '10.0.0.0/-1',
])('the proxy %j is refused', (entry) => {
  expect(() => new TrustedProxies([entry])).toThrow(
    'such as 10.0.0.7 or a network such as 10.0.0.0/8',
  )
})
