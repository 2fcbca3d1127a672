import { describe, expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Connection } from '../connection.ts'
import { makeMemoryPair } from '../memory.ts'
import { TestTiming } from '../testing/test-timing.ts'
import { Conditioner } from './conditioner.ts'

/** Two ends with lanes of both kinds: packets that begin with less than 32 lose nothing. */
function makeLanes(): readonly [Connection, Connection] {
  const [near, far] = makeMemoryPair({ kind: 'datagram' })
  const lanes: Connection = Object.assign(near, {
    isReliable: (packet: Uint8Array) => packet[0]! < 32,
    makeChannel: (_side: string, nowMs: number) => new StreamChannel(nowMs),
  })
  return [lanes, far]
}

test('a connection keeps its own channel under any conditions, and one without has none', () => {
  const conditioner = new Conditioner({ timing: new TestTiming(0) })
  const [lanes] = makeLanes()
  expect(conditioner.wrap(lanes).makeChannel?.('initiator', 0)).toBeInstanceOf(StreamChannel)
  const [plain] = makeMemoryPair({ kind: 'stream' })
  const wrapped = conditioner.wrap(plain)
  expect([wrapped.makeChannel, wrapped.isReliable]).toEqual([undefined, undefined])
})

test.each(['sending', 'receiving'] as const)(
  'the lane that loses nothing loses nothing and keeps its sequence while %s; the other one does not',
  async (way) => {
    const timing = new TestTiming(0)
    const conditioner = new Conditioner({ timing, seed: 3 })
    conditioner.set({ latencyMs: 20, jitterMs: 10, loss: 0.4, reorder: 0.2, duplicate: 0.1 }, way)
    const [lanes, far] = makeLanes()
    const near = conditioner.wrap(lanes)
    const [from, to] = way === 'sending' ? [near, far] : [far, near]
    const heard: number[][] = []
    to.open({ handlePacket: (bytes) => heard.push([...bytes]), handleClosed: () => {} })
    from.open({ handlePacket: () => {}, handleClosed: () => {} })
    for (let number = 0; number < 200; number++) {
      from.send(Uint8Array.of(1, number))
      from.send(Uint8Array.of(64, number))
      await timing.pass(5)
    }
    await timing.pass(60_000)
    const numbers = Array.from({ length: 200 }, (_, number) => number)
    expect(heard.filter(([lane]) => lane === 1).map(([, number]) => number)).toEqual(numbers)
    const ticks = heard.filter(([lane]) => lane === 64).map(([, number]) => number)
    expect(new Set(ticks).size).toBeLessThan(160)
    expect(ticks).not.toEqual([...ticks].sort((a, b) => a! - b!))
  },
)

test('a cut loses ticks, and holds up what must not be lost until it is over', async () => {
  const timing = new TestTiming(0)
  const conditioner = new Conditioner({ timing })
  const [lanes, far] = makeLanes()
  const near = conditioner.wrap(lanes)
  const heard: number[] = []
  far.open({ handlePacket: (bytes) => heard.push(bytes[0]!), handleClosed: () => {} })
  near.open({ handlePacket: () => {}, handleClosed: () => {} })
  conditioner.set({ isCut: true })
  near.send(Uint8Array.of(1))
  near.send(Uint8Array.of(64))
  await timing.pass(1_000)
  expect(heard).toEqual([])
  expect(near.backlogBytes).toBe(1)
  conditioner.reset()
  await timing.pass(1_000)
  expect(heard).toEqual([1])
})

test('a farewell stands behind what was said on the lane that loses nothing', async () => {
  const timing = new TestTiming(0)
  const conditioner = new Conditioner({ timing, sending: { latencyMs: 50 } })
  const [lanes, far] = makeLanes()
  const near = conditioner.wrap(lanes)
  const heard: (number | string)[] = []
  far.open({
    handlePacket: (bytes) => heard.push(bytes[0]!),
    handleClosed: ({ reason }) => heard.push(reason),
  })
  near.open({ handlePacket: () => {}, handleClosed: () => {} })
  near.send(Uint8Array.of(7))
  near.close(1000, 'goodbye')
  await timing.pass(1_000)
  expect(heard).toEqual([7, 'goodbye'])
})

describe('damage', () => {
  /** Sends numbered packets through a line that damages a third of them, and gives what is heard. */
  async function hear(near: Connection, far: Connection, way: 'sending' | 'receiving') {
    const timing = new TestTiming(0)
    const conditioner = new Conditioner({ timing, seed: 5 })
    conditioner.set({ corrupt: 0.3, duplicate: 0.1, latencyMs: 5 }, way)
    const wrapped = conditioner.wrap(near)
    const [from, to] = way === 'sending' ? [wrapped, far] : [far, wrapped]
    const heard: string[] = []
    to.open({ handlePacket: (bytes) => heard.push(bytes.join()), handleClosed: () => {} })
    from.open({ handlePacket: () => {}, handleClosed: () => {} })
    const sent = Array.from({ length: 300 }, (_, at) => Uint8Array.of(64, at & 255, at >> 8, 9))
    for (const packet of sent) {
      from.send(packet)
      await timing.pass(10)
    }
    await timing.pass(1_000)
    const known = new Set(sent.map((packet) => packet.join()))
    const strange = heard.filter((packet) => !known.has(packet)).length
    return { wrapped, strange, kinds: new Set(heard).size, stats: conditioner.stats }
  }

  test.each(['sending', 'receiving'] as const)(
    'is a loss while %s, where the transport proves what it delivers',
    async (way) => {
      const [near, far] = makeMemoryPair({ kind: 'datagram' })
      const { wrapped, strange, kinds, stats } = await hear(
        Object.assign(near, { isAuthentic: true }),
        far,
        way,
      )
      expect(wrapped.isAuthentic).toBe(true)
      expect(strange).toBe(0)
      expect(stats.corrupted).toBeGreaterThan(60)
      expect(stats.lost).toBe(stats.corrupted)
      expect(kinds).toBe(300 - stats.corrupted)
    },
  )

  test('is heard where nothing proves anything', async () => {
    const [near, far] = makeMemoryPair({ kind: 'datagram' })
    const { wrapped, strange, stats } = await hear(near, far, 'sending')
    expect(wrapped.isAuthentic).toBe(false)
    // Now and then damage undoes itself; a copy of a damaged packet is damaged too.
    expect(strange).toBeGreaterThan(0.8 * stats.corrupted)
    expect(stats.lost).toBe(0)
  })
})
