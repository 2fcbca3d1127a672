import { describe, expect, test } from 'vitest'
import { closingMsMax, goodbyesMax } from '../limits.ts'
import { Farewell } from './farewell.ts'

describe('Farewell', () => {
  test('is over when its goodbye is confirmed', () => {
    const farewell = new Farewell(4_009, 0)
    expect(farewell.isWaiting).toBe(true)
    farewell.handleSent(5)
    expect(farewell.isWaiting).toBe(false)
    expect(farewell.isInFlight).toBe(true)
    farewell.handleAcked(4)
    expect(farewell.isOver).toBe(false)
    farewell.handleAcked(5)
    expect(farewell.isOver).toBe(true)
    expect(farewell.isWaiting).toBe(false)
    expect(farewell.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('says goodbye a few times and then goes', () => {
    const farewell = new Farewell(4_009, 0)
    for (let packet = 1; packet <= goodbyesMax; packet++) {
      expect(farewell.isOver).toBe(false)
      farewell.handleSent(packet)
      farewell.handleLost(packet - 1)
      expect(farewell.isInFlight).toBe(true)
      farewell.handleLost(packet)
    }
    expect(farewell.isOver).toBe(true)
  })

  test('goes when its time is over, even if it could not say goodbye', () => {
    const farewell = new Farewell(4_009, 100)
    expect(farewell.wakeAtMs()).toBe(100 + closingMsMax)
    farewell.handleTime(99 + closingMsMax)
    expect(farewell.isOver).toBe(false)
    farewell.handleTime(100 + closingMsMax)
    expect(farewell.isOver).toBe(true)
  })
})
