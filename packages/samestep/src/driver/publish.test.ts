import { expect, test } from 'vitest'
import type { ClientEvent } from '../client/events.ts'
import { Emitter } from './emitter.ts'
import type { MatchEvents } from './match.ts'
import { publish } from './publish.ts'

const types: readonly (keyof MatchEvents)[] = [
  'tick',
  'status',
  'room',
  'launched',
  'aborted',
  'said',
  'vote',
  'denied',
  'stats',
  'bot',
  'fallback',
  'closed',
]

/** What listeners hear of an event, in sequence. */
function heard(event: ClientEvent): [string, unknown][] {
  const events = new Emitter<MatchEvents>()
  const told: [string, unknown][] = []
  for (const type of types) events.on(type, (what) => told.push([type, what]))
  publish(events, event, () => 'active')
  return told
}

test('what carries something for the game arrives as that, without its wrapping', () => {
  const report = { tick: 3, outcomes: [], faults: [], systemHashes: undefined } as never
  expect(heard({ type: 'tick', report })).toEqual([['tick', report]])
  const room = { phase: 'lobby' } as never
  expect(heard({ type: 'room', room })).toEqual([['room', room]])
  const vote = { kind: 'kick' } as never
  expect(heard({ type: 'vote', vote })).toEqual([['vote', vote]])
  const stats = { inputDelay: 3 } as never
  expect(heard({ type: 'stats', stats })).toEqual([['stats', stats]])
})

test.each<ClientEvent>([
  { type: 'said', member: 1, scope: 'all', text: 'hello' },
  { type: 'denied', action: 'kick', reason: 'not-owner' },
  { type: 'bot', seat: 2, isHere: true },
])('a $type event is passed on as it is', (event) => {
  expect(heard(event)).toEqual([[event.type, event]])
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

test('what only drivers and pacing need is told to nobody', () => {
  expect(heard({ type: 'want-link' })).toEqual([])
  expect(heard({ type: 'input-missed', tick: 4 })).toEqual([])
})
