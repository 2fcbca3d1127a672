import { describe, expect, test } from 'vitest'
import type { MessageBody } from '../wire/messages.ts'
import { Match } from './match.ts'
import { MatchTable } from './match-table.ts'
import type { MatchEvent } from './match-types.ts'
import { testConfig, testIdentity } from './testing/match-kit.ts'
import { WaitingTurns } from './waiting-turns.ts'

function make(matchesMax = 10) {
  const events: (readonly [string, MatchEvent])[] = []
  let next = 0
  const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => next++)
  const mayCreate = (name: string) => name !== 'sunday'
  const limits = { matchesMax, waitingOrdersMax: 5 }
  const options = { ...limits, randomBytes, mayCreate, tellSealed: true, deferTurns: true }
  const table = new MatchTable(options, new WaitingTurns(), (name, event) => {
    events.push([name, event])
  })
  const find = (changes: Partial<MessageBody<'ClientJoin'>> = {}) =>
    table.find(testIdentity, { ...join, ...changes }, 1_000)
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
  nextTick: 1,
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
    expect(table.takeDue(dueMs - 1)).toEqual([])
    expect([...table.takeDue(dueMs)]).toEqual([match])
    expect([...table.takeDue(dueMs), table.soonestMs()]).toEqual([Number.POSITIVE_INFINITY])
    table.schedule(match)
    expect([...table.takeDue(dueMs)]).toEqual([match])
  })

  test('one that was deleted is never due again, also when its name is taken anew', () => {
    const { table, findMatch } = make()
    const old = findMatch('friday')
    table.delete(old)
    table.schedule(old)
    expect([table.soonestMs(), table.byName.size]).toEqual([Number.POSITIVE_INFINITY, 0])
    const match = findMatch('friday')
    table.schedule(old)
    expect([...table.takeDue(1e9)]).toEqual([match])
    expect(table.takeDue(1e9)).toEqual([])
  })
})
