import { expect, test } from 'vitest'
import type { PathPatch } from '../../netem/conditions.ts'
import type { Connection, ConnectionHandler } from '../connection.ts'
import { listenInMemory, makeMemoryPair } from '../memory.ts'
import { Recorder } from '../testing/recorder.ts'
import { TestTiming } from '../testing/test-timing.ts'
import { Conditioner, type ConditionerOptions } from './conditioner.ts'

const rough: PathPatch = { latencyMs: 2, jitterMs: 1, loss: 0.02, duplicate: 0.1, reorder: 0.1 }

/** A pair in virtual time whose first end is behind a conditioner. */
function makeWorld(kind: 'stream' | 'datagram', options: ConditionerOptions = {}) {
  const timing = new TestTiming(0)
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
    await world.timing.pass(everyMs)
  }
  await world.timing.pass(20_000)
}

test('latency is added each way, and only where it was set', async () => {
  const { timing, conditioner, a, b, arrivals } = makeWorld('datagram')
  conditioner.set({ latencyMs: 80 }, 'sending')
  conditioner.set({ latencyMs: 30 }, 'receiving')
  a.send(numbered(1))
  b.send(numbered(2))
  await timing.pass(29)
  expect(a.packets).toEqual([])
  await timing.pass(1)
  expect(numbersOf(a)).toEqual([2])
  await timing.pass(49)
  expect(b.packets).toEqual([])
  await timing.pass(1)
  expect(arrivals).toEqual([80])
})

test('what is drawn for a packet happens to it, is counted, and is the same for the same seed', async () => {
  const run = async (seed: number) => {
    const world = makeWorld('datagram', { seed, sending: { ...rough, loss: 0.2 } })
    await sendMany(world, 1_000)
    return { ...world, numbers: numbersOf(world.b) }
  }
  const { conditioner, arrivals, numbers } = await run(7)
  const { sent, delivered, lost, duplicated, reordered } = conditioner.stats
  expect([sent, delivered]).toEqual([1_000, numbers.length])
  expect(numbers.length).toBe(1_000 - lost + duplicated)
  expect(Math.min(lost - 150, duplicated - 50, reordered - 50)).toBeGreaterThan(0)
  expect(numbers).not.toEqual([...numbers].sort((a, b) => a - b))
  expect((await run(7)).arrivals).toEqual(arrivals)
  expect((await run(8)).arrivals).not.toEqual(arrivals)
})

test('throttling spreads packets by their size, shows a backlog, and drops what the queue cannot hold', async () => {
  const world = makeWorld('datagram', { sending: { bytesPerSecond: 1_000, queueBytes: 1_000 } })
  for (let count = 0; count < 20; count++) world.a.send(new Uint8Array(100))
  expect(world.wrapped.backlogBytes).toBe(1_000)
  await world.timing.pass(5_000)
  const rounded = world.arrivals.map((atMs) => Math.round(atMs))
  expect(rounded).toEqual(range(10).map((number) => (number + 1) * 100))
  expect(world.conditioner.stats.queueFull).toBe(10)
  expect(world.wrapped.backlogBytes).toBe(0)
})

test('a cut loses datagrams, also those on their way; a stall keeps all of them', async () => {
  const { timing, conditioner, a, b } = makeWorld('datagram', { sending: { latencyMs: 50 } })
  a.send(numbered(1))
  await timing.pass(10)
  conditioner.set({ isCut: true })
  a.send(numbered(2))
  await timing.pass(100)
  conditioner.set({ isCut: false, isClogged: true })
  a.send(numbered(3))
  await timing.pass(1_000)
  expect(b.packets).toEqual([])
  conditioner.set({ isClogged: false })
  expect(b.packets).toEqual([])
  await timing.pass(0)
  expect(numbersOf(b)).toEqual([3])
  expect(conditioner.stats.cut).toBe(2)
})

test('a stream loses, doubles, damages and displaces nothing, whatever is switched while it runs', async () => {
  const world = makeWorld('stream')
  const patches: PathPatch[] = [
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
    await world.timing.pass(3)
  }
  world.conditioner.reset()
  await world.timing.pass(3_600_000)
  expect(numbersOf(world.b)).toEqual(range(3_000))
  expect(world.b.packets.every((packet) => packet.length === 4)).toBe(true)
  expect(world.a.violations + world.b.violations).toBe(0)
})

test('a stall of a stream shows as backlog, and its end lets everything through in sequence', async () => {
  const world = makeWorld('stream', { sending: { isClogged: true } })
  for (let number = 0; number < 50; number++) world.a.send(numbered(number))
  await world.timing.pass(60_000)
  expect(world.wrapped.backlogBytes).toBe(200)
  expect(world.b.packets).toEqual([])
  world.conditioner.reset()
  // Sent after the stall, but before the others came through: it must stand behind them.
  world.a.send(numbered(50))
  await world.timing.pass(1)
  expect(numbersOf(world.b)).toEqual(range(51))
  expect(world.wrapped.backlogBytes).toBe(0)
})

