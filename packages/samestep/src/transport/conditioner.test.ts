import { expect, test } from 'vitest'
import type { LinkPatch } from './conditioner/link-conditions.ts'
import { Conditioner, type ConditionerOptions } from './conditioner.ts'
import type { ConnectionHandler } from './connection.ts'
import { listenInMemory, makeMemoryPair } from './memory.ts'
import {
  type ConnectionHarness,
  describeConnectionContract,
} from './testing/connection-contract.ts'
import { Recorder } from './testing/recorder.ts'
import { VirtualTiming } from './testing/virtual-timing.ts'
import { makeWebSocketHarness } from './testing/websocket-harness.ts'

function makeMemoryHarness(kind: 'stream' | 'datagram'): ConnectionHarness {
  return {
    kind,
    transport: 'memory',
    carriesEnd: true,
    async openPair() {
      const [dialed, accepted] = makeMemoryPair({ kind })
      return { dialed, accepted }
    },
    async dispose() {},
  }
}

/** The same harness with both ends behind a conditioner. */
function condition(
  harness: ConnectionHarness,
  options: ConditionerOptions = {},
): ConnectionHarness {
  const conditioner = new Conditioner(options)
  return {
    ...harness,
    async openPair() {
      const { dialed, accepted } = await harness.openPair()
      return { dialed: conditioner.wrap(dialed), accepted: conditioner.wrap(accepted) }
    },
  }
}

const rough: LinkPatch = { latencyMs: 2, jitterMs: 1, loss: 0.02, duplicate: 0.1, reorder: 0.1 }
const everything: LinkPatch = { ...rough, corrupt: 0.1, bytesPerSecond: 2_000_000 }

describeConnectionContract('memory stream, conditioner clear', () =>
  condition(makeMemoryHarness('stream')),
)
describeConnectionContract('memory datagram, conditioner clear', () =>
  condition(makeMemoryHarness('datagram')),
)
describeConnectionContract('websocket, conditioner clear', async () =>
  condition(await makeWebSocketHarness()),
)
describeConnectionContract('memory datagram, conditioner rough', () =>
  condition(makeMemoryHarness('datagram'), { sending: rough }),
)
describeConnectionContract('websocket, conditioner with everything', async () =>
  condition(await makeWebSocketHarness(), { sending: everything }),
)

/** A pair in virtual time whose first end is behind a conditioner. */
function makeWorld(kind: 'stream' | 'datagram', options: ConditionerOptions = {}) {
  const timing = new VirtualTiming()
  const conditioner = new Conditioner({ ...options, timing })
  const [left, right] = makeMemoryPair({ kind })
  const wrapped = conditioner.wrap(left)
  const a = new Recorder(wrapped)
  const b = new Recorder(right)
  const arrivals: number[] = []
  b.onPacket = () => arrivals.push(timing.nowMs())
  return { timing, conditioner, wrapped, a, b, arrivals }
}

const numbered = (number: number): Uint8Array => Uint8Array.of(number >> 8, number & 255, 7, 7)
const numberOf = (packet: Uint8Array): number => packet[0]! * 256 + packet[1]!
const numbersOf = (recorder: Recorder): number[] => recorder.packets.map(numberOf)
const range = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

/** Sends `count` packets, one every `everyMs`, and waits long enough for all of them. */
async function sendMany(world: ReturnType<typeof makeWorld>, count: number, everyMs = 10) {
  for (let number = 0; number < count; number++) {
    world.a.send(numbered(number))
    await world.timing.advance(everyMs)
  }
  await world.timing.advance(20_000)
}

test('latency is added each way, and only where it was set', async () => {
  const { timing, conditioner, a, b, arrivals } = makeWorld('datagram')
  conditioner.set({ latencyMs: 80 }, 'sending')
  conditioner.set({ latencyMs: 30 }, 'receiving')
  a.send(numbered(1))
  b.send(numbered(2))
  await timing.advance(29)
  expect(a.packets).toEqual([])
  await timing.advance(1)
  expect(numbersOf(a)).toEqual([2])
  await timing.advance(49)
  expect(b.packets).toEqual([])
  await timing.advance(1)
  expect(arrivals).toEqual([80])
})

test('jitter has the mean that was set, and overtakes nobody', async () => {
  const world = makeWorld('datagram', { sending: { latencyMs: 10, jitterMs: 4 } })
  await sendMany(world, 2_000, 100)
  expect(numbersOf(world.b)).toEqual(range(2_000))
  const late = world.arrivals.map((atMs, number) => atMs - number * 100 - 10)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  const mean = late.reduce((sum, each) => sum + each, 0) / late.length
  expect(mean).toBeGreaterThan(3.6)
  expect(mean).toBeLessThan(4.4)
})

