import { describe, expect, test } from 'vitest'
import { Relay } from '../relay/relay.ts'
import type { Connection } from '../transport/connection.ts'
import { makeMemoryPair } from '../transport/memory.ts'
import { RelayDriver } from './relay-driver.ts'
import { DriverWorld } from './testing/driver-world.ts'
import { catchReported } from './testing/reported-errors.ts'
import { TestTiming } from './testing/test-timing.ts'

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
  const handlePacket = world.relay.relay.handlePacket.bind(world.relay.relay)
  let bugs = 0
  world.relay.relay.handlePacket = (link, bytes, nowMs) => {
    if (link === 2) {
      bugs += 1
      throw new Error('of the relay')
    }
    handlePacket(link, bytes, nowMs)
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

/** Time in which packets that arrive together can be told from those that do not. */
class ArrivalTiming extends TestTiming {
  readonly waiting: (() => void)[] = []
  readonly afterArrivals = (callback: () => void): void => {
    this.waiting.push(callback)
  }

  /** What arrived by now was heard. */
  settleArrivals(): void {
    for (const callback of this.waiting.splice(0)) callback()
  }
}

/** Nothing, in a lane for large things: it changes nothing. */
const nothing = Uint8Array.of(0x3e)

describe('packets that arrive together', () => {
  async function connect(links: number) {
    const timing = new ArrivalTiming()
    const relay = new Relay({ randomBytes })
    const calls: string[] = []
    const { handlePacket, handleTime, handleLinkClosed } = relay
    relay.handlePacket = (link, bytes, nowMs) => {
      calls.push(`packet ${link} at ${nowMs}`)
      if (bytes[0] === 0x3c) throw new Error('of the relay')
      handlePacket.call(relay, link, bytes, nowMs)
    }
    relay.handleTime = (nowMs) => {
      calls.push('time')
      handleTime.call(relay, nowMs)
    }
    relay.handleLinkClosed = (link, nowMs) => {
      calls.push(`closed ${link}`)
      handleLinkClosed.call(relay, link, nowMs)
    }
    const errors: (string | undefined)[] = []
    const handleError = (_: unknown, connection?: Connection) => {
      errors.push(connection?.remote)
    }
    const driver = new RelayDriver(relay, { handleError }, timing)
    const ends = Array.from({ length: links }, () => {
      const [near, far] = makeMemoryPair()
      driver.accept(far)
      near.open({ handlePacket: () => {}, handleClosed: () => {} })
      return near
    })
    await timing.pass(0)
    return { timing, driver, ends, calls, errors }
  }

  test('are handled together, in their sequence, each with the time at which it came', async () => {
    const { timing, ends, calls } = await connect(3)
    ends[2]!.send(nothing)
    await timing.pass(0)
    await timing.pass(2)
    ends[0]!.send(nothing)
    await timing.pass(0)
    expect(calls).toEqual([])
    expect(timing.waiting.length).toBe(1)
    timing.settleArrivals()
    expect(calls).toEqual(['packet 3 at 1000', 'packet 1 at 1002'])
    timing.settleArrivals()
    expect(calls.length).toBe(2)
  })

  test('come before whatever is done next', async () => {
    const { timing, driver, ends, calls } = await connect(2)
    ends[0]!.send(nothing)
    await timing.pass(0)
    driver.act(() => calls.push('act'))
    expect(calls).toEqual(['packet 1 at 1000', 'act'])
    ends[1]!.send(nothing)
    ends[1]!.close(1000, '')
    await timing.pass(0)
    expect(calls.slice(2)).toEqual(['packet 2 at 1000', 'closed 2'])
  })

  test('are handled before time passes', async () => {
    const { timing, ends, calls } = await connect(1)
    ends[0]!.send(nothing)
    // The handshake of a stranger has an end, at which the relay is woken.
    await timing.pass(60_000)
    expect(calls.indexOf('packet 1 at 1000')).toBeLessThan(calls.indexOf('time'))
    expect(calls[0]).toBe('packet 1 at 1000')
  })

  test('a bug that one of them meets is told with its connection, and the rest is handled', async () => {
    const { timing, ends, calls, errors } = await connect(2)
    ends[0]!.send(Uint8Array.of(0x3c))
    ends[1]!.send(nothing)
    await timing.pass(0)
    timing.settleArrivals()
    expect(calls.length).toBe(2)
    expect(errors).toEqual([expect.any(String)])
  })

  test('more than can wait are handled at once, and none is lost', async () => {
    const { timing, ends, calls } = await connect(1)
    for (let count = 0; count < 5_000; count++) ends[0]!.send(nothing)
    await timing.pass(0)
    expect(calls.length).toBe(4_096)
    timing.settleArrivals()
    expect(calls.length).toBe(5_000)
  })
})
