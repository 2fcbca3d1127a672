import { describe, expect, test } from 'vitest'
import { AckSchedule } from './ack-schedule.ts'

describe('AckSchedule', () => {
  test('owes nothing before something comes', () => {
    expect(new AckSchedule().dueAtMs).toBe(Number.POSITIVE_INFINITY)
  })

  test('answers something reliable within 25 ms, a tick within 200 ms, the soonest counts', () => {
    const acks = new AckSchedule()
    acks.handleReceived(false, 100)
    expect(acks.dueAtMs).toBe(300)
    acks.handleReceived(true, 110)
    expect(acks.dueAtMs).toBe(135)
    acks.handleReceived(true, 120)
    expect(acks.dueAtMs).toBe(135)
  })

  test('answers the eighth reliable or the sixteenth packet at once', () => {
    const reliable = new AckSchedule()
    for (let count = 0; count < 8; count++) reliable.handleReceived(true, count)
    expect(reliable.dueAtMs).toBe(7)
    const ticks = new AckSchedule()
    for (let count = 0; count < 15; count++) ticks.handleReceived(false, count)
    expect(ticks.dueAtMs).toBe(200)
    ticks.handleReceived(false, 20)
    expect(ticks.dueAtMs).toBe(20)
  })

  test('any packet that goes out takes the answer along', () => {
    const acks = new AckSchedule()
    acks.handleReceived(true, 0)
    acks.handleSent()
    expect(acks.dueAtMs).toBe(Number.POSITIVE_INFINITY)
    acks.hurry(9)
    expect(acks.dueAtMs).toBe(9)
  })
})
