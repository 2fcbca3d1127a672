import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { strangersMax } from '../../wire/limits.ts'
import { UpgradeGuard } from './upgrade-guard.ts'

/** As much of a request as the guard looks at. */
function makeRequest(headers: Record<string, string | string[]> = {}, url = '/'): IncomingMessage {
  const request = {
    url,
    headers: { 'sec-websocket-version': '13', ...headers },
    socket: { remoteAddress: '::ffff:192.0.2.1' },
  }
  return request as unknown as IncomingMessage
}

test('strangers of all addresses together have a limit too', () => {
  const guard = new UpgradeGuard({})
  const leave = Array.from({ length: strangersMax }, (_, number) =>
    guard.admit(`10.${number >> 8}.${number & 255}.1`),
  )
  expect(guard.judge(makeRequest(), '192.0.2.1')).toBe('full')
  leave[0]?.()
  expect(guard.judge(makeRequest(), '192.0.2.1')).toBeUndefined()
  guard.admit('192.0.2.1')
  expect(guard.judge(makeRequest(), '192.0.2.2')).toBe('full')
})

test('all addresses of one IPv6 home are one stranger', () => {
  const guard = new UpgradeGuard({ strangersPerAddress: 2 })
  const leave = guard.admit('2001:db8:1:200::1')
  guard.admit('2001:db8:1:2ff::2')
  expect(guard.judge(makeRequest(), '2001:db8:1:210:abcd::3')).toBe('address-full')
  expect(guard.judge(makeRequest(), '2001:db8:1:300::3')).toBeUndefined()
  leave()
  leave()
  expect(guard.judge(makeRequest(), '2001:db8:1:210:abcd::3')).toBeUndefined()
  guard.admit('2001:db8:1:200::4')
  expect(guard.judge(makeRequest(), '2001:db8:1:210:abcd::3')).toBe('address-full')
})

test('several lines of X-Forwarded-For count as one, from the last to the first', () => {
  const guard = new UpgradeGuard({ trustedProxies: ['192.0.2.0/24'] })
  const request = makeRequest({ 'x-forwarded-for': ['6.6.6.6', '1.1.1.1, 192.0.2.7'] })
  expect(guard.addressOf(request)).toBe('1.1.1.1')
})

test('an origin named like a property of every object is on no list', () => {
  const guard = new UpgradeGuard({ origins: ['https://game.example'] })
  for (const origin of ['constructor', '__proto__', 'has', 'size']) {
    expect(guard.judge(makeRequest({ origin }), '192.0.2.1')).toBe('origin')
  }
})
