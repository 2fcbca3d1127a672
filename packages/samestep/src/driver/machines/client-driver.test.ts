import { expect, test } from 'vitest'
import { Client } from '../../client/client.ts'
import { makeRunning } from '../../client/run/make-running.ts'
import type { Connection, Dial } from '../../transport/connection.ts'
import { makeMemoryPair } from '../../transport/memory.ts'
import { secretBytes } from '../../wire/messages/return-proof.ts'
import { DriverWorld, ledger } from '../testing/driver-world.ts'
import { catchReported } from '../testing/reported-errors.ts'
import { ClientDriver } from './client-driver.ts'

/** A client with its driver, and what it was told. */
function start(world: DriverWorld, dial: Dial, retryMs = 100) {
  // Who has no secret cannot prove that a session is its own, and is not let back.
  const secret = new Uint8Array(secretBytes).fill(7)
  const client = new Client(ledger, { match: 'friday', name: 'ada', retryMs, secret }, makeRunning)
  const events: string[] = []
  const driver = new ClientDriver(client, dial, world.timing, {
    handleEvent: ({ type }) => events.push(type),
    handleProgress: () => client.runTicks(Number.POSITIVE_INFINITY),
  })
  driver.wake()
  return { client, driver, events }
}

test('dials that fail are tried again, later each time', async () => {
  const world = new DriverWorld()
  world.isUnreachable = true
  const { client } = start(world, world.dial)
  await world.timing.pass(7_000)
  const gaps = world.dialedAtMs.slice(1).map((at, index) => at - world.dialedAtMs[index]!)
  expect(gaps).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000])
  expect(client.status).toBe('connecting')
})

test('once somebody was let in, the next link is tried soon again', async () => {
  const world = new DriverWorld()
  world.isUnreachable = true
  const { client } = start(world, world.dial)
  await world.timing.pass(2_000)
  world.isUnreachable = false
  await world.timing.pass(3_000)
  expect(client.status).toBe('active')
  const count = world.dialedAtMs.length
  world.dialed.at(-1)?.close(1000, '')
  const lostAtMs = world.timing.nowMs()
  await world.timing.pass(500)
  expect(world.dialedAtMs[count]).toBe(lostAtMs + 100)
  expect(client.status).toBe('active')
})

test('a dial that throws instead of rejecting is one that fails', async () => {
  const world = new DriverWorld()
  let count = 0
  const { client } = start(world, () => {
    count += 1
    throw new Error('no network at all')
  })
  await world.timing.pass(1_000)
  expect([client.status, count]).toEqual(['connecting', 4])
})

test('a connection over which nothing comes is given up, and what it says later is not heard', async () => {
  const world = new DriverWorld()
  const [silent, farEnd] = makeMemoryPair()
  const dials: Dial[] = [async () => silent, world.dial]
  const { client, events } = start(world, (signal) => dials.shift()!(signal))
  const ends: number[] = []
  farEnd.open({ handlePacket: () => {}, handleClosed: ({ code }) => ends.push(code) })
  await world.timing.pass(4_900)
  expect(client.status).toBe('joining')
  await world.timing.pass(1_000)
  expect([client.status, ends]).toEqual(['active', [1000]])
  expect(events.filter((type) => type === 'link-lost')).toHaveLength(1)
})

test('news of a connection that was replaced changes nothing', async () => {
  const world = new DriverWorld()
  const handlers: {
    handleClosed(end: { code: number; reason: string }): void
    handlePacket(bytes: Uint8Array): void
  }[] = []
  const dial: Dial = async (signal) => {
    const connection = await world.dial(signal)
    const wrapped: Connection = {
      kind: connection.kind,
      transport: connection.transport,
      packetBytesMax: connection.packetBytesMax,
      backlogBytes: 0,
      remote: '',
      send: (packet) => connection.send(packet),
      close: (code, reason) => connection.close(code, reason),
      open: (handler) => {
        handlers.push(handler)
        connection.open(handler)
      },
    }
    return wrapped
  }
  const { client, events } = start(world, dial)
  await world.timing.pass(500)
  world.dialed[0]?.close(1000, '')
  await world.timing.pass(500)
  expect([client.status, handlers.length]).toEqual(['active', 2])
  const told = events.length
  handlers[0]?.handleClosed({ code: 1006, reason: 'late news' })
  handlers[0]?.handlePacket(Uint8Array.of(9, 9, 9))
  await world.timing.pass(500)
  expect([client.status, handlers.length]).toEqual(['active', 2])
  expect(events.slice(told).filter((type) => type !== 'room' && type !== 'stats')).toEqual([])
})

test('a connection that comes after the end is closed at once', async () => {
  const world = new DriverWorld()
  let arrive: (connection: Connection) => void = () => {}
  let signal: AbortSignal | undefined
  const { client, driver } = start(world, (given) => {
    signal = given
    return new Promise((resolve) => {
      arrive = resolve
    })
  })
  client.leave(world.timing.nowMs())
  driver.stop()
  expect(signal?.aborted).toBe(true)
  const [near, far] = makeMemoryPair()
  const ends: string[] = []
  far.open({ handlePacket: () => {}, handleClosed: ({ reason }) => ends.push(reason) })
  arrive(near)
  await world.timing.pass(100)
  expect(ends).toEqual(['too late'])
  expect(driver.transport).toBeUndefined()
})

test('after stop nothing is dialled, sent or woken any more', async () => {
  const world = new DriverWorld()
  const { driver } = start(world, world.dial)
  await world.timing.pass(500)
  world.relay.stop()
  driver.stop()
  driver.stop()
  driver.wake()
  driver.flush()
  await world.timing.pass(10_000)
  expect([world.dialed.length, world.timing.timerCount]).toEqual([1, 0])
})

test('once the relay has ended the session no timer keeps a process alive', async () => {
  const world = new DriverWorld('datagram')
  const { client } = start(world, world.dial)
  await world.timing.pass(500)
  world.relay.stop()
  await world.timing.pass(50)
  expect([client.status, world.timing.timerCount]).toEqual(['closed', 0])
})

test('whoever throws while hearing of an event or of progress does not stop the clock', async () => {
  const reported = catchReported()
  const world = new DriverWorld()
  const client = new Client(ledger, { match: 'friday', name: 'ada' }, makeRunning)
  const driver = new ClientDriver(client, world.dial, world.timing, {
    handleEvent: () => {
      throw new Error('event')
    },
    handleProgress: () => {
      client.runTicks(Number.POSITIVE_INFINITY)
      throw new Error('progress')
    },
  })
  driver.wake()
  await world.timing.pass(2_000)
  expect(client.cursors.simulatedTick).toBeGreaterThanOrEqual(38)
  const messages = new Set(reported.map((error) => (error as Error).message))
  expect(messages).toEqual(new Set(['event', 'progress']))
})
