import { describe, expect, test } from 'vitest'
import type { Channel } from '../channel.ts'
import type { End } from './link-world.ts'
import { LinkWorld } from './link-world.ts'

/** What client and relay may rely on, whatever carries the channel. */
export function runChannelContract(name: string, make: (end: End, nowMs: number) => Channel): void {
  const control = (number: number): Uint8Array => Uint8Array.of(1, number)
  const tick = (number: number): Uint8Array => Uint8Array.of(0x80, number)
  const bulk = (number: number): Uint8Array => new Uint8Array(3_000).fill(number)

  describe(`the contract of channels: ${name}`, () => {
    test('messages of every lane arrive, those of one lane in sequence', () => {
      const world = new LinkWorld(1, make)
      for (let number = 0; number < 20; number++) {
        world.act('a', (channel, nowMs) => {
          channel.sendControl(control(number), nowMs)
          channel.sendTick(tick(number), nowMs)
          expect(channel.sendBulk(bulk(number), nowMs)).toBe(true)
        })
        world.run(world.nowMs + 33)
      }
      world.run(world.nowMs + 1_000)
      const numbers = Array.from({ length: 20 }, (_, number) => number)
      expect(world.lane('b', 'control')).toEqual(numbers.map(control))
      expect(world.lane('b', 'tick')).toEqual(numbers.map(tick))
      expect(world.lane('b', 'bulk')).toEqual(numbers.map(bulk))
      const { stats } = world.channels.a
      expect(stats.messagesSent).toBe(60)
      expect(world.channels.b.stats.messagesReceived).toBe(60)
      expect(stats.packetsDropped + world.channels.b.stats.packetsDropped).toBe(0)
    })

    test('REL-16 each lane counts its own messages and bytes, both ways', () => {
      const world = new LinkWorld(1, make)
      for (let number = 0; number < 5; number++) {
        world.act('a', (channel, nowMs) => {
          if (number < 3) channel.sendControl(control(number), nowMs)
          channel.sendTick(tick(number), nowMs)
          if (number < 2) channel.sendBulk(bulk(number), nowMs)
        })
        world.run(world.nowMs + 33)
      }
      world.act('a', (channel, nowMs) => channel.close(4_009, nowMs))
      world.run(world.nowMs + 5_000)
      const there = { messagesReceived: 0, bytesReceived: 0, resent: 0, overtaken: 0 }
      const back = { messagesSent: 0, bytesSent: 0, resent: 0, overtaken: 0 }
      const { a, b } = world.channels
      expect(a.stats.lanes).toMatchObject({
        tick: { ...there, messagesSent: 5, bytesSent: 10 },
        control: { ...there, messagesSent: 3, bytesSent: 6 },
        bulk: { ...there, messagesSent: 2, bytesSent: 6_000 },
      })
      expect(b.stats.lanes).toMatchObject({
        tick: { ...back, messagesReceived: 5, bytesReceived: 10 },
        control: { ...back, messagesReceived: 3, bytesReceived: 6 },
        bulk: { ...back, messagesReceived: 2, bytesReceived: 6_000 },
      })
    })

    test('a message may be changed once it was given to the channel', () => {
      const world = new LinkWorld(1, make)
      world.act('a', (channel, nowMs) => {
        const message = Buffer.from([1, 2, 3])
        channel.sendControl(message, nowMs)
        message.fill(0xff)
        channel.sendTick(message, nowMs)
        channel.sendBulk(message, nowMs)
        message.fill(0)
      })
      world.run(1_000)
      expect(world.lane('b', 'control')).toEqual([Uint8Array.of(1, 2, 3)])
      expect(world.lane('b', 'tick')).toEqual([Uint8Array.of(255, 255, 255)])
      expect(world.lane('b', 'bulk')).toEqual([Uint8Array.of(255, 255, 255)])
    })

    test('lasting bytes arrive as any others, from as many channels as send them', () => {
      const lasting = tick(9)
      const world = new LinkWorld(1, make)
      for (const end of ['a', 'b'] as const) {
        world.act(end, (channel, nowMs) => channel.sendTick(lasting, nowMs, true))
      }
      world.run(1_000)
      expect([world.lane('a', 'tick'), world.lane('b', 'tick')]).toEqual([[tick(9)], [tick(9)]])
      expect(lasting).toEqual(tick(9))
    })

    test('a packet may be changed once its messages were polled', () => {
      const a = make('a', 0)
      const b = make('b', 0)
      a.sendControl(control(7), 0)
      a.sendTick(tick(8), 0)
      const seen: Uint8Array[] = []
      const reused = Buffer.alloc(2_000)
      for (let packet = a.pollPacket(); packet; packet = a.pollPacket()) {
        reused.set(packet)
        b.handlePacket(reused.subarray(0, packet.length), 0)
        for (let next = b.pollMessage(); next; next = b.pollMessage()) {
          seen.push(Uint8Array.from(next.bytes))
        }
        reused.fill(0)
      }
      expect(seen).toContainEqual(control(7))
      expect(seen).toContainEqual(tick(8))
    })

    test('a tick is sent at once, whatever bulk waits', () => {
      const channel = make('a', 0)
      for (let number = 0; channel.sendBulk(bulk(number), 0); number++);
      channel.sendTick(tick(1), 0)
      const other = make('b', 0)
      other.handlePacket(channel.pollPacket() ?? new Uint8Array(0), 0)
      const seen: string[] = []
      for (let message = other.pollMessage(); message; message = other.pollMessage()) {
        seen.push(message.lane)
      }
      expect(seen).toContain('tick')
    })

    test('bulk is refused when the lane is full, and taken later', () => {
      const world = new LinkWorld(1, make)
      let taken = 0
      while (world.channels.a.sendBulk(bulk(taken), 0)) taken++
      expect(taken).toBeGreaterThan(10)
      expect(taken).toBeLessThan(100)
      world.act('a', (channel, nowMs) => channel.handleTime(nowMs))
      world.run(5_000)
      expect(world.act('a', (channel, nowMs) => channel.sendBulk(bulk(taken), nowMs))).toBe(true)
      world.run(10_000)
      expect(world.lane('b', 'bulk')).toHaveLength(taken + 1)
    })

    test('closing delivers control first, then tells the code, and then all is quiet', () => {
      const world = new LinkWorld(1, make)
      world.act('a', (channel, nowMs) => {
        for (let number = 0; number < 50; number++) channel.sendControl(control(number), nowMs)
        channel.close(4_009, nowMs)
        expect(channel.state).toEqual({ name: 'closing', code: 4_009 })
      })
      world.run(5_000)
      expect(world.lane('b', 'control')).toHaveLength(50)
      for (const end of ['a', 'b'] as const) {
        const channel = world.channels[end]
        expect(channel.state).toEqual({ name: 'closed', code: 4_009 })
        expect(channel.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
        channel.sendControl(control(1), world.nowMs)
        channel.sendTick(tick(1), world.nowMs)
        expect(channel.sendBulk(bulk(1), world.nowMs)).toBe(false)
        channel.close(4_010, world.nowMs)
        expect(channel.pollPacket()).toBeUndefined()
        expect(channel.state).toEqual({ name: 'closed', code: 4_009 })
      }
    })

    test('when both close, each keeps its own reason', () => {
      const world = new LinkWorld(1, make)
      world.act('a', (channel, nowMs) => channel.sendControl(control(1), nowMs))
      world.run(500)
      world.act('a', (channel, nowMs) => channel.close(1, nowMs))
      world.act('b', (channel, nowMs) => channel.close(2, nowMs))
      world.run(5_000)
      expect(world.channels.a.state).toEqual({ name: 'closed', code: 1 })
      expect(world.channels.b.state).toEqual({ name: 'closed', code: 2 })
    })

    test('time may stand still, and must not go back', () => {
      const channel = make('a', 100)
      channel.handleTime(100)
      channel.sendTick(tick(1), 100)
      channel.handleTime(100)
      expect(() => channel.handleTime(99)).toThrow(/Time went back from 100 to 99 ms/)
    })

    test('draining late is slow, never wrong', () => {
      const a = make('a', 0)
      const b = make('b', 0)
      for (let number = 0; number < 10; number++) {
        a.sendControl(control(number), number)
        a.sendTick(tick(number), number)
      }
      a.handleTime(20)
      for (let packet = a.pollPacket(); packet; packet = a.pollPacket()) b.handlePacket(packet, 20)
      const seen: number[] = []
      for (let message = b.pollMessage(); message; message = b.pollMessage()) {
        if (message.lane === 'control') seen.push(message.bytes[1]!)
      }
      expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    })
  })
}