test('loss takes the share that was set, independently of each other direction', async () => {
  const world = makeWorld('datagram', { sending: { loss: 0.2 } })
  await sendMany(world, 5_000, 1)
  expect(world.b.packets.length).toBeGreaterThan(3_850)
  expect(world.b.packets.length).toBeLessThan(4_150)
  expect(world.conditioner.stats.lost).toBe(5_000 - world.b.packets.length)
  for (let number = 0; number < 100; number++) world.b.send(numbered(number))
  await world.timing.advance(10)
  expect(world.a.packets.length).toBe(100)
})

test('bursts lose in runs', async () => {
  const burst = { everyMs: 1_000, lengthMs: 200, loss: 1 }
  const world = makeWorld('datagram', { sending: { burst } })
  await sendMany(world, 4_000, 10)
  const numbers = numbersOf(world.b)
  const gaps = numbers.map((number, at) => number - (numbers[at - 1] ?? -1) - 1)
  const runs = gaps.filter((gap) => gap > 0)
  const lost = runs.reduce((sum, run) => sum + run, 0)
  // A sixth of the time is bad, in about thirty bursts of twenty packets.
  expect(lost / 4_000).toBeGreaterThan(0.08)
  expect(lost / 4_000).toBeLessThan(0.28)
  expect(lost / runs.length).toBeGreaterThan(8)
})

test('duplicates arrive twice, displaced packets a few places later', async () => {
  const doubled = makeWorld('datagram', { sending: { duplicate: 0.25 } })
  await sendMany(doubled, 1_000)
  expect(doubled.b.packets.length).toBe(1_000 + doubled.conditioner.stats.duplicated)
  expect(doubled.conditioner.stats.duplicated).toBeGreaterThan(190)

  const displaced = makeWorld('datagram', {
    sending: { latencyMs: 20, reorder: 0.1, reorderPackets: 3 },
  })
  await sendMany(displaced, 1_000)
  const numbers = numbersOf(displaced.b)
  expect([...numbers].sort((x, y) => x - y)).toEqual(range(1_000))
  const late = numbers.map((number, at) => at - number).filter((places) => places > 0)
  expect(late.length).toBeGreaterThan(60)
  expect(Math.max(...late)).toBeLessThanOrEqual(4)
})

test('damage changes a copy: never the packet that was sent, never to nothing or too much', async () => {
  const { timing, conditioner, wrapped, a, b } = makeWorld('datagram', { sending: { corrupt: 1 } })
  const packet = new Uint8Array(wrapped.packetBytesMax - 3).fill(9)
  const tiny = Uint8Array.of(5)
  for (let count = 0; count < 200; count++) {
    a.send(packet)
    a.send(tiny)
  }
  await timing.advance(100)
  expect(conditioner.stats.corrupted).toBe(400)
  expect(b.packets.length).toBe(400)
  for (const heard of b.packets) {
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.length).toBeLessThanOrEqual(wrapped.packetBytesMax)
    expect(heard).not.toEqual(packet)
    expect(heard).not.toEqual(tiny)
  }
  expect(packet.every((byte) => byte === 9)).toBe(true)
  expect(tiny).toEqual(Uint8Array.of(5))
})

test('throttling spreads packets by their size, shows a backlog, and drops what the queue cannot hold', async () => {
  const world = makeWorld('datagram', { sending: { bytesPerSecond: 1_000, queueBytes: 1_000 } })
  for (let count = 0; count < 20; count++) world.a.send(new Uint8Array(100))
  expect(world.wrapped.backlogBytes).toBe(1_000)
  await world.timing.advance(5_000)
  expect(world.arrivals).toEqual(range(10).map((number) => (number + 1) * 100))
  expect(world.conditioner.stats.queueFull).toBe(10)
  expect(world.wrapped.backlogBytes).toBe(0)
})

test('a datagram larger than the path takes vanishes', async () => {
  const { timing, a, b } = makeWorld('datagram', { sending: { packetBytesMax: 500 } })
  a.send(new Uint8Array(501))
  a.send(new Uint8Array(500))
  await timing.advance(10)
  expect(b.packets.map(({ length }) => length)).toEqual([500])
})

test('a cut loses datagrams, also those on their way; a stall keeps all of them', async () => {
  const { timing, conditioner, a, b } = makeWorld('datagram', { sending: { latencyMs: 50 } })
  a.send(numbered(1))
  await timing.advance(10)
  conditioner.set({ isCut: true })
  a.send(numbered(2))
  await timing.advance(100)
  conditioner.set({ isCut: false, isClogged: true })
  a.send(numbered(3))
  await timing.advance(1_000)
  expect(b.packets).toEqual([])
  conditioner.set({ isClogged: false })
  expect(b.packets).toEqual([])
  await timing.advance(0)
  expect(numbersOf(b)).toEqual([3])
  expect(conditioner.stats.cut).toBe(2)
})

