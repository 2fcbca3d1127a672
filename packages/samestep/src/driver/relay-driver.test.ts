import { describe, expect, test } from 'vitest'
import { Relay } from '../relay/relay.ts'
import type { RelayOutput } from '../relay/relay-output.ts'
import type { Connection, ConnectionHandler } from '../transport/connection.ts'
import { makeMemoryPair } from '../transport/memory.ts'
import { RelayDriver } from './relay-driver.ts'
import { DriverWorld } from './testing/driver-world.ts'
import { catchReported } from './testing/reported-errors.ts'
import { TestTiming } from './testing/test-timing.ts'
import type { Timing } from './timing.ts'

const randomBytes = (count: number) => new Uint8Array(count).fill(5)

test('ticks are sealed by the clock, whoever is connected', async () => {
  const world = new DriverWorld()
  await world.seat()
  await world.timing.pass(5_000)
  expect(world.sealedTick).toBe(100)
})

test('a process that stood still seals what 200 ms hold, and no burst', async () => {
  const world = new DriverWorld()
  await world.seat()
  await world.timing.pass(1_000)
  const before = world.sealedTick
  await world.timing.stall(30_000)
  // At 20 ticks per second.
  expect(world.sealedTick - before).toBeLessThanOrEqual(5)
  await world.timing.pass(1_000)
  expect(world.sealedTick - before).toBeLessThanOrEqual(25)
  expect(world.sealedTick - before).toBeGreaterThanOrEqual(20)
})

test('a clock that leaps forward or back drops nobody and makes no burst', async () => {
  const timing = new TestTiming()
  let offsetMs = 0
  const leaping = { nowMs: () => timing.nowMs() + offsetMs, schedule: timing.schedule }
  const sealed: number[] = []
  const driver = new RelayDriver(
    new Relay({ randomBytes }),
    { handleMatch: ({ event }) => event.type === 'sealed' && sealed.push(event.tick) },
    leaping,
  )
  const world = new DriverWorld()
  const dial = async (): Promise<Connection> => {
    const [near, far] = makeMemoryPair()
    driver.accept(far)
    return near
  }
  const joining = world.join({ dial, timing })
  await timing.pass(1)
  const match = await joining
  for (const leapMs of [86_400_000, -86_400_000, 3_600_000]) {
    const before = sealed.length
    offsetMs += leapMs
    await timing.pass(1_000)
    expect(sealed.length - before).toBeLessThanOrEqual(25)
    expect(sealed.length - before).toBeGreaterThanOrEqual(10)
  }
  expect(match.status).toBe('active')
})

test('a hook that throws is told of, and the match goes on', async () => {
  const timing = new TestTiming()
  const errors: unknown[] = []
  let sealed = 0
  const driver = new RelayDriver(
    new Relay({ randomBytes }),
    {
      handleMatch: ({ event }) => {
        if (event.type === 'sealed') sealed += 1
        throw new Error('of a hook')
      },
      handleError: (error) => errors.push(error),
    },
    timing,
  )
  const dial = async (): Promise<Connection> => {
    const [near, far] = makeMemoryPair()
    driver.accept(far)
    return near
  }
  const joining = new DriverWorld().join({ dial, timing })
  await timing.pass(1_000)
  await joining
  expect(sealed).toBeGreaterThanOrEqual(19)
  expect(errors.length).toBeGreaterThanOrEqual(sealed)
})

test('without a hook for errors, the platform is told', async () => {
  const reported = catchReported()
  const timing = new TestTiming()
  const driver = new RelayDriver(
    new Relay({ randomBytes }),
    {
      handleClosed: () => {
        throw new Error('of a hook')
      },
    },
    timing,
  )
  const [near, far] = makeMemoryPair()
  driver.accept(far)
  near.open({ handlePacket: () => {}, handleClosed: () => {} })
  near.close(1000, '')
  await timing.pass(1)
  expect(reported).toMatchObject([{ message: 'of a hook' }])
  expect(driver.connectionCount).toBe(0)
})

