import { expect, test, vi } from 'vitest'
import { guardEntrance } from './entrance.ts'

test('a guarded callback passes its arguments on', () => {
  const callback = vi.fn()
  guardEntrance(callback, () => expect.unreachable())(1, 'two')
  expect(callback).toHaveBeenCalledWith(1, 'two')
})

test('what a guarded callback throws goes to the fault listener, and no further', () => {
  const faults: unknown[] = []
  const error = new Error('ours')
  const callback = guardEntrance(
    () => {
      throw error
    },
    (fault) => faults.push(fault),
  )
  expect(callback).not.toThrow()
  expect(faults).toEqual([error])
})
