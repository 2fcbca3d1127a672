import { describe, expect, test } from 'vitest'
import { struct } from '../packages/samestep/src/sim/schema/index.ts'
import { changedShare, makeTrace, traceOrder } from './traces.ts'
import { otherCodecs } from './wire-codecs.ts'

/** One minute: enough for shares to settle. */
const ticks = 1_800

describe.each([
  ['doom', 0.46, 0.43],
  ['arcade', 0.3, 0.24],
  ['rts', 0.083, 0.4],
  ['idle', 0, 0],
] as const)('the trace of %s', (name, share, bytes) => {
  const trace = makeTrace(name, ticks)

  test('is of eight players who do as much as they should', () => {
    expect(trace.inputs).toHaveLength(8 * ticks)
    expect(trace.orders).toHaveLength(8 * ticks)
    expect(Math.abs(changedShare(trace) - share)).toBeLessThan(0.02)
  })

  test('holds about as much as it should', () => {
    // A minute shows less of what can happen than ten do.
    expect(trace.entropyBits / 8).toBeGreaterThanOrEqual(bytes * 0.9)
    expect(trace.entropyBits / 8).toBeLessThanOrEqual(bytes * 1.1)
  })

  test('is the same for the same seed, and another for another', () => {
    const start = makeTrace(name, 50)
    expect(makeTrace(name, 50)).toEqual(start)
    const other = makeTrace(name, 50, 2)
    if (name !== 'idle')
      expect([other.inputs, other.orders]).not.toEqual([start.inputs, start.orders])
  })

  test('has inputs and orders that fit their fields', () => {
    const input = struct(trace.fields)
    for (const held of trace.inputs) if (!input.accepts(held)) expect.unreachable(name)
    for (const order of trace.orders) {
      if (order !== undefined && !traceOrder.accepts(order)) expect.unreachable(name)
    }
  })
})

test('other codecs take what their formats say', () => {
  const idle = makeTrace('idle', 10)
  const bytes = Object.entries(otherCodecs).map(([name, sizeOf]) => [name, sizeOf(idle) / 80])
  expect(Object.fromEntries(bytes)).toMatchObject({
    'Astranyx FrameInput': 9,
    'fixed struct': 5.25,
    // Eight bytes of head and a mask for each of eight players, and everything in the first tick.
    'Chocolate Doom diff': 2 + 5 / 10,
  })
})