test('a bug that one packet meets is told, and leaves everybody else in peace', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  const reported = catchReported()
  const handlePacket = world.relay.relay.handleLinkPacket.bind(world.relay.relay)
  let bugs = 0
  world.relay.relay.handleLinkPacket = (link, bytes, nowMs) => {
    if (link.id === 2) {
      bugs += 1
      throw new Error('of the relay')
    }
    return handlePacket(link, bytes, nowMs)
  }
  const stranger = await world.dial()
  stranger.open({ handlePacket: () => {}, handleClosed: () => {} })
  stranger.send(Uint8Array.of(1, 2, 3))
  await world.timing.pass(1_000)
  expect(bugs).toBe(1)
  expect(reported).toMatchObject([{ message: 'of the relay' }])
  expect([match.status, world.sealedTick >= 20]).toEqual(['active', true])
})

test("a stranger's bytes end its own connection, with the code that says why", async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  const stranger = await world.dial()
  const ends: number[] = []
  stranger.open({ handlePacket: () => {}, handleClosed: ({ code }) => ends.push(code) })
  stranger.send(Uint8Array.of(0, 0xff, 0xfe, 0xfd))
  await world.timing.pass(1_000)
  expect(ends).toEqual([4001])
  expect([world.relay.connectionCount, world.relay.relay.linkCount]).toEqual([1, 1])
  expect(match.status).toBe('active')
})

test('whoever was let in is marked as known, and nobody else', async () => {
  const world = new DriverWorld()
  const known: string[] = []
  const watch = (name: string): (() => Promise<Connection>) => {
    return async () => {
      const [near, far] = makeMemoryPair()
      const marked: Connection = Object.assign(far, { markKnown: () => known.push(name) })
      world.relay.accept(marked)
      return near
    }
  }
  const joining = world.join({ dial: watch('player') })
  const stranger = await watch('stranger')()
  stranger.open({ handlePacket: () => {}, handleClosed: () => {} })
  await world.timing.pass(100)
  await joining
  expect(known).toEqual(['player'])
})

test('a relay that goes down says so to everybody, and takes nobody any more', async () => {
  const world = new DriverWorld()
  const match = await world.seat({ seats: 2 })
  const closed: string[] = []
  match.on('closed', ({ reason }) => closed.push(reason))
  world.relay.stop()
  world.relay.stop()
  const late = await world.dial()
  const ends: number[] = []
  late.open({ handlePacket: () => {}, handleClosed: ({ code }) => ends.push(code) })
  await world.timing.pass(100)
  expect(closed).toEqual(['shutdown'])
  expect(ends).toEqual([4010])
  expect([world.relay.connectionCount, world.relay.relay.linkCount]).toEqual([0, 0])
})

test('what an operator does is sent at once, and an act that fails is thrown to him', async () => {
  const world = new DriverWorld()
  const match = await world.seat()
  const closed: string[] = []
  match.on('closed', ({ reason }) => closed.push(reason))
  expect(() =>
    world.relay.act(() => {
      throw new Error('of the operator')
    }),
  ).toThrow('of the operator')
  const isKicked = world.relay.act((relay, nowMs) => relay.kick('friday', 0, nowMs))
  await world.timing.pass(1)
  expect([isKicked, closed]).toEqual([true, ['kicked']])
})

test('a bug that one packet meets is told with its connection, and the next one is handled', async () => {
  const timing = new TestTiming()
  const relay = new Relay({ randomBytes })
  const links: number[] = []
  relay.handleLinkPacket = ({ id }) => {
    links.push(id)
    if (id === 1) throw new Error('of the relay')
    return true
  }
  const errors: (string | undefined)[] = []
  const handleError = (_: unknown, connection?: Connection) => {
    errors.push(connection?.remote)
  }
  const driver = new RelayDriver(relay, { handleError }, timing)
  for (let count = 0; count < 2; count++) {
    const [near, far] = makeMemoryPair()
    driver.accept(far)
    near.open({ handlePacket: () => {}, handleClosed: () => {} })
    near.send(Uint8Array.of(1))
  }
  await timing.pass(0)
  expect(links).toEqual([1, 2])
  expect(errors).toEqual([expect.any(String)])
})

