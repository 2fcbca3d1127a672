import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { witnessesMax } from '../wire/limits.ts'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import { admittanceFault, authorizationsMax } from './links/authorization.ts'
import { capsOfProtocol } from './links/match-caps.ts'
import { testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'

const isAuthorizing = true
const lobby = { ...lobbyDefaults, start: 'by-owner' as const }
const config = { ...testConfig, seats: 4, lobby }

describe('JOIN-18 a join that somebody else decides about', () => {
  test('asks with token, match, role and name, and waits while everybody else goes on', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join({ token: 'sesame', name: 'Ada', role: 'player' })
    expect(world.asked).toEqual([
      {
        link: ada.link,
        token: 'sesame',
        match: 'friday',
        isNew: true,
        role: 'player',
        name: 'Ada',
        gameId: 'chess',
      },
    ])
    expect([ada.messages.map(({ name }) => name), world.relay.matches.size]).toEqual([
      ['RelayWelcome'],
      0,
    ])
    world.answer(ada, {})
    expect(ada.body('RelaySeated')?.seat).toBe(0)
  })

  test('is given the seat, team, name and role of the answer, not those it asked for', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join({ config, name: 'root' })
    world.answer(ada, { identity: 'account 7', name: 'Ada', seat: 2, team: 1 })
    expect(ada.body('RelaySeated')?.seat).toBe(2)
    const eve = world.join({ config, name: 'eve' })
    world.answer(eve, { role: 'spectator' })
    world.run(1_000)
    const members = ada.last('RelayRoom')?.members
    expect(members?.map(({ name, role, seat, team }) => [name, role, seat, team])).toEqual([
      ['Ada', 'player', 2, 1],
      ['eve', 'spectator', undefined, 0],
    ])
    const bob = world.join({ config })
    world.answer(bob, { seat: 2 })
    expect(bob.body('RelayRefuse')).toMatchObject({ reason: 'match-full', ours: 'seat-taken' })
  })

  test('is refused with the sentence of the answer and close code 4003', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join()
    world.answer(ada, { refused: 'your subscription ended on Friday' })
    expect(ada.body('RelayRefuse')).toMatchObject({
      reason: 'auth',
      message: 'Cannot let you in: your subscription ended on Friday',
    })
    expect([ada.closedWith, world.relay.matches.size]).toEqual([closeCodes.auth, 0])
  })

  test('makes a match only with permission, and within limits of its own', () => {
    const mayCreate = (_: string, permission: boolean | undefined) => permission === true
    const caps = { ...capsOfProtocol, seatsMax: 2 }
    const world = new RelayWorld({ isAuthorizing, mayCreate, caps })
    const refused = world.join({ config })
    world.answer(refused, { identity: 'guest' })
    expect(refused.body('RelayRefuse')).toMatchObject({ reason: 'no-match' })
    const tooLarge = world.join({ config })
    world.answer(tooLarge, { mayCreate: true })
    expect(tooLarge.body('RelayRefuse')).toMatchObject({ item: 'seats', ours: 'at most 2' })
    const host = world.join({ config })
    world.answer(host, { mayCreate: true, limits: { seatsMax: 4 } })
    expect(host.body('RelaySeated')).toBeDefined()
    const guest = world.join({ config })
    world.answer(guest, { identity: 'guest' })
    expect(guest.body('RelaySeated')).toBeDefined()
  })

  test('that nobody answers is let go without blame, before its client gives up', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join()
    world.run(3_999)
    expect(ada.closedWith).toBeUndefined()
    world.run(2)
    expect([ada.closedWith, ada.body('RelayRefuse')]).toEqual([closeCodes['too-slow'], undefined])
    world.answer(ada, {})
    expect([world.relay.linkCount, world.relay.matches.size]).toEqual([0, 0])
  })

  test('is one of so many at once: who comes beyond is let go, and nobody who waits', () => {
    const world = new RelayWorld({ isAuthorizing })
    const waiting = Array.from({ length: authorizationsMax }, () => world.join())
    const late = world.join()
    expect([late.closedWith, world.asked.length]).toEqual([
      closeCodes['too-slow'],
      authorizationsMax,
    ])
    world.answer(waiting[0]!, {})
    expect(waiting[0]?.body('RelaySeated')).toBeDefined()
    expect(world.join().closedWith).toBeUndefined()
  })

  test('whose link breaks meanwhile leaves nothing behind, and its answer is ignored', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join()
    world.breakLink(ada)
    world.answer(ada, {})
    expect([world.relay.linkCount, world.relay.matches.size]).toEqual([0, 0])
  })

  test('who says anything while it waits is closed for it', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join()
    ada.join()
    expect(ada.closedWith).toBe(closeCodes['bad-message'])
  })
})