test('a stream loses, doubles, damages and displaces nothing, whatever is switched while it runs', async () => {
  const world = makeWorld('stream')
  const patches: LinkPatch[] = [
    { latencyMs: 100, jitterMs: 50 },
    { latencyMs: 0, jitterMs: 0, loss: 0.3, duplicate: 1, reorder: 1, corrupt: 1 },
    { isCut: true },
    { isCut: false, packetBytesMax: 2, bytesPerSecond: 5_000, queueBytes: 10 },
    { isClogged: true, burst: { everyMs: 50, lengthMs: 50, loss: 1 } },
    { isClogged: false },
  ]
  for (let number = 0; number < 3_000; number++) {
    const patch = number % 100 === 50 ? patches[(number / 100 - 0.5) % patches.length] : undefined
    if (patch !== undefined) world.conditioner.set(patch)
    world.a.send(numbered(number))
    await world.timing.advance(3)
  }
  world.conditioner.reset()
  await world.timing.advance(3_600_000)
  expect(numbersOf(world.b)).toEqual(range(3_000))
  expect(world.b.packets.every((packet) => packet.length === 4)).toBe(true)
  expect(world.a.violations + world.b.violations).toBe(0)
})

test('loss on a stream costs time: a quick repeat at first, then timers that double', async () => {
  const world = makeWorld('stream', { sending: { latencyMs: 50, loss: 0.1 } })
  await sendMany(world, 1_000, 33)
  const late = world.arrivals.map((atMs, number) => atMs - number * 33 - 50)
  expect(numbersOf(world.b)).toEqual(range(1_000))
  expect(late.filter((each) => each > 100).length).toBeGreaterThan(100)
  expect(late.filter((each) => each === 0).length).toBeGreaterThan(100)
})

test('a stall of a stream shows as backlog, and its end lets everything through in sequence', async () => {
  const world = makeWorld('stream', { sending: { isClogged: true } })
  for (let number = 0; number < 50; number++) world.a.send(numbered(number))
  await world.timing.advance(60_000)
  expect(world.wrapped.backlogBytes).toBe(200)
  expect(world.b.packets).toEqual([])
  world.conditioner.reset()
  // Sent after the stall, but before the others came through: it must stand behind them.
  world.a.send(numbered(50))
  await world.timing.advance(0)
  expect(numbersOf(world.b)).toEqual(range(51))
  expect(world.wrapped.backlogBytes).toBe(0)
})

test('a stream that stalls for too much breaks; datagrams beyond it are dropped', async () => {
  const packet = new Uint8Array(65_536)
  const stream = makeWorld('stream', { sending: { isClogged: true } })
  for (let count = 0; count < 300; count++) stream.a.send(packet)
  await stream.timing.advance(10)
  expect(stream.a.ends.map(({ code }) => code)).toEqual([1006])
  expect(stream.b.ends.length).toBe(1)
  const datagram = makeWorld('datagram', { sending: { isClogged: true } })
  for (let count = 0; count < 14_000; count++) datagram.a.send(new Uint8Array(1_200))
  expect(datagram.conditioner.stats.queueFull).toBe(14_000 - 13_981)
  expect(datagram.a.ends).toEqual([])
})

test('a close stands behind what was sent, and does not wait for the end of a stall', async () => {
  const world = makeWorld('stream', { sending: { latencyMs: 100 } })
  world.a.send(numbered(1))
  world.a.close(4009, 'match over')
  await world.timing.advance(99)
  expect(world.b.ends).toEqual([])
  await world.timing.advance(1)
  expect(numbersOf(world.b)).toEqual([1])
  expect(world.b.ends).toEqual([{ code: 4009, reason: 'match over' }])
  expect(world.a.ends).toEqual([{ code: 4009, reason: 'match over' }])

  const stalled = makeWorld('stream', { sending: { isCut: true } })
  stalled.a.close(4016, 'left')
  await stalled.timing.advance(2_999)
  expect(stalled.a.ends).toEqual([])
  await stalled.timing.advance(1)
  expect(stalled.a.ends).toEqual([{ code: 4016, reason: 'left' }])
})

test('a packet that waits is a copy: its bytes were only lent, and are used again', async () => {
  const timing = new VirtualTiming()
  const conditioner = new Conditioner({ timing, receiving: { latencyMs: 40 } })
  const [inner] = makeMemoryPair()
  const handlers: ConnectionHandler[] = []
  // A transport with one buffer for everything that it reads, as a socket may have.
  inner.open = (handler) => handlers.push(handler)
  const a = new Recorder(conditioner.wrap(inner))
  const buffer = Uint8Array.of(0, 1, 7, 7)
  handlers[0]?.handlePacket(buffer)
  buffer.set([0, 2])
  handlers[0]?.handlePacket(buffer)
  buffer.fill(255)
  await timing.advance(40)
  expect(numbersOf(a)).toEqual([1, 2])
})

