import { describe, expect, test } from 'vitest'
import { RecordingChannel } from '../testing/recording-channel.ts'
import { makeSession } from '../testing/session-kit.ts'

/** A session, and what its client was told of its seat since the last call. */
function make() {
  const session = makeSession()
  const channel = new RecordingChannel('stream')
  session.attach(1, channel, 0)
  return { session, take: () => channel.takeControls('RelaySeat') }
}

describe('a seat that changes hands', () => {
  test('is told in its tick, and not before, to who runs the ticks', () => {
    const { session, take } = make()
    session.noteSeatChange(5, 0)
    expect([take(), session.seatTick]).toEqual([[], 5])
  })

  test('is told at once to who waits for a state', () => {
    const { session, take } = make()
    session.awaitState('returning', 3)
    session.noteSeatChange(5, 0)
    session.noteSeatChange(9, 0)
    expect(take()).toEqual([
      { seat: 0, seatTick: 5 },
      { seat: 0, seatTick: 9 },
    ])
  })

  test('is told again if it does so in the tick of which the client knows already', () => {
    const { session, take } = make()
    session.awaitState('returning', 3)
    session.noteSeatChange(5, 0)
    session.beginAt(3, 100, 0)
    session.noteSeatChange(5, 0)
    expect(take()).toHaveLength(2)
    session.noteSeatChange(6, 0)
    expect(take()).toEqual([])
  })
})
