import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import {
  laneMessageBytesMax,
  streamBacklogBytesMax,
  streamBulkEveryMs,
  streamInboxBytesMax,
  streamOutboxBytesMax,
} from '../limits.ts'
import { runChannelContract } from '../testing/channel-contract.ts'
import { StreamChannel } from './stream-channel.ts'

runChannelContract('stream', (_end, nowMs) => new StreamChannel(nowMs))

const tick = Uint8Array.of(0x80, 1, 2)
const control = Uint8Array.of(1, 2)

describe('StreamChannel', () => {
  test('a packet is the message itself; bulk costs a byte and goodbye three', () => {
    const channel = new StreamChannel(0)
    channel.sendTick(tick, 0)
    channel.sendControl(control, 0)
    channel.sendBulk(Uint8Array.of(9), 0)
    expect(channel.pollPacket()).toEqual(tick)
    expect(channel.pollPacket()).toEqual(control)
    expect(channel.pollPacket()).toEqual(Uint8Array.of(0x3e, 9))
    channel.close(0x1234, 0)
    expect(channel.state.name).toBe('closing')
    expect(channel.pollPacket()).toEqual(Uint8Array.of(0x3f, 0x34, 0x12))
    expect(channel.state).toEqual({ name: 'closed', code: 0x1234 })
    expect(channel.stats).toMatchObject({ packetsSent: 4, bytesSent: 10, overheadBytes: 4 })
  })

  test('REL-16 what is no message of a lane counts in none', () => {
    const channel = new StreamChannel(0)
    channel.handlePacket(new Uint8Array(0), 0)
    channel.handlePacket(Uint8Array.of(0x3e), 0)
    channel.handlePacket(Uint8Array.of(0x3f, 1), 0)
    channel.handlePacket(tick, 0)
    channel.handlePacket(Uint8Array.of(0x3f, 1, 2), 0)
    channel.handlePacket(control, 0)
    expect(channel.stats.lanes.tick).toMatchObject({ messagesReceived: 1, bytesReceived: 3 })
    expect(channel.stats.lanes.control).toMatchObject({ messagesReceived: 0, bytesReceived: 0 })
    expect(channel.stats.lanes.bulk).toMatchObject({ messagesReceived: 0, bytesReceived: 0 })
  })

  test('nothing is ever sent twice, and nobody wakes up for nothing', () => {
    const channel = new StreamChannel(0)
    channel.sendTick(tick, 0)
    channel.pollPacket()
    channel.handleTime(1_000_000)
    expect(channel.pollPacket()).toBeUndefined()
    expect(channel.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('bulk goes one by one, behind the others, and waits while the transport is busy', () => {
    let backlogBytes = 0
    const channel = new StreamChannel(0, () => backlogBytes)
    for (let count = 0; count < 3; count++) channel.sendBulk(Uint8Array.of(count), 0)
    channel.sendControl(control, 0)
    expect(channel.pollPacket()).toEqual(control)
    expect(channel.pollPacket()).toEqual(Uint8Array.of(0x3e, 0))
    expect(channel.pollPacket()).toBeUndefined()
    expect(channel.wakeAtMs()).toBe(streamBulkEveryMs)
    backlogBytes = streamBacklogBytesMax + 1
    channel.handleTime(100)
    expect(channel.pollPacket()).toBeUndefined()
    expect(channel.wakeAtMs()).toBe(100 + streamBulkEveryMs)
    backlogBytes = streamBacklogBytesMax
    channel.handleTime(105)
    expect(channel.pollPacket()).toEqual(Uint8Array.of(0x3e, 1))
  })

  test('says how long what the transport holds will take', () => {
    let backlogBytes = 0
    const channel = new StreamChannel(0, () => backlogBytes)
    expect(channel.stats.queueMs).toBe(0)
    for (let nowMs = 100; nowMs <= 2_000; nowMs += 100) {
      channel.sendTick(new Uint8Array(200).fill(0x80), nowMs)
      channel.pollPacket()
      // Half of it is passed on.
      backlogBytes += 100
      void channel.stats.queueMs
    }
    expect(channel.stats.queueMs).toBeCloseTo(backlogBytes, 6)
  })

  test('a transport that takes nothing makes it fail, and it lets go of all memory', () => {
    const channel = new StreamChannel(0)
    const message = new Uint8Array(60_000).fill(1)
    for (let count = 0; count < 100 && channel.state.name === 'open'; count++) {
      expect(channel.heldBytes).toBeLessThan(streamOutboxBytesMax + 2 * message.length)
      channel.sendControl(message, 0)
    }
    expect(channel.state).toEqual({ name: 'closed', code: 4_006 })
    expect(channel.heldBytes).toBe(0)
  })

  test('an owner that polls nothing makes it fail: no message of a stream can be left out', () => {
    const channel = new StreamChannel(0)
    const packet = new Uint8Array(60_000).fill(1)
    for (let count = 0; count < 100; count++) {
      channel.handlePacket(packet, 0)
      expect(channel.heldBytes).toBeLessThan(streamInboxBytesMax + 2 * packet.length)
    }
    expect(channel.state).toEqual({ name: 'closed', code: 4_002 })
    expect(channel.stats.packetsDropped).toBeGreaterThan(0)
  })

  test('a connection that ends without goodbye is lost; what came can still be polled', () => {
    const channel = new StreamChannel(0)
    channel.handlePacket(tick, 0)
    channel.handleDisconnect(1)
    expect(channel.state).toEqual({ name: 'closed', code: 'lost' })
    expect(channel.pollMessage()?.bytes).toEqual(tick)
    const closed = new StreamChannel(0)
    closed.handlePacket(Uint8Array.of(0x3f, 1, 0), 0)
    closed.handleDisconnect(1)
    expect(closed.state).toEqual({ name: 'closed', code: 1 })
  })

  test.each([
    ['an empty packet', new Uint8Array(0)],
    ['bulk without content', Uint8Array.of(0x3e)],
    ['goodbye without a code', Uint8Array.of(0x3f)],
    ['goodbye with half a code', Uint8Array.of(0x3f, 1)],
    ['goodbye with more than a code', Uint8Array.of(0x3f, 1, 2, 3)],
    ['more than a packet may have', new Uint8Array(streamPacketBytesMax + 1).fill(1)],
  ])('%s is dropped and counted', (_what, bytes) => {
    const channel = new StreamChannel(0)
    channel.handlePacket(bytes, 0)
    expect(channel.stats.packetsDropped).toBe(1)
    expect(channel.state.name).toBe('open')
    expect(channel.pollMessage()).toBeUndefined()
  })

  test('any bytes are a message of one lane, a goodbye, or dropped', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 20 }), (packets) => {
        const channel = new StreamChannel(0)
        for (const packet of packets) channel.handlePacket(packet, 0)
        let messages = 0
        for (let message = channel.pollMessage(); message; message = channel.pollMessage())
          messages++
        const goodbyes = channel.state.name === 'closed' ? 1 : 0
        expect(messages + goodbyes + channel.stats.packetsDropped).toBe(packets.length)
      }),
    )
  })

  test('the longest bulk message fits a packet', () => {
    const channel = new StreamChannel(0)
    const message = new Uint8Array(laneMessageBytesMax).fill(5)
    channel.sendBulk(message, 0)
    const other = new StreamChannel(0)
    other.handlePacket(channel.pollPacket() ?? new Uint8Array(0), 0)
    expect(other.pollMessage()).toEqual({ lane: 'bulk', bytes: message })
  })

  test('messages whose first byte belongs to another lane are bugs of the caller', () => {
    const channel = new StreamChannel(0)
    expect(() => channel.sendControl(Uint8Array.of(0x3e), 0)).toThrow(/below 0x3e, not with 62/)
    expect(() => channel.sendTick(Uint8Array.of(0x3f), 0)).toThrow(/from 0x40 on, not with 63/)
    expect(() => channel.sendControl(new Uint8Array(0), 0)).toThrow(/below 0x3e/)
  })
})
