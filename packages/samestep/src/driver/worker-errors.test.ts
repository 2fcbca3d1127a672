import { expect, test } from 'vitest'
import { UsageError } from '../base/errors.ts'
import { JoinError } from './join-match.ts'
import { packError, packFaults, unpackError, unpackFaults } from './worker-errors.ts'

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

test('a report crosses with its faults; one without is not touched', () => {
  const quiet = { tick: 3, outcomes: [], faults: [], systemHashes: [] }
  expect([packFaults(quiet), unpackFaults(quiet)]).toEqual([quiet, quiet])
  const fault = { tick: 3, where: 'step', name: 'move', error: new TypeError('of null') } as const
  const report = unpackFaults(structuredClone(packFaults({ ...quiet, faults: [fault] })))
  expect(String(report.faults[0]?.error)).toBe('TypeError: of null')
})
