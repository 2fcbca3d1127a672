import { describe, expect, test } from 'vitest'
import type { PathPatch } from '../../../netem/conditions.ts'
import { Listener, numbered } from '../testing/toy.ts'
import { World } from '../world.ts'
import type { Conditions } from './conditions.ts'
import type { LinkEnd } from './link.ts'

type Pair = { world: World; a: Listener; b: Listener; from: number; to: number; end: LinkEnd }

/** Two nodes and a stream from the first to the second, just asked for. */
function makePair(there: PathPatch = {}, rest: Partial<Conditions> = {}, seed = 1): Pair {
  const world = new World({ seed })
  const [a, b] = [new Listener(world), new Listener(world)]
  const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
  const end = world.connect(from, to, { kind: 'stream', there, ...rest })
  return { world, a, b, from, to, end }
}

function sendNumbers({ world, from, end }: Pair, count: number, everyMs: number): void {
  const startMs = world.nowMs
  for (let index = 0; index < count; index++) {
    world.atNode(from, startMs + index * everyMs, () => world.send(end, numbered(index)))
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

describe('streams', () => {
  test('the other side is told after one latency, the own side after two', () => {
    const pair = makePair({ latencyMs: 30 })
    pair.world.runUntil(1000)
    expect([pair.b.times, pair.a.times]).toEqual([[['opened', 30]], [['opened', 60]]])
    expect(pair.end.isOpen).toBe(true)
  })

  test('what is sent before the opening arrives behind it', () => {
    const pair = makePair({ latencyMs: 30 })
    sendNumbers(pair, 3, 0)
    pair.world.runUntil(1000)
    expect(pair.b.seen.map(({ what }) => what)).toEqual(['opened', 'packet', 'packet', 'packet'])
    expect(pair.b.values).toHaveLength(3)
  })

  test('whatever the path does, every message arrives once, in sequence, undamaged', () => {
    const burst = { everyMs: 2000, lengthMs: 300, loss: 0.9 }
    const chaos = { latencyMs: 50, jitterMs: 40, loss: 0.2, burst, duplicate: 0.3, reorder: 0.3 }
    for (let seed = 1; seed <= 5; seed++) {
      const pair = makePair({ ...chaos, reorderPackets: 20, corrupt: 0.2 }, {}, seed)
      sendNumbers(pair, 2000, 10)
      pair.world.runUntil(900_000)
      expect(pair.b.values).toEqual(upTo(2000))
    }
  })

  test('limited bandwidth makes a backlog that the sender can read', () => {
    const pair = makePair({ bytesPerSecond: 10_000 }, { bufferBytes: 5000 })
    pair.world.runUntil(100)
    for (let index = 0; index < 20; index++) pair.world.send(pair.end, numbered(index, 1000))
    expect(pair.end.backlogBytes).toBe(15_000)
    pair.world.runUntil(1106)
    expect(pair.end.backlogBytes).toBe(5000)
    pair.world.runUntil(3000)
    expect([pair.end.backlogBytes, pair.b.values]).toEqual([0, upTo(20)])
  })

  test('a reader that stops reading backs its sender up', () => {
    const pair = makePair({}, { bufferBytes: 0 })
    pair.world.runUntil(100)
    pair.world.trouble.holdReading(pair.b.ends[0]!, true)
    sendNumbers(pair, 10, 1)
    pair.world.runUntil(5000)
    expect([pair.end.backlogBytes, pair.b.values]).toEqual([160, []])
    pair.world.trouble.holdReading(pair.b.ends[0]!, false)
    pair.world.runUntil(5001)
    expect([pair.end.backlogBytes, pair.b.values]).toEqual([0, upTo(10)])
  })

  test('closing tells the other side behind all data, and the own side nothing', () => {
    const pair = makePair({ latencyMs: 20 })
    pair.world.runUntil(100)
    for (const value of [0, 1, 2]) pair.world.send(pair.end, numbered(value))
    pair.world.closeLink(pair.end)
    pair.world.send(pair.end, numbered(3))
    pair.world.runUntil(1000)
    expect(pair.b.times.slice(1)).toEqual([
      ['packet', 120],
      ['packet', 120],
      ['packet', 120],
      ['closed', 120],
    ])
    expect(pair.a.seen.map(({ what }) => what)).toEqual(['opened'])
    expect(pair.world.pendingEvents).toBe(0)
  })

  test('a reset loses what is under way and tells both sides, one of them late', () => {
    const pair = makePair({ latencyMs: 20 })
    pair.world.runUntil(100)
    pair.world.send(pair.end, numbered(0))
    pair.world.resetLink(pair.end.link, 700)
    pair.world.runUntil(2000)
    expect(pair.b.values).toEqual([])
    const told = [pair.a, pair.b].map((each) => each.times.at(-1)!)
    expect(told.map(([what]) => what)).toEqual(['closed', 'closed'])
    expect(told.map(([, atMs]) => atMs).sort()).toEqual([100, 800])
  })

  test('a half-open stream tells nobody until a send times out', () => {
    const pair = makePair({}, { streamTimeoutMs: 60_000 })
    pair.world.runUntil(100)
    pair.world.vanishLink(pair.end.link)
    pair.world.runUntil(500_000)
    expect([pair.a.seen.length, pair.b.seen.length]).toEqual([1, 1])
    pair.world.send(pair.end, numbered(1))
    pair.world.runUntil(559_999)
    expect(pair.a.times).toHaveLength(1)
    pair.world.runUntil(900_000)
    expect(pair.a.times.at(-1)).toEqual(['closed', 560_000])
    expect(pair.b.seen).toHaveLength(1)
  })

  test('a cut stalls a stream; after it all data comes, within twice the outage', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const pair = makePair({ latencyMs: 20 }, {}, seed)
      pair.world.runUntil(1000)
      sendNumbers(pair, 100, 20)
      pair.world.at(1500, () => pair.world.trouble.partition([[pair.from]]))
      pair.world.at(2500, () => pair.world.trouble.heal())
      pair.world.runUntil(2500)
      const before = pair.b.values.length
      pair.world.runUntil(10_000)
      expect(pair.b.values).toEqual(upTo(100))
      const resumedMs = pair.b.seen.filter(({ what }) => what === 'packet')[before]!.atMs
      expect(before).toBeGreaterThanOrEqual(24)
      expect(before).toBeLessThanOrEqual(26)
      expect(resumedMs).toBeGreaterThanOrEqual(2520)
      expect(resumedMs).toBeLessThanOrEqual(3520)
    }
  })

  test('without acknowledgements a stream goes on until its window is full', () => {
    const pair = makePair({})
    pair.world.runUntil(100)
    pair.world.trouble.partition([[pair.to]], true)
    for (let index = 0; index < 100; index++) pair.world.send(pair.end, numbered(index, 1024))
    pair.world.runUntil(5000)
    expect(pair.b.values).toEqual(upTo(65))
    pair.world.trouble.heal()
    pair.world.runUntil(20_000)
    expect(pair.b.values).toEqual(upTo(100))
    // What was acknowledged meanwhile does not count against the next outage.
    pair.world.trouble.partition([[pair.to]], true)
    for (let index = 100; index < 150; index++) pair.world.send(pair.end, numbered(index, 1024))
    pair.world.runUntil(25_000)
    expect(pair.b.values).toEqual(upTo(150))
  })

  test('an end that is closed while it waits leaves no event behind', () => {
    const pair = makePair()
    pair.world.runUntil(100)
    pair.world.vanishLink(pair.end.link)
    pair.world.send(pair.end, numbered(1))
    expect(pair.world.pendingEvents).toBe(1)
    pair.world.closeLink(pair.end)
    pair.world.closeLink(pair.b.ends[0]!)
    pair.world.runUntil(200)
    expect([pair.world.pendingEvents, pair.world.slotsInUse]).toEqual([0, 4])
  })

  test('connecting to nobody is refused; to a dark or unreachable machine it times out', () => {
    const outcomes = (['gone', 'dark', 'cut'] as const).map((how) => {
      const world = new World({ seed: 1 })
      const a = new Listener(world)
      const [from, to] = [world.addNode('a', a), world.addNode('b', new Listener(world))]
      if (how === 'cut') world.trouble.partition([[from]])
      else world.removeNode(to, { isDark: how === 'dark' })
      world.connect(from, to, { kind: 'stream', there: { latencyMs: 10 }, connectTimeoutMs: 7000 })
      world.runUntil(60_000)
      return a.times
    })
    expect(outcomes).toEqual([[['closed', 20]], [['closed', 7000]], [['closed', 7000]]])
  })

  test('who closes while connecting is asked nothing more, and the other side hears both', () => {
    const pair = makePair({ latencyMs: 10 })
    pair.world.closeLink(pair.end)
    pair.world.runUntil(50)
    expect(pair.b.times).toEqual([
      ['opened', 10],
      ['closed', 10],
    ])
    expect([pair.a.seen, pair.world.pendingEvents, pair.world.slotsInUse]).toEqual([[], 0, 4])
  })

  test('who heard of a connection that was then given up hears of its end', () => {
    const pair = makePair({ latencyMs: 10 }, { connectTimeoutMs: 7000 })
    pair.world.trouble.partition([[pair.to]], true)
    pair.world.runUntil(60_000)
    expect(pair.a.times).toEqual([['closed', 7000]])
    expect(pair.b.times).toEqual([
      ['opened', 10],
      ['closed', 7010],
    ])
  })

  test('what is sent to a process that ended during its pause is taken off the sender', () => {
    const pair = makePair({}, { bufferBytes: 0 })
    pair.world.runUntil(100)
    pair.world.trouble.pauseNode(pair.to, 1000)
    pair.world.send(pair.end, numbered(1))
    pair.world.runUntil(200)
    expect(pair.end.backlogBytes).toBe(16)
    // The news of the end is lost, so the sender goes on.
    pair.world.trouble.partition([[pair.to]], true)
    pair.world.removeNode(pair.to)
    pair.world.send(pair.end, numbered(2))
    pair.world.runUntil(300)
    expect([pair.end.backlogBytes, pair.a.times.length]).toEqual([0, 1])
  })

  test('a process that ends closes its streams, a machine that goes dark does not', () => {
    for (const isDark of [false, true]) {
      const pair = makePair({ latencyMs: 20 }, { streamTimeoutMs: 30_000 })
      pair.world.runUntil(100)
      pair.world.removeNode(pair.to, { isDark })
      pair.world.send(pair.end, numbered(1))
      pair.world.runUntil(100_000)
      expect(pair.a.times.at(-1)).toEqual(['closed', isDark ? 30_100 : 120])
    }
  })
})
