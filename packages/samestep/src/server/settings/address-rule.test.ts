import { expect, test } from 'vitest'
import { makeAddressRule } from './address-rule.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:5000', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[2001:db8:1:2ff::1]:5000', '2001:db8:1:200::/56'],
  ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
])('a connection from %s counts under %s', (remote, address) => {
  expect(makeAddressRule(['10.0.0.0/8'])(remote)).toBe(address)
})

test('a trusted proxy is not counted', () => {
  const addressOf = makeAddressRule(['10.0.0.0/8'])
  expect([addressOf('10.1.2.3'), addressOf('10.1.2.3:80')]).toEqual([undefined, undefined])
})