test('packets of a match leave before the next one is served, and what is polled when all are', async () => {
  const timing = new TestTiming()
  const relay = new Relay({ randomBytes })
  const heard: string[] = []
  const handleMatch = ({ match }: { match: string }) => heard.push(`told of ${match}`)
  const driver = new RelayDriver(relay, { handleMatch }, timing)
  const connection = { send: (bytes: Uint8Array) => heard.push(`sent ${bytes[0]}`) }
  const waiting: RelayOutput[] = []
  relay.pollOutput = () => waiting.shift()
  relay.wakeAtMs = () => (heard.length === 0 ? timing.nowMs() + 10 : Number.POSITIVE_INFINITY)
  relay.handleTime = (_, send) => {
    for (const number of [1, 2]) {
      heard.push('served')
      send?.(connection, Uint8Array.of(number))
      waiting.push({ type: 'match', match: `m${number}`, event: { type: 'ended' } })
    }
  }
  driver.act(() => {})
  await timing.pass(15)
  expect(heard).toEqual(['served', 'sent 1', 'served', 'sent 2', 'told of m1', 'told of m2'])
})

test('a bug that a waiting turn met is told with its connection', () => {
  const relay = new Relay({ randomBytes })
  const errors: unknown[] = []
  const handleError = (error: unknown) => errors.push(error)
  const driver = new RelayDriver(relay, { handleError }, new TestTiming())
  const error = new Error('of the relay')
  const outputs: RelayOutput[] = [
    { type: 'match', match: 'm', event: { type: 'bug', error, link: 7 } },
  ]
  relay.pollOutput = () => outputs.shift()
  driver.act(() => {})
  expect(errors).toEqual([error])
})

describe('a tick that is due while packets come', () => {
  /** A relay that wants to be woken at 100, whose timer does not fire, and one connection to it. */
  function make(handleTime: () => void) {
    const time = { nowMs: 0 }
    const timers: (() => void)[] = []
    const relay = new Relay({ randomBytes })
    relay.wakeAtMs = () => (time.nowMs < 100 ? 100 : 200)
    relay.handleTime = handleTime
    const handleError = (error: unknown, connection?: Connection) => {
      if (connection === undefined) throw error
    }
    const timing: Timing = {
      nowMs: () => time.nowMs,
      schedule: (callback) => {
        timers.push(callback)
        return () => {}
      },
    }
    const driver = new RelayDriver(relay, { handleError }, timing)
    let handler: ConnectionHandler | undefined
    const connection: Connection = {
      kind: 'stream',
      transport: 'test',
      packetBytesMax: 1_000,
      remote: 'test',
      backlogBytes: 0,
      open: (given) => {
        handler = given
      },
      send: () => {},
      close: () => {},
    }
    driver.accept(connection)
    const hear = () => handler!.handlePacket(Uint8Array.of(0xff))
    return { time, timers, hear }
  }

  test('does not wait until all of them were read', () => {
    let wakes = 0
    const { time, hear } = make(() => {
      wakes += 1
    })
    hear()
    expect(wakes).toBe(0)
    time.nowMs = 100
    for (let packet = 0; packet < 3; packet++) hear()
    expect(wakes).toBe(1)
  })

  test('and meets a bug, tells it where a timer would, and the packet knows nothing of it', () => {
    const { time, timers, hear } = make(() => {
      throw new Error('of the relay')
    })
    time.nowMs = 100
    const before = timers.length
    expect(hear).not.toThrow()
    expect(timers.length).toBeGreaterThan(before)
    expect(timers.at(-1)).toThrow('of the relay')
  })
})
