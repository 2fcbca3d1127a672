import { expect, test } from 'vitest'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import { testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import { soonestReason } from './wake-reason.ts'

test('the soonest of several is the reason, of equals the first, and none where nothing is due', () => {
  const never = Number.POSITIVE_INFINITY
  expect(soonestReason([['a', 3] as const, ['b', 1], ['c', 1]])).toBe('b')
  expect(soonestReason([['a', never] as const, ['b', never]])).toBeUndefined()
})

test('a relay says what it wants to be woken for', () => {
  const world = new RelayWorld()
  const { relay } = world
  expect([relay.wakeAtMs(), relay.wakeReason()]).toEqual([Number.POSITIVE_INFINITY, undefined])
  const stranger = world.connect()
  expect(relay.wakeReason()).toBe('handshake')
  world.breakLink(stranger)
  const config = { ...testConfig, lobby: { ...lobbyDefaults, start: 'by-owner' as const } }
  const ada = world.join({ config })
  // Who waits is shown who is there.
  expect(relay.wakeReason()).toBe('room')
  const bob = world.join({ config })
  for (const client of [ada, bob]) client.isConfirming = true
  ada.act({ type: 'start' })
  for (const client of [ada, bob]) client.act({ type: 'report-load', progress: 100 })
  world.run(lobbyDefaults.countdownMs + 500)
  expect(relay.wakeReason()).toBe('seal')
})

test('asking for the time or for the reason changes neither', () => {
  const world = new RelayWorld()
  world.join()
  world.join()
  const { relay } = world
  const [atMs, reason] = [relay.wakeAtMs(), relay.wakeReason()]
  for (let count = 0; count < 3; count++) {
    expect([relay.wakeAtMs(), relay.wakeReason()]).toEqual([atMs, reason])
  }
})
