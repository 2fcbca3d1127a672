import { describe, expect, test } from 'vitest'
import type { LinkCurve } from '../plan.ts'
import { addCaller, Echo } from '../testing/toy.ts'
import { World } from '../world.ts'
import { conditionsAt, scheduleCurves } from './curves.ts'
import type { FaultOp } from './fault-op.ts'
import { Faults } from './faults.ts'

/** A caller and an echo, 100 packets per second, on a line of 5 ms. */
function makeCall(kind: 'stream' | 'datagram' = 'datagram') {
  const world = new World({ seed: 1, traceLines: 100_000 })
  const echo = new Echo(world)
  const to = world.addNode('echo', echo)
  const caller = addCaller(world, 'c1', { everyMs: 10, to, conditions: { kind } })
  /** Numbers that came back during a time. */
  const heardBetween = (fromMs: number, toMs: number): number => {
    const packets = caller.seen.filter(({ what }) => what === 'packet')
    return packets.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length
  }
  return { world, echo, caller, heardBetween }
}

const second = { atMs: 1000, durationMs: 1000 }

describe('Faults', () => {
  test('a fault begins and ends in time', () => {
    const { world, heardBetween } = makeCall()
    const faults = new Faults(world)
    faults.schedule([
      { kind: 'path', fault: 'F-03', node: 'c1', way: 'out', patch: { loss: 1 }, ...second },
      {
        kind: 'partition',
        fault: 'F-09',
        groups: [['c1']],
        isOneWay: false,
        atMs: 3000,
        durationMs: 500,
      },
    ])
    world.at(1500, () => expect(faults.active).toHaveLength(1))
    world.at(2500, () => expect(faults.active).toHaveLength(0))
    world.runUntil(5000)
    expect(heardBetween(500, 1000)).toBe(50)
    expect(heardBetween(1020, 2000)).toBe(0)
    expect(heardBetween(2100, 3000)).toBe(90)
    expect(heardBetween(3020, 3500)).toBe(0)
    expect(heardBetween(4000, 5000)).toBe(100)
  })

  test.each<[FaultOp, (world: World) => unknown, unknown, unknown]>([
    [
      { kind: 'clock-freeze', fault: 'F-11', node: 'c1', ...second },
      (world) => Math.round(world.localMs(1)),
      1000,
      4000,
    ],
    [
      { kind: 'clock-drift', fault: 'F-11', node: 'c1', ppm: 500_000, ...second },
      (world) => Math.round(world.localMs(1)),
      1750,
      5500,
    ],
    [
      { kind: 'clock-jump', fault: 'F-11', node: 'c1', byMs: -300, atMs: 1000, durationMs: 0 },
      (world) => Math.round(world.localMs(1)),
      1200,
      4700,
    ],
  ])('%o acts on the node that it names, while it lasts', (op, look, during, after) => {
    const { world } = makeCall()
    new Faults(world).schedule([op])
    world.runUntil(1500)
    expect(look(world)).toBe(during)
    world.runUntil(5000)
    expect(look(world)).toBe(after)
  })

  test('a pause stops the node, a throttle slows its timers', () => {
    const { world, caller, heardBetween } = makeCall()
    new Faults(world).schedule([
      { kind: 'pause', fault: 'F-14', node: 'c1', ...second },
      { kind: 'pause', fault: 'F-14', node: 'c1', atMs: 1100, durationMs: 200 },
      {
        kind: 'throttle',
        fault: 'F-13',
        node: 'c1',
        intervalMs: 500,
        atMs: 3000,
        durationMs: 2000,
      },
    ])
    world.runUntil(6000)
    expect(heardBetween(1000, 2000)).toBe(0)
    const wakes = caller.seen.filter(
      ({ what, atMs }) => what === 'time' && atMs > 3001 && atMs < 5000,
    )
    const gapsMs = wakes.slice(1).map(({ atMs }, index) => atMs - wakes[index]!.atMs)
    expect(gapsMs).toEqual([500, 500, 500])
    expect(heardBetween(5100, 6000)).toBe(90)
  })

  test('a machine that sleeps does nothing, keeps nothing, and goes on when it wakes', () => {
    const { world, heardBetween } = makeCall()
    const sleep = { kind: 'sleep', fault: 'F-15', node: 'c1', ...second } as const
    new Faults(world).schedule([{ ...sleep, isClockStopped: true }])
    world.runUntil(1500)
    expect(Math.round(world.localMs(1))).toBe(1000)
    world.runUntil(5000)
    expect(Math.round(world.localMs(1))).toBe(4000)
    // What was under way came too late, and does not come again.
    expect(heardBetween(1000, 2020)).toBeLessThanOrEqual(2)
    expect(heardBetween(4000, 5000)).toBe(100)
  })

  test('without sockets nothing is opened, by the node or to it, until there are some again', () => {
    for (const node of ['c1', 'echo']) {
      const { world, caller, heardBetween } = makeCall('stream')
      new Faults(world).schedule([
        { kind: 'no-links', fault: 'F-23', node, ...second },
        { kind: 'reset', fault: 'F-23', node, lateMs: 0, atMs: 1001, durationMs: 0 },
      ])
      world.runUntil(5000)
      expect(heardBetween(1100, 2000)).toBe(0)
      expect(heardBetween(4000, 5000)).toBe(100)
      expect(caller.seen.filter(({ what }) => what === 'closed').length).toBeGreaterThan(1)
    }
  })

  test('a reset makes both sides connect anew; a half-open stream makes them wait', () => {
    const reset = makeCall('stream')
    new Faults(reset.world).schedule([
      { kind: 'reset', fault: 'F-23', node: 'c1', lateMs: 100, atMs: 1000, durationMs: 0 },
    ])
    reset.world.runUntil(5000)
    expect(reset.caller.seen.filter(({ what }) => what === 'closed')).toHaveLength(1)
    expect(reset.echo.seen.filter(({ what }) => what === 'opened')).toHaveLength(2)
    expect(reset.heardBetween(4000, 5000)).toBe(100)
    const half = makeCall('stream')
    new Faults(half.world).schedule([
      { kind: 'half-open', fault: 'F-08', node: 'echo', atMs: 1000, durationMs: 0 },
    ])
    half.world.runUntil(5000)
    expect(half.caller.seen.filter(({ what }) => what === 'closed')).toHaveLength(0)
    expect(half.heardBetween(1020, 5000)).toBe(0)
  })

  test('what only the owner of a node can do is handed to it, and ended', () => {
    const { world } = makeCall()
    const calls: string[] = []
    const faults = new Faults(world, {
      slow: (node, op) => {
        calls.push(`slow ${world.nameOf(node)} ×${op.factor}`)
        return () => calls.push(`end at ${world.nowMs}`)
      },
      custom: (_node, op) => {
        calls.push(`${op.fault} ${JSON.stringify(op.data)}`)
        return () => calls.push('restart')
      },
    })
    faults.schedule([
      { kind: 'slow', fault: 'F-12', node: 'c1', factor: 3, ...second },
      {
        kind: 'custom',
        fault: 'F-16',
        node: 'echo',
        data: { torn: true },
        atMs: 2500,
        durationMs: 9000,
      },
      { kind: 'slow', fault: 'F-12', node: 'nobody', factor: 3, ...second },
    ])
    world.runUntil(3000)
    faults.healAll()
    world.runUntil(20_000)
    expect(calls).toEqual(['slow c1 ×3', 'end at 2000', 'F-16 {"torn":true}', 'restart'])
  })

  test('healing ends everything at once, and nothing begins any more', () => {
    const { world, heardBetween } = makeCall()
    const faults = new Faults(world)
    const long = { atMs: 1000, durationMs: 600_000 }
    faults.schedule([
      { kind: 'partition', fault: 'F-09', groups: [['c1']], isOneWay: true, ...long },
      {
        kind: 'path',
        fault: 'F-09',
        node: 'echo',
        way: 'both',
        patch: { isClogged: true },
        ...long,
      },
      { kind: 'path', fault: 'F-03', node: 'echo', way: 'in', patch: { loss: 1 }, ...long },
      { kind: 'pause', fault: 'F-14', node: 'echo', ...long },
      { kind: 'clock-freeze', fault: 'F-11', node: 'c1', ...long },
      { kind: 'throttle', fault: 'F-13', node: 'c1', intervalMs: 60_000, ...long },
      {
        kind: 'path',
        fault: 'F-03',
        node: 'c1',
        way: 'in',
        patch: { loss: 1 },
        atMs: 9000,
        durationMs: 9,
      },
    ])
    world.runUntil(3000)
    expect([heardBetween(1020, 3000), faults.active.length]).toEqual([0, 6])
    faults.healAll()
    world.runUntil(10_000)
    expect(faults.active).toEqual([])
    expect(heardBetween(4000, 10_000)).toBe(600)
    expect(world.traceLines().filter((line) => line.includes('* fault'))).toHaveLength(6)
  })
})

describe('curves', () => {
  const slow = { kind: 'datagram', there: { latencyMs: 100 } } as const
  const curves: LinkCurve[] = [
    {
      from: 'c1',
      to: 'echo',
      points: [
        { atMs: 0, conditions: { kind: 'datagram' } },
        { atMs: 2000, conditions: slow },
      ],
    },
  ]

  test('a link that is made gets the conditions of its time', () => {
    expect(conditionsAt(curves, 'c1', 'echo', 1999)).toEqual({ kind: 'datagram' })
    expect(conditionsAt(curves, 'c1', 'echo', 2000)).toBe(slow)
    expect(conditionsAt(curves, 'echo', 'c1', 0)).toBeUndefined()
  })

  test('a link that exists changes at each point', () => {
    const { world, echo } = makeCall()
    scheduleCurves(world, curves)
    world.runUntil(4000)
    const packets = echo.seen.filter(({ what }) => what === 'packet')
    // Packets leave 10 ms apart, so the sequence number tells when.
    const latencies = new Set(packets.map(({ atMs, value }) => Math.round(atMs - value * 10)))
    expect([...latencies]).toEqual([5, 100])
  })
})
