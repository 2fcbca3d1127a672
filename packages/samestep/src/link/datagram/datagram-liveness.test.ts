import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Conditions } from '../testing/link-world.ts'
import { clean, dead, storm } from '../testing/link-world.ts'
import { datagramWorld, numbered } from '../testing/pair.ts'
import type { Habits } from '../testing/traffic.ts'
import { Traffic } from '../testing/traffic.ts'

/** How long a healed link may take to deliver everything that waited, two full lanes each way. */
const healMs = 15_000

const share = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 0.6, noNaN: true }))
const lossy: fc.Arbitrary<Conditions> = fc.record({
  latencyMs: fc.nat(300),
  jitterMs: fc.constantFrom(0, 10, 100, 300),
  loss: share,
  duplicate: fc.double({ min: 0, max: 0.5, noNaN: true }),
  corrupt: fc.constantFrom(0, 0.05, 0.3),
})
const size = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 200 }) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 5_000 }) },
)
const habits: fc.Arbitrary<Habits> = fc.record({
  control: size,
  bulk: fc.oneof(size, fc.integer({ min: 5_000, max: 65_535 })),
  tick: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 250 })),
})
const phase = fc.record({
  ab: lossy,
  ba: lossy,
  a: habits,
  b: habits,
  steps: fc.integer({ min: 1, max: 20 }),
  stepMs: fc.constantFrom(0, 1, 33, 100, 500),
})

