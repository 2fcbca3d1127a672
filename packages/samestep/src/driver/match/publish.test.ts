import { expect, test } from 'vitest'
import type { ClientEvent } from '../../client/events.ts'
import { passedOn } from '../../client/membership/passed-on.ts'
import { Emitter } from './emitter.ts'
import type { MatchEvents } from './match.ts'
import { matchEventNames } from './match.ts'
import { publish } from './publish.ts'

/** What listeners hear of an event, in sequence. */
function heard(event: ClientEvent): [string, unknown][] {
  const events = new Emitter<MatchEvents>()
  const told: [string, unknown][] = []
  for (const type of matchEventNames) events.on(type, (what) => told.push([type, what]))
  publish(
    events,
    event,
    () => 'active',
    (fault) => ({ ...fault, count: 1 }),
  )
  return told
}

test('what carries something for the game arrives as that, without its wrapping', () => {
  const report = { tick: 3, outcomes: [], faults: [], systemHashes: undefined } as never
  expect(heard({ type: 'tick', report })).toEqual([['tick', report]])
})

test('every message of the table is passed on under its name, as it came', () => {
  const body = { anything: true } as never
  for (const type of Object.values(passedOn)) {
    expect(heard({ type, body } as ClientEvent), type).toEqual([[type, body]])
  }
})

test('a bot that moved is told as it is', () => {
  const event: ClientEvent = { type: 'bot', seat: 2, isHere: true }
  expect(heard(event)).toEqual([['bot', event]])
})

test('a launch, and its end, are told first as themselves and then as a new status', () => {
  const launched: ClientEvent = { type: 'launched', seat: 0 }
  expect(heard(launched)).toEqual([
    ['launched', launched],
    ['status', 'active'],
  ])
  expect(heard({ type: 'aborted' }).map(([type]) => type)).toEqual(['aborted', 'status'])
})

test('links that come and go are a status', () => {
  expect(heard({ type: 'seated', seat: 0, matchId: 'm' })).toEqual([['status', 'active']])
  expect(heard({ type: 'link-lost' })).toEqual([['status', 'active']])
})

test('the end says why, before the status says that it is one', () => {
  expect(heard({ type: 'closed', reason: 'kicked', message: 'Bye' })).toEqual([
    ['closed', { reason: 'kicked', message: 'Bye' }],
    ['status', 'active'],
  ])
})

test('an input that came too late is told, with how many there were', () => {
  expect(heard({ type: 'input-missed', tick: 4, count: 2 })).toEqual([
    ['input-missed', { tick: 4, count: 2 }],
  ])
})

test('what only drivers need is told to nobody', () => {
  expect(heard({ type: 'want-link', link: 1 })).toEqual([])
})
