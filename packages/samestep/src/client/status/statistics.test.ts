import { expect, test } from 'vitest'
import { emptyHistogram } from '../../base/histogram.ts'
import { noLanes } from '../../link/lane-stats.ts'
import { noCursors } from '../events.ts'
import { TickPacer } from '../pacing/tick-pacer.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { addBytes, ownOrder } from '../testing/counter.ts'
import { calmStats } from '../testing/rooms.ts'
import { makeStatistics } from './statistics.ts'

const nothing = {
  running: undefined,
  link: undefined,
  rates: { sentPerSecond: 0, receivedPerSecond: 0 },
  inputDelay: 3,
  match: undefined,
  desync: undefined,
}

/** A match in which nothing happened, but for a round trip. */
const running = {
  cursors: noCursors,
  turns: {
    ...{ rttMs: 44, delay: 3, holdMs: 0, marginMs: undefined },
    ...{ roundTrips: emptyHistogram, jitter: emptyHistogram },
  },
  missed: { total: 0, percent: 0 },
  pacer: new TickPacer(20),
  inbox: { readyCount: 0 },
  orderWaits: { percentile: () => 0 },
}

test('everything is there from the start on, and says that nothing is known', () => {
  const { statistics } = new ClientWorld({ inputDelay: 5 }).client
  expect(statistics).toEqual({
    cursors: noCursors,
    rttMs: undefined,
    jitterMs: undefined,
    lossShare: 0,
    bytesSent: 0,
    bytesReceived: 0,
    packetsSent: 0,
    packetsReceived: 0,
    line: {
      roundTrips: emptyHistogram,
      jitter: emptyHistogram,
      lateness: emptyHistogram,
      lanes: noLanes,
      sentPerSecond: 0,
      receivedPerSecond: 0,
    },
    inputDelay: 5,
    holdMs: 0,
    marginMs: undefined,
    lateInputs: 0,
    lateInputsPercent: 0,
    bufferTicks: 0,
    bufferTargetTicks: 0,
    arrivalJitterMs: 0,
    tickMs: 0,
    loadPercent: 0,
    orderMs: 0,
    orderP95Ms: 0,
    match: undefined,
  })
})

test('the delay is that of the match, as soon as the relay has said it', () => {
  const world = new ClientWorld({ inputDelay: 5 }).enterLobby()
  expect(world.client.statistics.inputDelay).toBe(3)
})

test('the round trip is what turns measured, or else what the link did', () => {
  const link = {
    packetsSent: 1,
    packetsReceived: 2,
    bytesSent: 3,
    bytesReceived: 4,
    overheadBytes: 0,
    messagesSent: 0,
    messagesReceived: 0,
    packetsLost: 0,
    packetsResent: 0,
    packetsDropped: 0,
    rttMs: 30,
    rttVariationMs: 6,
    lossShare: 0.25,
    queueMs: 0,
    lanes: noLanes,
  }
  expect(makeStatistics({ ...nothing, link })).toMatchObject({
    rttMs: 30,
    jitterMs: 6,
    lossShare: 0.25,
    packetsSent: 1,
    packetsReceived: 2,
    bytesSent: 3,
    bytesReceived: 4,
  })
  expect(makeStatistics({ ...nothing, link, running }).rttMs).toBe(44)
})

test('own orders are timed from issuing to running', () => {
  const world = new ClientWorld().sit()
  const waits = [20, 40, 60, 80, 300]
  waits.forEach((waitMs, number) => {
    world.client.handleTime(world.nowMs)
    world.client.issue('add', { amount: 1 })
    world.settle()
    world.wait(waitMs)
    world.tick({ orders: [ownOrder(number, addBytes(1))] })
  })
  expect(world.client.statistics).toMatchObject({ orderMs: 60, orderP95Ms: 300 })
})

test('the buffer, the link and the others are in it while the match runs', () => {
  const world = new ClientWorld().sit()
  world.tick()
  world.say('RelayStats', calmStats)
  const { statistics } = world.client
  expect(statistics).toMatchObject({
    cursors: { inputTick: 4, sealedTick: 1, simulatedTick: 1 },
    bufferTicks: 0,
    match: calmStats,
  })
  expect(statistics.bytesReceived).toBeGreaterThan(0)
  expect(statistics.packetsSent).toBeGreaterThan(0)
})

test('REL-16 round trips, jitter and late ticks are told by their sizes, and lanes by their bytes', () => {
  const world = new ClientWorld().sit()
  const fromMs = world.nowMs
  for (let tick = 0; tick < 60; tick++) {
    // Every tenth tick comes 15 ms late.
    const dueMs = fromMs + 50 * tick + (tick % 10 === 5 ? 15 : 0)
    world.wait(dueMs - world.nowMs)
    world.tick()
  }
  const { line } = world.client.statistics
  // The newest is not judged yet: more may come in the same burst.
  expect(line.lateness.count).toBe(59)
  expect(line.lateness.counts.slice(4)).toEqual([6, 0, 0, 0, 0, 0, 0, 0])
  expect(line.lanes.tick.messagesReceived).toBe(60)
  expect(line.lanes.control.messagesReceived).toBeGreaterThan(0)
  expect(line.receivedPerSecond).toBeGreaterThan(20 * 3)
  expect(line.sentPerSecond).toBeGreaterThan(20 * 3)
})
