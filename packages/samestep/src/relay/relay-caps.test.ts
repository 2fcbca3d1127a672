import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import type { MatchConfig } from '../wire/messages/messages.ts'
import type { MatchCaps } from './links/match-caps.ts'
import { capsOfProtocol } from './links/match-caps.ts'
import { testConfig, testIdentity } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'

const caps: MatchCaps = {
  seatsMax: 8,
  spectatorsMax: 5,
  tickRateMax: 60,
  speedPercentMax: 400,
  ticksPerSecondMax: 90,
  optionsBytesMax: 16,
  emptyMsMax: 10_000,
  resyncsMax: 3,
}

describe('what a match may be made with', () => {
  test.each<[string, Partial<MatchConfig>, string, string]>([
    ['seats', { seats: 9 }, '9', 'at most 8'],
    ['tick rate', { tickRate: 61 }, '61', 'at most 60'],
    ['bytes of options', { options: new Uint8Array(17) }, '17', 'at most 16'],
    [
      'ms to keep it empty',
      { lobby: { ...lobbyDefaults, emptyMs: 10_001 } },
      '10001',
      'at most 10000',
    ],
  ])(
    'more %s than the operator allows are refused, with both numbers',
    (item, changes, theirs, ours) => {
      const world = new RelayWorld({ caps })
      const ada = world.join({ config: { ...testConfig, ...changes } })
      const what = item === 'tick rate' ? `a tick rate of ${theirs}` : `${theirs} ${item}`
      const message = `Cannot create the match: it asks for ${what}; this relay allows ${ours}`
      expect(ada.body('RelayRefuse')).toEqual({ reason: 'no-match', item, theirs, ours, message })
      expect([ada.closedWith, world.relay.matches.size]).toEqual([closeCodes['no-match'], 0])
    },
  )

  test('a tick rate above the ticks per second is refused', () => {
    const world = new RelayWorld({ caps: { ...caps, tickRateMax: 240 } })
    const ada = world.join({ config: { ...testConfig, tickRate: 91 } })
    expect(ada.body('RelayRefuse')).toMatchObject({ item: 'ticks per second', ours: 'at most 90' })
  })

  test('more spectators than the operator allows are no reason to refuse: so many are let in', () => {
    const world = new RelayWorld({ caps })
    const ada = world.join({ config: { ...testConfig, seats: 2 } })
    expect(ada.body('RelaySeated')?.config.lobby.spectatorsMax).toBe(5)
  })

  test('what the protocol allows is allowed where nobody says otherwise', () => {
    const config = { ...testConfig, seats: 64, tickRate: 240, options: new Uint8Array(1_024) }
    expect(new RelayWorld().join({ config }).body('RelaySeated')).toBeDefined()
    expect(capsOfProtocol.ticksPerSecondMax).toBe(2_400)
  })

  test('a speed above the ticks per second is denied with the most, to the owner and to a vote', () => {
    const world = new RelayWorld({ caps })
    const config = { ...testConfig, tickRate: 30 }
    const [ada, bob] = [world.join({ config }), world.join({ config })]
    for (const client of [ada, bob]) client.isConfirming = true
    world.run(500)
    ada.act({ type: 'set-speed', percent: 301 })
    expect(ada.last('RelayDenied')).toEqual({ action: 'set-speed', reason: 'speed-max-300' })
    bob.act({ type: 'propose', vote: 'speed', target: 0, percent: 1_000 })
    expect(bob.last('RelayDenied')).toEqual({ action: 'propose', reason: 'speed-max-300' })
    ada.act({ type: 'set-speed', percent: 300 })
    world.run(100)
    expect(world.relay.matches.get('friday')?.ticksPerSecond).toBe(90)
  })

  test('an owner cannot set more options later than a match may be made with', () => {
    const world = new RelayWorld({ caps })
    const config = { ...testConfig, lobby: { ...lobbyDefaults, start: 'by-owner' as const } }
    const ada = world.join({ config })
    ada.act({ type: 'set-options', options: new Uint8Array(17) })
    expect(ada.last('RelayDenied')).toEqual({ action: 'set-options', reason: 'too-large' })
  })
})

describe('a relay that is visited and left', () => {
  const config = {
    ...testConfig,
    lobby: { ...lobbyDefaults, start: 'by-owner' as const, emptyMs: 10_000 },
  }

  test('10 000 visits that join a match of their own and leave it leave nothing behind', () => {
    const world = new RelayWorld({ caps, matchesMax: 16 })
    for (let visit = 0; visit < 10_000; visit++) {
      const client = world.join({ match: `m${visit}`, config })
      expect(client.body('RelaySeated')).toBeDefined()
      client.say('ClientLeave', { reason: '' })
      world.forget(client)
    }
    expect([world.relay.matches.size, world.relay.linkCount]).toEqual([0, 0])
  })

  test('an address makes so many matches in a minute, although each is over at once', () => {
    const world = new RelayWorld({ caps, matchesPerMinute: 30 })
    const visit = (match: string) => {
      const client = world.join({ match, config, address: '10.0.0.1' })
      client.say('ClientLeave', { reason: '' })
      return client
    }
    const visits = Array.from({ length: 31 }, (_, index) => visit(`m${index}`))
    expect(visits.filter((client) => client.body('RelaySeated'))).toHaveLength(30)
    expect(visits[30]?.body('RelayRefuse')).toMatchObject({
      reason: 'rate',
      item: 'matches per minute',
      ours: 'at most 30',
    })
    expect(visits[30]?.closedWith).toBe(closeCodes.rate)
    world.run(2_000)
    expect(visit('again').body('RelaySeated')).toBeDefined()
  })
})

describe('a match that an operator makes', () => {
  test('waits for its players, whatever strangers may make, and is what they find', () => {
    const world = new RelayWorld({ mayCreate: () => false, caps })
    const config = { ...testConfig, seats: 16 }
    const make = (name: string) =>
      world.act((relay, nowMs) => relay.createMatch(name, testIdentity, config, 60_000, nowMs))
    expect(make('friday')).toBeUndefined()
    world.run(59_000)
    const ada = world.join()
    expect(ada.body('RelaySeated')?.config.seats).toBe(16)
    expect(world.join({ match: 'monday' }).body('RelayRefuse')).toMatchObject({
      reason: 'no-match',
      message: "Cannot let you in: there is no match 'monday', and you may not create it",
    })
    ada.say('ClientLeave', { reason: '' })
    world.run(59_000)
    expect(world.relay.matches.size).toBe(1)
    world.run(2_000)
    expect(world.relay.matches.size).toBe(0)
  })

  test('cannot have a name that is taken or none, or a config that contradicts itself', () => {
    const world = new RelayWorld({ matchesMax: 2 })
    const make = (name: string, changes: Partial<MatchConfig> = {}) =>
      world.act((relay, nowMs) =>
        relay.createMatch(name, testIdentity, { ...testConfig, ...changes }, 1_000, nowMs),
      )
    expect(make('friday')).toBeUndefined()
    expect(make('friday')).toMatchObject({
      reason: 'no-match',
      ours: 'a name that is free',
      message: "Cannot create the match: there is a match 'friday' already",
    })
    expect(make('')).toMatchObject({ reason: 'bad-message', item: 'match name' })
    expect(make('monday', { inputDelay: 9 })).toMatchObject({ item: 'input delay' })
    expect(make('monday')).toBeUndefined()
    expect(make('sunday')).toMatchObject({ reason: 'match-full', item: 'matches' })
  })
})
