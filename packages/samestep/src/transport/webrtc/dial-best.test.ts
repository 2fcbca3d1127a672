import { expect, test, vi } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { ConnectError } from '../connect-error.ts'
import type { Connection, Dial } from '../connection.ts'
import { makeMemoryPair } from '../memory.ts'
import { Recorder } from '../testing/recorder.ts'
import type { Fallback } from './dial-best.ts'
import { dialBest } from './dial-best.ts'

const never: Dial = () => new Promise(() => {})
const failing: Dial = async () => {
  throw new ConnectError('SS_CONNECT_FAILED', 'x', 'no way')
}

/** A way that opens, and counts how often. */
function working(): { dial: Dial; connection: Connection; other: Connection; count: number } {
  const [connection, other] = makeMemoryPair()
  const way = {
    connection,
    other,
    count: 0,
    dial: async () => {
      way.count += 1
      return connection
    },
  }
  return way
}

test('the first way that opens is used, and nobody hears of a fallback', async () => {
  const [first, second] = [working(), working()]
  const onFallback = vi.fn()
  const dial = dialBest(
    [
      { name: 'webrtc', dial: first.dial },
      { name: 'websocket', dial: second.dial },
    ],
    { onFallback },
  )
  expect(await dial()).toBe(first.connection)
  expect(second.count).toBe(0)
  expect(onFallback).not.toHaveBeenCalled()
})

test('a way that is not open within 3 s is given up for the next one, which is told', async () => {
  vi.useFakeTimers()
  try {
    const second = working()
    const told: Fallback[] = []
    let given: AbortSignal | undefined
    const slow: Dial = (signal) => {
      given = signal
      return never()
    }
    const dial = dialBest(
      [
        { name: 'webrtc', dial: slow },
        { name: 'websocket', dial: second.dial },
      ],
      { onFallback: (fallback) => told.push(fallback) },
    )
    const result = dial()
    await vi.advanceTimersByTimeAsync(2_999)
    expect([second.count, given?.aborted]).toEqual([0, false])
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toBe(second.connection)
    expect(given?.aborted).toBe(true)
    expect(told).toMatchObject([
      { from: 'webrtc', to: 'websocket', error: { code: 'SS_CONNECT_TIMEOUT' } },
    ])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a way that failed is left out for a minute, so that reconnecting does not wait', async () => {
  vi.useFakeTimers()
  try {
    let attempts = 0
    const flaky: Dial = (signal) => {
      attempts += 1
      return failing(signal)
    }
    const second = working()
    const dial = dialBest([
      { name: 'webrtc', dial: flaky },
      { name: 'websocket', dial: second.dial },
    ])
    await dial()
    await dial()
    expect([attempts, second.count]).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(60_001)
    await dial()
    expect([attempts, second.count]).toEqual([2, 3])
  } finally {
    vi.useRealTimers()
  }
})

test('what opens too late is closed, not leaked', async () => {
  const late = working()
  let arrive: (connection: Connection) => void = () => {}
  const second = working()
  const dial = dialBest(
    [
      { name: 'webrtc', dial: () => new Promise((resolve) => (arrive = resolve)) },
      { name: 'websocket', dial: second.dial },
    ],
    { patienceMs: 1 },
  )
  expect(await dial()).toBe(second.connection)
  arrive(late.connection)
  expect(await new Recorder(late.other).ended()).toEqual({ code: 1000, reason: 'too late' })
})

test('the last way gets the time it takes, and its error is the answer', async () => {
  const dial = dialBest([
    { name: 'webrtc', dial: failing },
    {
      name: 'websocket',
      dial: async () => {
        throw new ConnectError('SS_CONNECT_REFUSED', 'ws://x', 'nobody')
      },
    },
  ])
  await expect(dial()).rejects.toMatchObject({ code: 'SS_CONNECT_REFUSED' })
})

test("the caller's own abort ends it, without a fallback", async () => {
  const second = working()
  const onFallback = vi.fn()
  const dial = dialBest(
    [
      { name: 'webrtc', dial: never },
      { name: 'websocket', dial: second.dial },
    ],
    { onFallback },
  )
  const controller = new AbortController()
  const result = dial(controller.signal)
  controller.abort('gone')
  await expect(result).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
  await expect(dial(AbortSignal.abort())).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
  expect(second.count).toBe(0)
  expect(onFallback).not.toHaveBeenCalled()
})

test("a developer's mistake is not covered up by a fallback", async () => {
  const second = working()
  const mistaken: Dial = async () => {
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot')
  }
  const dial = dialBest([
    { name: 'webrtc', dial: mistaken },
    { name: 'websocket', dial: second.dial },
  ])
  await expect(dial()).rejects.toBeInstanceOf(UsageError)
  expect(() => dialBest([])).toThrow(UsageError)
})