test('after a cut a stream goes on when its sender would try again', async () => {
  const world = makeWorld('stream', { sending: { latencyMs: 20, isCut: true } })
  world.a.send(numbered(0))
  await world.timing.pass(1_000)
  world.conditioner.set({ isCut: false })
  world.a.send(numbered(1))
  expect(world.wrapped.backlogBytes).toBe(8)
  await world.timing.pass(2_000)
  expect(numbersOf(world.b)).toEqual([0, 1])
  // One latency at least, and at most the length of the outage more.
  expect(world.arrivals[0]).toBeGreaterThanOrEqual(1_020)
  expect(world.arrivals[0]).toBeLessThanOrEqual(2_020)
  expect(world.wrapped.backlogBytes).toBe(0)
})

test('a stream that stalls for too much breaks; datagrams beyond it are dropped', async () => {
  const packet = new Uint8Array(65_536)
  const stream = makeWorld('stream', { sending: { isClogged: true } })
  for (let count = 0; count < 300; count++) stream.a.send(packet)
  await stream.timing.pass(10)
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
  await world.timing.pass(99)
  expect(world.b.ends).toEqual([])
  await world.timing.pass(1)
  expect(numbersOf(world.b)).toEqual([1])
  expect(world.b.ends).toEqual([{ code: 4009, reason: 'match over' }])
  expect(world.a.ends).toEqual([{ code: 4009, reason: 'match over' }])

  const stalled = makeWorld('stream', { sending: { isCut: true } })
  stalled.a.close(4016, 'left')
  await stalled.timing.pass(2_999)
  expect(stalled.a.ends).toEqual([])
  await stalled.timing.pass(1)
  expect(stalled.a.ends).toEqual([{ code: 4016, reason: 'left' }])
})

test('a packet that waits is a copy: its bytes were only lent, and are used again', async () => {
  const timing = new TestTiming(0)
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
  await timing.pass(40)
  expect(numbersOf(a)).toEqual([1, 2])
})

test("the other end's close arrives behind its packets", async () => {
  const world = makeWorld('stream', { receiving: { latencyMs: 40 } })
  world.b.send(numbered(1))
  world.b.close(4010, 'shutdown')
  await world.timing.pass(39)
  expect([world.a.packets, world.a.ends]).toEqual([[], []])
  await world.timing.pass(1)
  expect(numbersOf(world.a)).toEqual([1])
  expect(world.a.ends).toEqual([{ code: 4010, reason: 'shutdown' }])
})

test('breaking all connections is heard as 1006, once, and not inside the call', async () => {
  const world = makeWorld('stream', { sending: { latencyMs: 40 } })
  world.a.send(numbered(1))
  world.conditioner.breakConnections()
  expect(world.a.ends).toEqual([])
  await world.timing.pass(100)
  world.conditioner.breakConnections()
  await world.timing.pass(100)
  expect(world.a.ends.map(({ code }) => code)).toEqual([1006])
  expect(world.b.packets).toEqual([])
  expect(world.b.ends.length).toBe(1)
})

test('a dial takes a round trip longer, waits for the end of a cut, and gives up like any dial', async () => {
  const timing = new TestTiming(0)
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
  await timing.pass(100)
  conditioner.set({ isCut: true })
  note('patient', dial())
  await timing.pass(1_000)
  conditioner.set({ isCut: false })
  await timing.pass(0)
  conditioner.set({ isClogged: true })
  const controller = new AbortController()
  note('aborted', dial(controller.signal))
  note('in vain', dial())
  await timing.pass(900)
  controller.abort()
  await timing.pass(20_000)
  expect(outcomes).toEqual([
    'plain at 50',
    'patient at 1100',
    'aborted SS_CONNECT_ABORTED at 2000',
    'in vain SS_CONNECT_TIMEOUT at 11150',
  ])
})

test('a value outside its range is refused, and changes nothing', () => {
  const conditioner = new Conditioner({ sending: { loss: 0.5 } })
  expect(() => conditioner.set({ latencyMs: 3, jitterMs: -1 })).toThrow(/must be a number from 0/)
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

test('while the line is clear, who can exchange connections gets them as they are', () => {
  const conditioner = new Conditioner({ timing: new TestTiming(0) })
  let held: Connection[] = []
  const accept = conditioner.wrapAccept(
    (connection) => held.push(connection),
    (wrap) => {
      held = held.map(wrap)
    },
  )
  const plain = range(4).map(() => makeMemoryPair()[0])
  accept(plain[0]!)
  conditioner.set({ queueBytes: 9 })
  expect(held).toEqual([plain[0]])
  conditioner.set({ latencyMs: 5 }, 'receiving')
  accept(plain[1]!)
  expect(held.some((connection) => plain.includes(connection))).toBe(false)
  const wrapped = [...held]
  conditioner.set({ latencyMs: 6 })
  expect(held).toEqual(wrapped)
  conditioner.reset()
  accept(plain[2]!)
  expect(held).toEqual([...wrapped, plain[2]])
  conditioner.breakConnections()
  expect(held.some((connection) => plain.includes(connection))).toBe(false)
})
