import { expect, test } from 'vitest'
import { LobbyLimit, lobbyName } from './lobby-limit.ts'

const at = (remoteAddress: string | undefined, remotePort = 1) => ({
  remoteAddress: remoteAddress as string,
  remotePort,
})

test('an address may have so many connections, and another one has its own', () => {
  const lobby = new LobbyLimit([], 2)
  expect([1, 2, 3].map((port) => lobby.enter(at('203.0.113.7', port)))).toEqual([true, true, false])
  expect(lobby.enter(at('203.0.113.8'))).toBe(true)
  lobby.leave(lobbyName(at('203.0.113.7', 1)))
  lobby.leave(lobbyName(at('203.0.113.7', 1)))
  expect([4, 5].map((port) => lobby.enter(at('203.0.113.7', port)))).toEqual([true, false])
})

test('a home of IPv6 is one address, and so is IPv4 on a socket of IPv6', () => {
  const lobby = new LobbyLimit([], 1)
  expect(lobby.enter(at('2001:db8:1:2aa::1'))).toBe(true)
  expect(lobby.enter(at('2001:db8:1:2ff::9', 2))).toBe(false)
  expect(lobby.enter(at('::ffff:203.0.113.7'))).toBe(true)
  expect(lobby.enter(at('203.0.113.7', 2))).toBe(false)
})

test('a trusted proxy is not limited: many stand behind it', () => {
  const lobby = new LobbyLimit(['10.0.0.0/8'], 1)
  for (let port = 0; port < 10; port++) expect(lobby.enter(at('10.1.2.3', port))).toBe(true)
  expect(lobby.size).toBe(0)
})

test('who is gone already does not come in, and nothing stays behind of who leaves', () => {
  const lobby = new LobbyLimit([], 9)
  expect(lobby.enter(at(undefined))).toBe(false)
  for (let port = 0; port < 9; port++) lobby.enter(at('203.0.113.7', port))
  for (let port = 0; port < 9; port++) lobby.leave(lobbyName(at('203.0.113.7', port)))
  expect(lobby.size).toBe(0)
})
