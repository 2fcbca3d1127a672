import { describe, expect, test } from 'vitest'
import { MatchClock } from './match-clock.ts'

/** Ticks that are taken up to a time, when each wakes it. */
function ticksTo(clock: MatchClock, untilMs: number, isComplete = true): number[] {
  const times: number[] = []
  for (let at = clock.wakeAtMs(isComplete); at <= untilMs; at = clock.wakeAtMs(isComplete)) {
    if (clock.takeTick(isComplete, at)) times.push(at)
  }
  return times
}

describe('a match', () => {
  test('has no ticks before it starts', () => {
    const clock = new MatchClock(0)
    expect([clock.isStarted, clock.wakeAtMs(true), clock.takeTick(true, 1e9)]).toEqual([
      false,
      Number.POSITIVE_INFINITY,
      false,
    ])
    expect(clock.setAttended(false, 0)).toBeUndefined()
  })

  test('rests without a link, and goes on from there without making anything up', () => {
    const clock = new MatchClock(0)
    clock.start(20, 0)
    expect(ticksTo(clock, 100)).toEqual([50, 100])
    expect(clock.setAttended(true, 100)).toBeUndefined()
    expect(clock.setAttended(false, 120)).toBe('rests')
    expect([clock.wakeAtMs(true), clock.takeTick(true, 5_000)]).toEqual([
      Number.POSITIVE_INFINITY,
      false,
    ])
    expect(clock.isGoing(true)).toBe(false)
    expect(clock.setAttended(true, 60_000)).toBe('goes-on')
    expect(ticksTo(clock, 60_150)).toEqual([60_000, 60_050, 60_100, 60_150])
  })

  test('a link that is back before the next tick changes nothing', () => {
    const clock = new MatchClock(0)
    clock.start(20, 0)
    clock.setAttended(false, 10)
    clock.setAttended(true, 20)
    expect(ticksTo(clock, 100)).toEqual([50, 100])
  })
})

describe('a tick that waits for inputs', () => {
  test('is sealed when they are there, and tells how long it waited', () => {
    const clock = new MatchClock(200)
    clock.start(20, 0)
    expect([clock.takeTick(false, 50), clock.isWaiting]).toEqual([false, true])
    expect([clock.wakeAtMs(false), clock.isGoing(false)]).toEqual([250, false])
    expect([clock.takeTick(true, 80), clock.waitedMs]).toEqual([true, 30])
  })

  test('is sealed without them after the longest wait, which was for nothing', () => {
    const clock = new MatchClock(200)
    clock.start(20, 0)
    clock.takeTick(false, 50)
    expect(clock.takeTick(false, 249)).toBe(false)
    expect([clock.takeTick(false, 250), clock.waitedMs]).toEqual([true, 0])
  })

  test('waits no longer once nobody has a link', () => {
    const clock = new MatchClock(200)
    clock.start(20, 0)
    clock.takeTick(false, 50)
    clock.setAttended(false, 60)
    expect([clock.isWaiting, clock.wakeAtMs(false)]).toEqual([false, Number.POSITIVE_INFINITY])
  })
})
