import { expect, test } from 'vitest'
import { clientStatuses, closeCodes, closeReasons, orderRefusals, presences } from './codes.ts'

test('close codes never change: they are in the logs of every operator', () => {
  expect(closeCodes).toEqual({
    'bad-message': 4001,
    rate: 4002,
    auth: 4003,
    version: 4004,
    replaced: 4005,
    'too-slow': 4006,
    kicked: 4007,
    desync: 4008,
    'match-over': 4009,
    shutdown: 4010,
    'reconnect-budget': 4011,
    'wrong-origin': 4012,
    'match-full': 4013,
    'no-match': 4014,
    'behind-log': 4015,
    left: 4016,
    'no-state': 4017,
    moved: 4018,
  })
})

test('the wire numbers close reasons in the sequence of their codes', () => {
  expect(closeReasons.map((reason) => closeCodes[reason])).toEqual(
    Array.from({ length: 18 }, (_, index) => 4001 + index),
  )
})

test('reasons for refusing an order are appended, never moved', () => {
  // Three bits on the wire: a ninth needs another protocol.
  expect(orderRefusals).toEqual([
    'queue-full',
    'too-large',
    'no-seat',
    'not-running',
    'rate',
    'wrong-order',
    'paused',
    'forbidden',
  ])
})

test('what clients are busy with is appended, never moved, and fits three bits', () => {
  expect(clientStatuses.slice(0, 5)).toEqual(['active', 'catching-up', 'hidden', 'slow', 'loading'])
  expect(clientStatuses.length).toBeLessThanOrEqual(8)
})

test('how somebody is seen is appended, never moved, and fits three bits', () => {
  const known = ['active', 'lagging', 'silent', 'hidden', 'catching-up', 'gone']
  expect(presences).toEqual([...known, 'authorised', 'downloading'])
  expect(presences.length).toBeLessThanOrEqual(8)
})
