import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import { runChannelContract } from '../../link/testing/channel-contract.ts'
import { clean, dead, type End, LinkWorld } from '../../link/testing/link-world.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import { RtcChannel, tickByteMin } from './rtc-channel.ts'

const make = (end: End, nowMs: number): RtcChannel =>
  new RtcChannel({ side: end === 'a' ? 'initiator' : 'acceptor' }, nowMs)

runChannelContract('two lanes of WebRTC', make)

/** Packets of one lane of a channel, as the transport would sort them. */
function drain(channel: RtcChannel): { ticks: Uint8Array[]; reliable: Uint8Array[] } {
  const ticks: Uint8Array[] = []
  const reliable: Uint8Array[] = []
  for (let packet = channel.pollPacket(); packet; packet = channel.pollPacket()) {
    expect(packet.length).toBeLessThanOrEqual(1_200)
    if (packet[0]! < tickByteMin) reliable.push(packet)
    else ticks.push(packet)
  }
  return { ticks, reliable }
}

describe('lanes', () => {
  test('ticks take the lane that loses; control, bulk and the goodbye the reliable one', () => {
    const channel = make('a', 0)
    channel.sendTick(Uint8Array.of(0x80, 1), 0)
    expect(drain(channel)).toMatchObject({ ticks: [expect.anything()], reliable: [] })
    channel.sendControl(Uint8Array.of(1, 2), 0)
    expect(drain(channel)).toMatchObject({ ticks: [], reliable: [Uint8Array.of(0, 1, 2)] })
    channel.sendBulk(Uint8Array.of(3), 0)
    expect(drain(channel)).toMatchObject({ ticks: [], reliable: [Uint8Array.of(0, 0x3e, 3)] })
    channel.close(4009, 0)
    expect(drain(channel).reliable).toEqual([Uint8Array.of(0, 0x3f, 0xa9, 0x0f)])
  })

  test('whatever becomes of the ticks, control and bulk arrive whole and in sequence', () => {
    const prng = new Prng(7, 'lanes')
    const [a, b] = [make('a', 0), make('b', 0)]
    const sent: number[][] = []
    const heard: number[][] = []
    let ticks = 0
    for (let nowMs = 0; nowMs < 3_000; nowMs += 10) {
      a.handleTime(nowMs)
      b.handleTime(nowMs)
      const size = 1 + prng.below(5_000)
      const message = Uint8Array.from({ length: size }, () => prng.below(256))
      message[0] = 5
      if (sent.length < 100) {
        a.sendControl(message, nowMs)
        sent.push([...message])
      }
      a.sendTick(Uint8Array.of(0x80, nowMs / 10), nowMs)
      const packets = drain(a)
      // Half of the ticks are lost, and the two lanes do not wait for each other.
      for (const packet of prng.chance(0.5) ? packets.ticks : []) b.handlePacket(packet, nowMs)
      for (const packet of packets.reliable) b.handlePacket(packet, nowMs)
      for (const packet of drain(b).ticks) a.handlePacket(packet, nowMs)
      for (let next = b.pollMessage(); next; next = b.pollMessage()) {
        if (next.lane === 'control') heard.push([...next.bytes])
        else ticks++
      }
    }
    expect(heard).toEqual(sent)
    expect(ticks).toBeGreaterThan(100)
    expect(ticks).toBeLessThan(200)
    expect(a.stats.lossShare).toBeGreaterThan(0.2)
    expect(a.stats.rttMs).toBeDefined()
  })

  test('a tick that was overtaken comes late, not never', () => {
    const [a, b] = [make('a', 0), make('b', 0)]
    a.sendTick(Uint8Array.of(0x80, 1), 0)
    a.sendTick(Uint8Array.of(0x80, 2), 0)
    for (const packet of drain(a).ticks.reverse()) b.handlePacket(packet, 0)
    expect({ ...b.pollMessage() }).toEqual({ lane: 'tick', bytes: Uint8Array.of(0x80, 2) })
    expect({ ...b.pollMessage() }).toEqual({ lane: 'late', bytes: Uint8Array.of(0x80, 1) })
  })

  test('what a stranger puts into the unused lanes of the datagram half is dropped', () => {
    const b = make('b', 0)
    const other = new DatagramChannel({ epoch: 0, side: 'initiator', checksum: false }, 0)
    other.sendControl(Uint8Array.of(1, 2), 0)
    other.sendBulk(Uint8Array.of(3), 0)
    for (let packet = other.pollPacket(); packet; packet = other.pollPacket()) {
      b.handlePacket(packet, 0)
    }
    expect(b.pollMessage()).toBeUndefined()
    expect(b.stats.packetsDropped).toBe(2)
  })

  test('a message as large as a stream takes goes in pieces, and ticks between them', () => {
    const [a, b] = [make('a', 0), make('b', 0)]
    const message = new Uint8Array(streamPacketBytesMax - 1).map((_, index) => index * 7)
    message[0] = 0
    a.sendControl(message, 0)
    const pieces: Uint8Array[] = []
    for (let count = 0; count < 10; count++) pieces.push(a.pollPacket()!)
    a.sendTick(Uint8Array.of(0x80), 0)
    expect(a.pollPacket()![0]).toBeGreaterThanOrEqual(tickByteMin)
    pieces.push(...drain(a).reliable)
    expect(pieces).toHaveLength(55)
    for (const piece of pieces) b.handlePacket(piece, 0)
    expect(b.pollMessage()?.bytes).toEqual(message)
    expect(b.heldBytes).toBe(0)
  })

  test('bulk waits while the transport has other bytes to send', () => {
    let backlog = 100_000
    const channel = new RtcChannel({ side: 'initiator', backlogBytes: () => backlog }, 0)
    channel.sendBulk(new Uint8Array(3_000), 0)
    expect(drain(channel).reliable).toEqual([])
    expect(channel.wakeAtMs()).toBe(5)
    backlog = 0
    channel.handleTime(5)
    expect(drain(channel).reliable).toHaveLength(3)
  })

  test('the counters are those of both lanes', () => {
    let sentBytes = 0
    const world = new LinkWorld(1, make)
    world.onPacket = (from, bytes) => {
      if (from === 'a') sentBytes += bytes.length
    }
    world.act('a', (channel, nowMs) => {
      channel.sendControl(new Uint8Array(5_000), nowMs)
      channel.sendTick(Uint8Array.of(0x80), nowMs)
    })
    world.run(3_000)
    const { a, b } = world.channels
    expect(a.stats).toMatchObject({ messagesSent: 2, bytesSent: sentBytes, packetsLost: 0 })
    expect(b.stats).toMatchObject({ messagesReceived: 2, packetsDropped: 0 })
    expect(a.stats.overheadBytes).toBe(sentBytes - 5_001)
  })
})

