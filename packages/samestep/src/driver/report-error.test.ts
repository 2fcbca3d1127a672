import { expect, test, vi } from 'vitest'
import { reportError } from './report-error.ts'
import { catchReported } from './testing/reported-errors.ts'

test('the platform is told where it wants to know', () => {
  const reported = catchReported()
  const error = new Error('of a listener')
  reportError(error)
  expect(reported).toEqual([error])
})

test('elsewhere it is an uncaught error, but never one of whoever called', () => {
  const queued: (() => void)[] = []
  vi.stubGlobal('reportError', undefined)
  vi.stubGlobal('queueMicrotask', (callback: () => void) => queued.push(callback))
  try {
    reportError(new Error('of a listener'))
  } finally {
    vi.unstubAllGlobals()
  }
  expect(queued).toHaveLength(1)
  expect(queued[0]).toThrow('of a listener')
})