test("the other end's close arrives behind its packets", async () => {
  const world = makeWorld('stream', { receiving: { latencyMs: 40 } })
  world.b.send(numbered(1))
  world.b.close(4010, 'shutdown')
  await world.timing.advance(39)
  expect([world.a.packets, world.a.ends]).toEqual([[], []])
  await world.timing.advance(1)
  expect(numbersOf(world.a)).toEqual([1])
  expect(world.a.ends).toEqual([{ code: 4010, reason: 'shutdown' }])
})

test('breaking all connections is heard as 1006, once, and not inside the call', async () => {
  const world = makeWorld('stream', { sending: { latencyMs: 40 } })
  world.a.send(numbered(1))
  world.conditioner.breakConnections()
  expect(world.a.ends).toEqual([])
  await world.timing.advance(100)
  world.conditioner.breakConnections()
  await world.timing.advance(100)
  expect(world.a.ends.map(({ code }) => code)).toEqual([1006])
  expect(world.b.packets).toEqual([])
  expect(world.b.ends.length).toBe(1)
})

test('the same seed gives the same fates, another seed others', async () => {
  const run = async (seed: number): Promise<string> => {
    const world = makeWorld('datagram', { seed, sending: { ...rough, corrupt: 0.1 } })
    await sendMany(world, 300)
    return JSON.stringify([world.arrivals, world.b.packets.map((packet) => [...packet])])
  }
  expect(await run(7)).toBe(await run(7))
  expect(await run(7)).not.toBe(await run(8))
})

test('switching one thing off does not change what happens to the packets otherwise', async () => {
  const lost = async (patch: LinkPatch): Promise<number[]> => {
    const world = makeWorld('datagram', { sending: { loss: 0.3, ...patch } })
    await sendMany(world, 300, 50)
    const heard = new Set(numbersOf(world.b))
    return range(300).filter((number) => !heard.has(number))
  }
  expect(await lost({ jitterMs: 5, duplicate: 0.5, reorder: 0.2 })).toEqual(await lost({}))
})

test('a dial takes a round trip longer, waits for the end of a cut, and gives up like any dial', async () => {
  const timing = new VirtualTiming()
  const conditioner = new Conditioner({
    timing,
    sending: { latencyMs: 30 },
    receiving: { latencyMs: 20 },
  })
  const listener = listenInMemory(() => {})
  const dial = conditioner.wrapDial(listener.dial)
  const outcomes: string[] = []
  const note = (name: string, promise: Promise<unknown>) =>
    promise.then(
      () => outcomes.push(`${name} at ${timing.nowMs()}`),
      ({ code }) => outcomes.push(`${name} ${code} at ${timing.nowMs()}`),
    )
  note('plain', dial())
  await timing.advance(100)
  conditioner.set({ isCut: true })
  note('patient', dial())
  await timing.advance(1_000)
  conditioner.set({ isCut: false })
  await timing.advance(0)
  conditioner.set({ isClogged: true })
  const controller = new AbortController()
  note('aborted', dial(controller.signal))
  note('in vain', dial())
  await timing.advance(900)
  controller.abort()
  await timing.advance(20_000)
  expect(outcomes).toEqual([
    'plain at 50',
    'patient at 1100',
    'aborted SS_CONNECT_ABORTED at 2000',
    'in vain SS_CONNECT_TIMEOUT at 11150',
  ])
})

test('a value outside its range is refused, and changes nothing', () => {
  const conditioner = new Conditioner({ sending: { loss: 0.5 } })
  const bad: LinkPatch[] = [
    { loss: 1.1 },
    { latencyMs: -1 },
    { jitterMs: Number.NaN },
    { latencyMs: 3, bytesPerSecond: -5 },
    { burst: { everyMs: 1, lengthMs: 1, loss: 2 } },
  ]
  for (const patch of bad) expect(() => conditioner.set(patch)).toThrow(/must be a number from 0/)
  expect(conditioner.sending).toMatchObject({ loss: 0.5, latencyMs: 0 })
  expect(() => new Conditioner({ receiving: { corrupt: 2 } })).toThrow(/corrupt/)
})

test('what ended is let go, and an accepted connection can still be marked as known', async () => {
  let known = 0
  const conditioner = new Conditioner()
  const [left, right] = makeMemoryPair()
  const wrapped: Recorder[] = []
  const accept = conditioner.wrapAccept((connection) => {
    connection.markKnown?.()
    wrapped.push(new Recorder(connection))
  })
  accept(Object.assign(left, { markKnown: () => known++ }))
  expect(known).toBe(1)
  const b = new Recorder(right)
  b.close(1000, '')
  expect((await wrapped[0]!.ended()).code).toBe(1000)
  conditioner.breakConnections()
  expect(wrapped[0]!.ends.length).toBe(1)
})
