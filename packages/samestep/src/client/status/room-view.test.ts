import { expect, test } from 'vitest'
import { decodeMessage, encodeMessage } from '../../wire/messages/messages.ts'
import { marginUnknown } from '../../wire/ticks/relay-bundles.ts'
import { calmStats } from '../testing/rooms.ts'
import { readStats } from './room-view.ts'

const figures = {
  lossPercent: 3,
  loadPercent: 40,
  behindTicks: 2,
  orderWaitMs: 20,
  orderWaitP95Ms: 33,
  ticksPerPacket: 1,
}

test('figures that the relay does not know are undefined, and no number', () => {
  const seats = [
    { seat: 0, rttMs: 80, jitterMs: 4, marginMs: -12, ...figures },
    { seat: 1, rttMs: 65_535, jitterMs: 65_535, marginMs: marginUnknown, ...figures },
  ]
  const message = decodeMessage(encodeMessage('RelayStats', { ...calmStats, seats }))
  if (message.name !== 'RelayStats') throw new Error(message.name)
  expect(readStats(message.body)).toEqual({
    ...calmStats,
    seats: [
      { seat: 0, rttMs: 80, jitterMs: 4, marginMs: -12, ...figures },
      { seat: 1, rttMs: undefined, jitterMs: undefined, marginMs: undefined, ...figures },
    ],
  })
})