describe('who is known', () => {
  test('comes back by its ticket without being asked for again', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join({ config })
    world.answer(ada, { identity: 'account 7' })
    world.breakLink(ada)
    const ticket = ada.body('RelaySeated')?.ticket
    const back = world.join({ config, ticket })
    expect([world.asked.length, back.body('RelaySeated')?.seat]).toEqual([1, 0])
  })

  test('has one place in a match: another link with the same identity takes it over', () => {
    const world = new RelayWorld({ isAuthorizing })
    const ada = world.join({ config })
    world.answer(ada, { identity: 'account 7' })
    const again = world.join({ config })
    world.answer(again, { identity: 'account 7' })
    expect([ada.closedWith, again.body('RelaySeated')?.seat]).toEqual([closeCodes.replaced, 0])
    const other = world.join({ config })
    world.answer(other, { identity: 'account 8' })
    expect(other.body('RelaySeated')?.seat).toBe(1)
  })
})

test.each([
  [{ identity: '' }, /an identity of 0 bytes/],
  [{ identity: 'x'.repeat(129) }, /an identity of 129 bytes/],
  [{ name: 'a\u202e' }, /a name that no player may have/],
  [{ role: 'owner' as 'player' }, /the role owner/],
  [{ seat: 64 }, /the seat 64; it must be 0 to 63/],
  [{ team: -1 }, /the team -1/],
  [{ seat: 0.5 }, /the seat 0.5/],
])('an answer that cannot be is told from one that can: %j', (answer, fault) => {
  expect(admittanceFault(answer)).toMatch(fault)
  expect(admittanceFault({ identity: 'x', name: 'Ada', seat: 63, team: 0 })).toBeUndefined()
})

describe('a witness', () => {
  test('needs leave: asking is not enough, with or without somebody who decides', () => {
    const open = new RelayWorld()
    open.join({ config })
    const eve = open.join({ config, role: 'witness' })
    expect(eve.body('RelayRefuse')).toMatchObject({ reason: 'auth', item: 'role' })
    const asked = new RelayWorld({ isAuthorizing })
    asked.answer(asked.join({ config }), {})
    const mallory = asked.join({ config, role: 'witness' })
    asked.answer(mallory, {})
    expect(mallory.body('RelayRefuse')).toMatchObject({ reason: 'auth', item: 'role' })
  })

  test('is let in by the answer, or by a relay that takes anyone', () => {
    const asked = new RelayWorld({ isAuthorizing })
    asked.answer(asked.join({ config }), {})
    const eve = asked.join({ config, role: 'witness', name: 'eve' })
    asked.answer(eve, { role: 'witness' })
    expect(eve.body('RelaySeated')?.seat).toBeUndefined()
    const open = new RelayWorld({ witnesses: 'anyone' })
    open.join({ config })
    expect(open.join({ config, role: 'witness' }).body('RelaySeated')).toBeDefined()
    const closed = new RelayWorld({ witnesses: 'nobody', isAuthorizing })
    closed.answer(closed.join({ config }), {})
    const bob = closed.join({ config, role: 'witness' })
    closed.answer(bob, { role: 'witness' })
    expect(bob.body('RelayRefuse')).toMatchObject({ reason: 'auth' })
  })

  test('makes no match, takes no seat and no place of a spectator, and there are four at the most', () => {
    const world = new RelayWorld({ witnesses: 'anyone' })
    const early = world.join({ config, role: 'witness' })
    expect(early.body('RelayRefuse')).toMatchObject({ reason: 'no-match' })
    expect(world.relay.matches.size).toBe(0)
    const narrow = { ...config, lobby: { ...lobby, spectatorsMax: 1 } }
    world.join({ config: narrow })
    for (let count = 0; count < witnessesMax; count++) {
      expect(world.join({ config: narrow, role: 'witness' }).body('RelaySeated')).toBeDefined()
    }
    const fifth = world.join({ config: narrow, role: 'witness' })
    expect(fifth.body('RelayRefuse')).toMatchObject({ reason: 'match-full' })
    expect(world.join({ config: narrow, role: 'spectator' }).body('RelaySeated')).toBeDefined()
  })
})
