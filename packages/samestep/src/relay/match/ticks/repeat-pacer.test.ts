import { describe, expect, test } from 'vitest'
import { ChannelCounters } from '../../../link/channel-counters.ts'
import { RepeatPacer } from './repeat-pacer.ts'

/** A pacer, asked once per tick of 10 ms. */
function make() {
  const pacer = new RepeatPacer()
  const stats = new ChannelCounters()
  let nowMs = 0
  /** Asks for some time, and gives how often everything was sent. */
  const ask = (ms: number, changes: Partial<ChannelCounters> = {}): number => {
    Object.assign(stats, changes)
    let turns = 0
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 10) {
      if (pacer.takeTurn(stats, nowMs)) turns += 1
    }
    return turns
  }
  return { ask }
}

describe('everything is sent again', () => {
  test('in every tick before anything is known, and on a path whose round trip stays', () => {
    const { ask } = make()
    expect(ask(1_000)).toBe(100)
    expect(ask(60_000, { rttMs: 900, rttVariationMs: 20 })).toBe(6_000)
  })

  test('in every tick while the round trip is a little longer, or varies that much', () => {
    const { ask } = make()
    ask(1_000, { rttMs: 50, rttVariationMs: 5 })
    expect(ask(1_000, { rttMs: 150 })).toBe(100)
    expect(ask(1_000, { rttMs: 400, rttVariationMs: 300 })).toBe(100)
  })

  test('once per round trip while the path is full, and in every tick when it no more is', () => {
    const { ask } = make()
    ask(1_000, { rttMs: 50, rttVariationMs: 0 })
    expect(ask(3_000, { rttMs: 300 })).toBeLessThanOrEqual(11)
    expect(ask(4_000, { rttMs: 400, rttVariationMs: 100 })).toBeLessThanOrEqual(6)
    expect(ask(1_000, { rttMs: 60, rttVariationMs: 10 })).toBe(100)
  })

  test('every two seconds however long the round trip is', () => {
    const { ask } = make()
    ask(1_000, { rttMs: 50, rttVariationMs: 0 })
    const turns = ask(8_000, { rttMs: 4_000, rttVariationMs: 900 })
    expect([4, 5]).toContain(turns)
  })

  test('once per round trip where nearly all is lost', () => {
    const { ask } = make()
    ask(1_000, { rttMs: 100, rttVariationMs: 0, lossShare: 0.5 })
    expect(ask(1_000)).toBe(100)
    expect(ask(1_000, { lossShare: 0.9 })).toBeLessThanOrEqual(11)
  })

  test('in every tick again when the longer round trip has lasted: the path is another', () => {
    const { ask } = make()
    ask(1_000, { rttMs: 50, rttVariationMs: 0 })
    ask(20_000, { rttMs: 300 })
    expect(ask(1_000)).toBe(100)
  })
})
