import { describe, expect, test } from 'vitest'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { WaitingTurns } from '../links/waiting-turns.ts'
import { optionDefaults } from '../relay-options.ts'
import { testConfig, testIdentity } from '../testing/match-kit.ts'
import { Match } from './match.ts'
import { MatchTable } from './match-table.ts'
import type { MatchEvent } from './match-types.ts'

function make(matchesMax = 10, matchesPerAddress = 10) {
  const events: (readonly [string, MatchEvent])[] = []
  let next = 0
  const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => next++)
  const mayCreate = (name: string) => name !== 'sunday'
  const limits = { matchesMax, matchesPerAddress, waitingOrdersMax: 5 }
  const meterMs = () => 0
  const options = { ...optionDefaults, ...limits, randomBytes, meterMs, mayCreate }
  const table = new MatchTable(options, new WaitingTurns(), (name, event) => {
    events.push([name, event])
  })
  const find = (changes: Partial<MessageBody<'ClientJoin'>> = {}, address?: string) =>
    table.find(testIdentity, { ...join, ...changes }, { address, driverMs: 0 }, 1_000)
  const findMatch = (name: string) => {
    const found = find({ match: name })
    expect(found).toBeInstanceOf(Match)
    return found as Match
  }
  return { table, find, findMatch, events }
}

const join: MessageBody<'ClientJoin'> = {
  match: 'friday',
  name: 'ada',
  role: 'player',
  config: testConfig,
  ticket: undefined,
  secret: undefined,
  nextTick: 1,
  token: undefined,
  software: undefined,
}

describe('a match', () => {
  test('is made as the first one asks, and found by its name from then on', () => {
    const { table, find, findMatch } = make()
    const match = findMatch('friday')
    expect(match.config).toBe(testConfig)
    expect(find({ config: { ...testConfig, seats: 9 } })).toBe(match)
    const other = findMatch('monday')
    expect([match.id === other.id, match.seed === other.seed]).toEqual([false, false])
    expect([...table.byName.keys()]).toEqual(['friday', 'monday'])
  })

  test('tells under its name', () => {
    const { findMatch, events } = make()
    findMatch('friday').admit('ada', 'player', new Uint8Array(16), 1_000)
    findMatch('friday').admit('bob', 'player', new Uint8Array(16), 1_000)
    expect(events).toEqual([
      ['friday', { type: 'phase', phase: 'running' }],
      ['friday', { type: 'started', tick: 1 }],
    ])
  })

  test('is not made for who comes back to it', () => {
    const { table, find } = make()
    expect(find({ ticket: new Uint8Array(16), nextTick: 7 })).toMatchObject({ reason: 'no-match' })
    expect(table.byName.size).toBe(0)
  })

  test('is not made when whoever runs the relay does not want it', () => {
    const { table, find } = make()
    expect(find({ match: 'sunday' })).toMatchObject({ reason: 'no-match', theirs: 'sunday' })
    expect(table.byName.size).toBe(0)
  })

  test('is not made when there are enough, or from a config that makes no sense', () => {
    const { find } = make(1)
    expect(find({ config: { ...testConfig, inputDelay: 9 } })).toMatchObject({
      reason: 'bad-message',
      item: 'input delay',
    })
    find()
    expect(find({ match: 'monday' })).toMatchObject({ reason: 'match-full', item: 'matches' })
    expect(find()).toBeInstanceOf(Match)
  })
})

describe('deadlines', () => {
  test('a match that nobody gets into is served in time to be closed', () => {
    const { table, findMatch } = make()
    const match = findMatch('friday')
    expect(table.soonestMs()).toBe(match.wakeAtMs())
    expect(table.soonestMs()).toBeLessThan(7_000)
    match.handleTime(6_000)
    expect(match.phase).toBe('ended')
  })

  test('each match is due once, and again when it is scheduled', () => {
    const { table, findMatch } = make()
    const match = findMatch('friday')
    const dueMs = table.soonestMs()
    expect(table.takeDue(dueMs - 1)).toBeUndefined()
    expect(table.soonest()).toBe(match)
    expect(table.takeDue(dueMs)).toBe(match)
    expect([table.takeDue(dueMs), table.soonest()]).toEqual([undefined, undefined])
    expect(table.soonestMs()).toBe(Number.POSITIVE_INFINITY)
    table.schedule(match)
    expect(table.takeDue(dueMs)).toBe(match)
  })

  test('one that was deleted is never due again, also when its name is taken anew', () => {
    const { table, findMatch } = make()
    const old = findMatch('friday')
    table.delete(old)
    table.schedule(old)
    expect([table.soonestMs(), table.byName.size]).toEqual([Number.POSITIVE_INFINITY, 0])
    const match = findMatch('friday')
    table.schedule(old)
    expect(table.takeDue(1e9)).toBe(match)
    expect(table.takeDue(1e9)).toBeUndefined()
  })
})

describe('limits per address', () => {
  test('[T-57] an address makes so many matches, until one of them is over', () => {
    const { table, find } = make(10, 2)
    const made = ['a', 'b', 'c'].map((match) => find({ match }, '10.0.0.1'))
    expect(made.map((found) => found instanceof Match)).toEqual([true, true, false])
    expect(made[2]).toMatchObject({
      reason: 'match-full',
      item: 'matches of your address',
      theirs: '2',
      ours: 'at most 2',
    })
    expect(find({ match: 'a' }, '10.0.0.1')).toBe(made[0])
    expect(find({ match: 'c' }, '10.0.0.2')).toBeInstanceOf(Match)
    table.delete(made[0] as Match)
    expect(find({ match: 'd' }, '10.0.0.1')).toBeInstanceOf(Match)
  })

  test('who has no address that counts is not limited', () => {
    const { find } = make(10, 2)
    const made = ['a', 'b', 'c'].map((match) => find({ match }))
    expect(made.every((found) => found instanceof Match)).toBe(true)
  })
})

test('who finds no match, and may make none, reads why', () => {
  const says = (found: unknown) => (found as { readonly message: string }).message
  const ticket = new Uint8Array(16)
  expect(says(make().find({ match: 'SIGKILL', ticket, nextTick: 9 }))).toBe(
    "Cannot let you in: the match 'SIGKILL' no longer exists: it has ended, or the relay was restarted",
  )
  expect(says(make().find({ match: 'sunday' }))).toBe(
    "Cannot let you in: there is no match 'sunday', and you may not create it",
  )
  expect(says(make(0).find())).toBe(
    'Cannot let you in: the relay has 0 matches already, and takes no more',
  )
  const { find } = make(10, 1)
  find({}, '10.0.0.1')
  expect(says(find({ match: 'monday' }, '10.0.0.1'))).toBe(
    'Cannot let you in: your address has as many matches as it may make: 1',
  )
})
