import { expect, test, vi } from 'vitest'
import type { Connection, Dial } from '../../transport/connection.ts'
import { dialAhead } from './dial-ahead.ts'

/** A dialler that counts, and whose connections only know how to close. */
function makeDial() {
  const closed: number[] = []
  const signals: (AbortSignal | undefined)[] = []
  const dial: Dial = async (signal) => {
    const number = signals.push(signal)
    return { close: () => closed.push(number) } as unknown as Connection
  }
  return { dial, closed, signals }
}

test('it dials at once, gives that line to the first who asks, and dials for all after', async () => {
  const { dial, signals, closed } = makeDial()
  const ahead = dialAhead(dial)
  expect(signals).toHaveLength(1)
  const first = await ahead.dial()
  expect(signals).toHaveLength(1)
  expect(await ahead.dial()).not.toBe(first)
  expect(signals).toHaveLength(2)
  ahead.release()
  await Promise.resolve()
  expect(closed).toEqual([])
})

test('a line that nobody asked for is hung up, dialled or not yet', async () => {
  const { dial, signals, closed } = makeDial()
  const ahead = dialAhead(dial)
  ahead.release()
  expect(signals[0]?.aborted).toBe(true)
  await vi.waitFor(() => expect(closed).toEqual([1]))
  await ahead.dial()
  expect(signals).toHaveLength(2)
})

test('whoever asks can still stop it', () => {
  const { dial, signals } = makeDial()
  const leaving = new AbortController()
  dialAhead(dial).dial(leaving.signal)
  expect(signals[0]?.aborted).toBe(false)
  leaving.abort()
  expect(signals[0]?.aborted).toBe(true)
  dialAhead(dial).dial(leaving.signal)
  expect(signals[1]?.aborted).toBe(true)
})

test('a line that could not be had is told to whoever asks, and to nobody else', async () => {
  const ahead = dialAhead(() => Promise.reject(new Error('no route')))
  await new Promise((resolve) => setTimeout(resolve, 5))
  await expect(ahead.dial()).rejects.toThrow('no route')
})
