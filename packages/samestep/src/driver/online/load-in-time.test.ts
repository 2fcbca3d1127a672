import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadInTime } from './load-in-time.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function start(load: () => Promise<string>, timeoutMs = 10_000) {
  const warnings: string[] = []
  const leaving = new AbortController()
  const { signal } = leaving
  const loading = loadInTime(load, { timeoutMs, signal, warn: (text) => warnings.push(text) })
  const outcome = loading.catch((error) => error)
  return { outcome, warnings, leaving }
}

test('what comes at once is given, and no timer is left', async () => {
  const { outcome, warnings } = start(async () => 'all')
  expect(await outcome).toBe('all')
  expect([vi.getTimerCount(), warnings.length]).toEqual([0, 0])
})

test('a file that cannot be had is asked for again, after longer and longer pauses', async () => {
  const askedMs: number[] = []
  const began = Date.now()
  const { outcome } = start(async () => {
    if (askedMs.push(Date.now() - began) < 4) throw new Error('404')
    return 'all'
  })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await outcome).toBe('all')
  expect(askedMs).toEqual([0, 250, 750, 1_750])
})

test('one that neither comes nor fails is told after two seconds, and given up in time', async () => {
  const { outcome, warnings } = start(() => new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(warnings).toEqual(['[samestep] Still loading what plays a match'])
  await vi.advanceTimersByTimeAsync(8_000)
  expect(await outcome).toMatchObject({ name: 'JoinError', reason: 'timeout' })
  expect(vi.getTimerCount()).toBe(0)
})

test('when the time is up the last reason is told', async () => {
  const { outcome } = start(() => Promise.reject(new Error('no such file')), 3_000)
  await vi.advanceTimersByTimeAsync(3_000)
  const error = await outcome
  expect(error.message).toBe('Cannot join: a part of the page could not be loaded: no such file')
  expect(error.cause).toMatchObject({ message: 'no such file' })
})

test('who leaves ends it at once, before and meanwhile', async () => {
  const { outcome, leaving } = start(() => new Promise(() => {}), Number.POSITIVE_INFINITY)
  leaving.abort()
  expect(await outcome).toMatchObject({ reason: 'aborted' })
  expect(vi.getTimerCount()).toBe(0)
  const load = vi.fn(async () => 'all')
  const late = loadInTime(load, { timeoutMs: 1, signal: leaving.signal, warn: () => {} })
  await expect(late).rejects.toMatchObject({ reason: 'aborted' })
  expect(load).not.toHaveBeenCalled()
})
