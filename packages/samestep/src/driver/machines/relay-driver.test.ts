import { describe, expect, test } from 'vitest'
import { Relay } from '../../relay/relay.ts'
import type { RelayOutput } from '../../relay/relay-outputs.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { Connection, ConnectionHandler } from '../../transport/connection.ts'
import { makeMemoryPair } from '../../transport/memory.ts'
import { TestTiming } from '../../transport/testing/test-timing.ts'
import type { Timing } from '../../transport/timing.ts'
import { DriverWorld } from '../testing/driver-world.ts'
import { catchReported } from '../testing/reported-errors.ts'
import { RelayDriver } from './relay-driver.ts'

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
    { handleMatch: (_match, event) => event.type === 'sealed' && sealed.push(event.tick) },
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

test('an open connection can be exchanged for another, which carries everything from then on', async () => {
  const timing = new TestTiming()
  const driver = new RelayDriver(new Relay({ randomBytes }), {}, timing)
  const conditioner = new Conditioner({ timing })
  const accept = conditioner.wrapAccept(
    (connection) => driver.accept(connection),
    (wrap) => driver.rewrap(wrap),
  )
  const dial = async (): Promise<Connection> => {
    const [near, far] = makeMemoryPair()
    accept(far)
    return near
  }
  const joining = new DriverWorld().join({ dial, timing })
  await timing.pass(1_000)
  const match = await joining
  const { stats } = conditioner
  expect([match.status, stats.sent]).toEqual(['active', 0])
  conditioner.set({ latencyMs: 30 })
  await timing.pass(1_000)
  // Twenty ticks down and as many acknowledgements up, at least.
  expect(stats.delivered).toBeGreaterThan(30)
  const before = match.cursors.simulatedTick
  conditioner.set({ isClogged: true })
  await timing.pass(500)
  // What had come by then still runs.
  expect(match.cursors.simulatedTick).toBeLessThanOrEqual(before + 1)
  conditioner.reset()
  await timing.pass(1_000)
  expect(match.cursors.simulatedTick).toBeGreaterThan(before + 20)
  conditioner.breakConnections()
  await timing.pass(2_000)
  expect([match.status, driver.connectionCount]).toEqual(['active', 1])
})

test('a hook that throws is told of, and the match goes on', async () => {
  const timing = new TestTiming()
  const errors: unknown[] = []
  let sealed = 0
  const driver = new RelayDriver(
    new Relay({ randomBytes }),
    {
      handleMatch: (_match, event) => {
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
  const handlePacket = world.relay.relay.handlePacket.bind(world.relay.relay)
  let bugs = 0
  world.relay.relay.handlePacket = (link, bytes, nowMs) => {
    if (link === 2) {
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
  relay.handlePacket = (link) => {
    links.push(link)
    if (link === 1) throw new Error('of the relay')
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

test('packets of a match leave before the next one is served', async () => {
  const timing = new TestTiming()
  const relay = new Relay({ randomBytes })
  const heard: string[] = []
  const handleMatch = (match: string) => {
    heard.push(`told of ${match}`)
  }
  const driver = new RelayDriver(relay, { handleMatch }, timing)
  const waiting: RelayOutput[] = []
  let served = 0
  relay.pollOutput = () => waiting.shift()
  relay.wakeAtMs = () => (served < 2 ? 10 : Number.POSITIVE_INFINITY)
  relay.handleTime = () => {
    served += 1
    heard.push('served')
    waiting.push({ type: 'match', match: `m${served}`, event: { type: 'ended' } })
  }
  driver.act(() => {})
  await timing.pass(15)
  expect(heard).toEqual(['served', 'told of m1', 'served', 'told of m2'])
})

test('a match that throws keeps none of the others from being served', async () => {
  const timing = new TestTiming()
  const relay = new Relay({ randomBytes })
  const errors: unknown[] = []
  const driver = new RelayDriver(relay, { handleError: (error) => errors.push(error) }, timing)
  let calls = 0
  relay.wakeAtMs = () => (calls < 3 ? 10 : Number.POSITIVE_INFINITY)
  relay.handleTime = () => {
    calls += 1
    if (calls === 1) throw new Error('of a match')
  }
  driver.act(() => {})
  await timing.pass(15)
  expect([calls, errors.length]).toEqual([3, 1])
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
    const relay = new Relay({ randomBytes })
    let isServed = false
    relay.wakeAtMs = () => (isServed ? 200 : 100)
    relay.handleTime = () => {
      isServed = true
      handleTime()
    }
    const errors: unknown[] = []
    const handleError = (error: unknown) => errors.push(error)
    const timing: Timing = {
      nowMs: () => time.nowMs,
      schedule: () => () => {},
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
    return { time, errors, hear }
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

  test('and meets a bug is told of, and the packet knows nothing of it', () => {
    let calls = 0
    const { time, errors, hear } = make(() => {
      calls += 1
      if (calls === 1) throw new Error('of the relay')
    })
    time.nowMs = 100
    expect(hear).not.toThrow()
    expect(errors).toMatchObject([{ message: 'of the relay' }])
  })
})
