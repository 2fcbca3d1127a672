import { expect, test } from 'vitest'
import { calmPath, pathOf } from './conditions.ts'

test('the way back is as the way there, unless it is given', () => {
  const there = { latencyMs: 40, loss: 0.1 }
  expect(pathOf({ kind: 'stream', there }, 'back')).toEqual({ ...calmPath, ...there })
  expect(pathOf({ kind: 'stream', there, back: {} }, 'back')).toEqual(calmPath)
  expect(pathOf({ kind: 'datagram' }, 'there')).toEqual(calmPath)
})