describe('the end', () => {
  test('silence of the other side is a loss, as on any datagram', () => {
    const world = new LinkWorld(1, make)
    world.run(5_000)
    expect(world.channels.a.state.name).toBe('open')
    world.setBoth(dead)
    world.run(70_000)
    expect(world.channels.a.state).toEqual({ name: 'closed', code: 'lost' })
    expect(world.channels.a.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    world.setBoth(clean)
    world.act('a', (channel, nowMs) => channel.sendTick(Uint8Array.of(0x80), nowMs))
    expect(world.channels.a.sendBulk(Uint8Array.of(1), world.nowMs)).toBe(false)
    expect(world.channels.a.pollPacket()).toBeUndefined()
  })

  test('keepalives go on while the game is silent', () => {
    const world = new LinkWorld(1, make)
    world.run(300_000)
    expect(world.channels.a.state.name).toBe('open')
    expect(world.channels.b.state.name).toBe('open')
  })
})

describe('strangers', () => {
  const open = { name: 'open' }
  const failed = { name: 'closed', code: 4001 }
  const full = (first: number): Uint8Array => {
    const packet = new Uint8Array(1_200)
    packet[0] = first
    return packet
  }

  test.each([
    ['no byte', [Uint8Array.of()], open],
    ['an unknown kind of piece', [Uint8Array.of(2, 1), Uint8Array.of(0x1f, 1)], open],
    ['a piece without content', [Uint8Array.of(0)], open],
    ['a short piece before the last', [Uint8Array.of(1, 1)], failed],
    ['an empty piece before the last', [Uint8Array.of(1)], failed],
    ['an empty last piece', [full(1), Uint8Array.of(0)], failed],
    ['pieces without an end', Array.from({ length: 60 }, () => full(1)), failed],
    ['a tick packet of nonsense', [Uint8Array.of(0xff, 1, 2, 3)], open],
  ])('%s: dropped and counted', (_what, packets, state) => {
    const channel = make('b', 0)
    for (const packet of packets) channel.handlePacket(packet, 0)
    expect(channel.state).toEqual(state)
    expect(channel.stats.packetsDropped).toBeGreaterThan(0)
    expect(channel.pollMessage()).toBeUndefined()
    expect(channel.heldBytes).toBe(0)
  })

  test('pieces that never end are bounded by the largest packet', () => {
    const channel = make('b', 0)
    for (let count = 0; count < 54; count++) channel.handlePacket(full(1), 0)
    expect(channel.state).toEqual(open)
    expect(channel.heldBytes).toBeLessThanOrEqual(streamPacketBytesMax)
  })

  test('random bytes never throw, and never hold more than a few packets', () => {
    const prng = new Prng(3, 'strangers')
    for (let round = 0; round < 300; round++) {
      const channel = make('b', 0)
      for (let count = 0; count < 40; count++) {
        const size = prng.chance(0.3) ? 1_200 : prng.below(40)
        const packet = Uint8Array.from({ length: size }, () => prng.below(256))
        if (size > 0 && prng.chance(0.7)) packet[0] = prng.below(3)
        channel.handlePacket(packet, count)
        channel.handleTime(count)
        while (channel.pollPacket() !== undefined);
      }
      while (channel.pollMessage() !== undefined);
      expect(channel.heldBytes).toBeLessThan(400_000)
    }
  })
})
