import { expect, test } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import type { TickReport } from '../../sim/game/run/report.ts'
import type { AnyEvent } from '../match/match.ts'
import { JoinError } from '../online/join-error.ts'
import {
  packEnd,
  packError,
  packEvent,
  unpackEnd,
  unpackError,
  unpackEvent,
} from './worker-errors.ts'

const cross = (error: unknown) => unpackError(structuredClone(packError(error)))

test('our errors are what they were on the other side', () => {
  const usage = cross(new UsageError('SS_BAD_ORDER', 'no such order'))
  expect(usage).toBeInstanceOf(UsageError)
  expect(usage).toMatchObject({ code: 'SS_BAD_ORDER', message: 'no such order' })
  const join = cross(new JoinError('match-full', 'full'))
  expect(join).toBeInstanceOf(JoinError)
  expect(join).toMatchObject({ reason: 'match-full', message: 'full' })
})

test('others keep their name, their words and where they were thrown', () => {
  const error = new RangeError('too far')
  expect(cross(error)).toMatchObject({
    name: 'RangeError',
    message: 'too far',
    stack: error.stack,
  })
  expect(cross(() => 1)).toMatchObject({ name: 'Error', message: '() => 1' })
})

test('events and ends cross with what was thrown; the others are not touched', () => {
  const crossed = (event: AnyEvent) => unpackEvent(structuredClone(packEvent(event)))
  const said: AnyEvent = { name: 'said', value: { member: 1, scope: 'all', text: 'hello' } }
  expect(packEvent(said)).toBe(said)
  const error = Object.assign(new TypeError('of null'), { uncloneable: () => {} })
  const fault = { tick: 3, where: 'apply', name: 'move', seat: 1, error } as const
  const outcome = {
    seat: 1,
    id: 0,
    type: 'move',
    result: 'faulted',
    reason: 'apply threw',
  } as const
  const report = {
    tick: 3,
    matchTick: 3,
    outcomes: [{ ...outcome, error }],
    faults: [fault],
    systemHashes: [],
  }
  const again = (value: unknown) => String((value as { error: unknown }).error)
  const tick = crossed({ name: 'tick', value: report }).value as TickReport
  expect(again(tick.faults[0])).toBe('TypeError: of null')
  expect(again(tick.outcomes[0])).toBe('TypeError: of null')
  expect(again(crossed({ name: 'fault', value: { ...fault, count: 2 } }).value)).toMatch(/of null/)
  const end = { result: 'refused', reason: 'apply threw', tick: 3, error } as const
  expect(again(unpackEnd(structuredClone(packEnd(end))))).toMatch(/of null/)
  const closed = { reason: 'setup-failed', message: 'No', error } as const
  expect(again(crossed({ name: 'closed', value: closed }).value)).toMatch(/of null/)
})