describe('no loss pattern deadlocks', () => {
  test('[B-28] once the path is clean, everything that was queued arrives, once, in sequence', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(0, 65_500, 65_535),
        fc.constantFrom(300, 1_200),
        fc.array(phase, { minLength: 1, maxLength: 5 }),
        (seed, firstNumber, packetBytesMax, phases) => {
          const world = datagramWorld(seed, { firstNumber, packetBytesMax })
          const traffic = new Traffic(world)
          for (const { ab, ba, a, b, steps, stepMs } of phases) {
            world.conditions.a = ab
            world.conditions.b = ba
            for (let step = 0; step < steps; step++) {
              traffic.send('a', a)
              traffic.send('b', b)
              world.run(world.nowMs + stepMs)
            }
          }
          const states = [world.channels.a.state.name, world.channels.b.state.name]
          // A control lane that got too full in a long silence has failed; that is tested elsewhere.
          fc.pre(states.every((name) => name === 'open'))
          world.setBoth(clean)
          const isDone = world.run(world.nowMs + healMs, () => traffic.isDone)
          expect(isDone, traffic.summary).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  test.each([
    ['everything lost for half a minute', dead, dead],
    ['only the way there lost', dead, clean],
    ['only the way back lost', clean, dead],
    ['a storm', storm, storm],
  ])('%s, then clean: the first retry is at most two seconds away', (_what, ab, ba) => {
    for (const [index, blackoutMs] of [100, 1_000, 9_000, 30_000].entries()) {
      const world = datagramWorld(index + 1)
      const traffic = new Traffic(world)
      world.run(500)
      world.conditions.a = ab
      world.conditions.b = ba
      traffic.send('a', { control: 3_000, bulk: 20_000, tick: 0 })
      traffic.send('b', { control: 3_000, bulk: 20_000, tick: 0 })
      world.run(world.nowMs + blackoutMs)
      world.setBoth(clean)
      const healedMs = world.nowMs
      expect(
        world.run(healedMs + 4_000, () => traffic.isDone),
        traffic.summary,
      ).toBe(true)
    }
  })

  test('counts wrap several times under loss and reordering', () => {
    const world = datagramWorld(11, { firstNumber: 65_000 })
    const traffic = new Traffic(world)
    world.setBoth({ ...storm, latencyMs: 2, jitterMs: 5, loss: 0.05 })
    const tick = { control: 0, bulk: 0, tick: 5 }
    const talk = { control: 5, bulk: 0, tick: 5 }
    const more = { control: 5, bulk: 5, tick: 5 }
    for (let turn = 0; turn < 140_000; turn++) {
      traffic.send('a', turn % 8 === 0 ? more : turn % 2 === 0 ? talk : tick)
      if (turn % 16 === 0) traffic.send('b', more)
      if (turn % 4 === 0) world.run(world.nowMs + 2)
      if (turn % 1_000 === 0) traffic.forgetReceived()
    }
    expect(world.channels.a.stats.packetsSent).toBeGreaterThan(2 * 65_536)
    world.setBoth(clean)
    expect(
      world.run(world.nowMs + healMs, () => traffic.isDone),
      traffic.summary,
    ).toBe(true)
  })

  test('ticks in a long one-way silence do not use up the numbers', () => {
    const world = datagramWorld(1, { silenceMsMax: 3_600_000 })
    const traffic = new Traffic(world)
    world.run(2_000)
    world.conditions.a = dead
    for (let turn = 0; turn < 70_000; turn++) {
      traffic.send('a', { control: turn === 0 ? 500 : 0, bulk: 0, tick: 5 })
      if (turn % 8 === 0) world.run(world.nowMs + 4)
    }
    expect(world.channels.a.stats.packetsSent).toBeLessThan(32_000)
    world.run(world.nowMs + 600_000)
    world.setBoth(clean)
    expect(
      world.run(world.nowMs + healMs, () => traffic.isDone),
      traffic.summary,
    ).toBe(true)
    traffic.send('a', { control: 0, bulk: 0, tick: 5 })
    const before = world.received.b.length
    world.run(world.nowMs + 2_000)
    traffic.send('a', { control: 0, bulk: 0, tick: 5 })
    world.run(world.nowMs + 100)
    expect(world.received.b.length).toBeGreaterThan(before)
  })

  test('the close handshake ends on both sides, whatever is lost', () => {
    const closing = fc.record({ ab: lossy, ba: lossy, messages: fc.nat(40), both: fc.boolean() })
    fc.assert(
      fc.property(fc.integer(), closing, (seed, { ab, ba, messages, both }) => {
        const world = datagramWorld(seed)
        const traffic = new Traffic(world)
        world.run(300)
        world.conditions.a = ab
        world.conditions.b = ba
        for (let count = 0; count < messages; count++) {
          traffic.send('a', { control: 300, bulk: 300, tick: 30 })
        }
        world.act('a', (channel, nowMs) => channel.close(4_010, nowMs))
        if (both) world.act('b', (channel, nowMs) => channel.close(4_009, nowMs))
        world.run(world.nowMs + 5_000)
        expect(world.channels.a.state).toEqual({ name: 'closed', code: 4_010 })
        // What was on its way when a gave up still counts as a sign of life.
        world.run(world.nowMs + 61_000)
        const { state } = world.channels.b
        const codes: unknown[] = both ? [4_009] : [4_010, 'lost']
        expect(state.name === 'closed' && codes.includes(state.code), JSON.stringify(state)).toBe(
          true,
        )
        expect(world.channels.a.heldBytes + world.channels.b.heldBytes).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('goodbye gets through a storm with its code, and after all control messages', () => {
    let told = 0
    for (let seed = 1; seed <= 40; seed++) {
      const world = datagramWorld(seed)
      world.run(1_000)
      world.setBoth({ ...storm, loss: 0.2 })
      for (let number = 0; number < 5; number++) {
        world.act('a', (channel, nowMs) => channel.sendControl(numbered(number), nowMs))
      }
      world.act('a', (channel, nowMs) => channel.close(4_010, nowMs))
      world.run(world.nowMs + 10_000)
      const { state } = world.channels.b
      if (state.name !== 'closed' || state.code !== 4_010) continue
      told++
      expect(world.lane('b', 'control')).toHaveLength(5)
    }
    expect(told).toBeGreaterThanOrEqual(39)
  })
})

describe('back-pressure', () => {
  test('an owner that does not poll stops the other side, not itself, and goes on later', () => {
    const world = datagramWorld(2)
    const traffic = new Traffic(world)
    world.idle.add('b')
    for (let turn = 0; turn < 400; turn++) {
      traffic.send('a', { control: turn < 20 ? 500 : 0, bulk: 9_000, tick: 100 })
      world.run(world.nowMs + 10)
    }
    expect(traffic.refusals).toBeGreaterThan(100)
    world.idle.delete('b')
    world.takeMessages('b')
    expect(
      world.run(world.nowMs + healMs, () => traffic.isDone),
      traffic.summary,
    ).toBe(true)
  })
})

describe('bulk', () => {
  /** Sends a megabyte in pieces of 16 KiB, with a tick every 33 ms; gives what it took. */
  function transfer(conditions: Conditions): { tookMs: number; tickMs: number[]; resent: number } {
    const world = datagramWorld(4)
    world.setBoth(conditions)
    let [arrived, sent, seen, nextTickMs] = [0, 0, 0, 0]
    const tickMs: number[] = []
    const sentAtMs: number[] = []
    const isDone = (): boolean => {
      for (; seen < world.received.b.length; seen++) {
        const { lane, bytes, atMs } = world.received.b[seen]!
        if (lane === 'bulk') arrived++
        else tickMs.push(atMs - sentAtMs[bytes[0]! | (bytes[1]! << 8)]!)
      }
      return arrived === 64
    }
    while (!isDone() && world.nowMs < 120_000) {
      world.act('a', (channel, nowMs) => {
        while (sent < 64 && channel.sendBulk(numbered(sent, 16_384), nowMs)) sent++
        if (nowMs < nextTickMs) return
        nextTickMs += 33
        channel.sendTick(numbered(sentAtMs.length, 60), nowMs)
        sentAtMs.push(nowMs)
      })
      world.run(world.nowMs + 11, isDone)
    }
    const { packetsResent } = world.channels.a.stats
    return { tookMs: world.nowMs, tickMs, resent: packetsResent }
  }

  test('a megabyte takes at most 4 s at 200 ms of round trip, and nothing is sent twice', () => {
    const { tookMs, resent } = transfer({ ...clean, latencyMs: 100 })
    expect(tookMs).toBeLessThan(4_000)
    expect(resent).toBe(0)
  })

  test.each([
    [0.05, 8_000],
    [0.1, 12_000],
  ])('random loss of %f leaves a usable pace: less than %i ms', (loss, limitMs) => {
    const { tookMs } = transfer({ ...clean, latencyMs: 100, loss })
    expect(tookMs).toBeLessThan(limitMs)
  })

  test.each([
    ['2 Mbit/s', 250, 60_000],
    ['10 Mbit/s', 1_250, 300_000],
  ])('on a path of %s with a deep queue, ticks are hardly delayed', (_what, bytesPerMs, queue) => {
    const { tookMs, tickMs } = transfer({ ...clean, bytesPerMs, queueBytesMax: queue })
    tickMs.sort((a, b) => a - b)
    const median = tickMs[tickMs.length >> 1]!
    const p95 = tickMs[Math.floor(tickMs.length * 0.95)]!
    // The bare path takes 20 ms. A sender that fills the queue would make it 240 ms more.
    expect(median).toBeLessThan(20 + 60)
    expect(p95).toBeLessThan(20 + 120)
    // And still it uses a good half of the path.
    expect(tookMs).toBeLessThan((2 * 1_048_576) / bytesPerMs + 1_000)
  })
})
