import { describe, expect, test } from 'vitest'
import type { Conditions, PathPatch } from './conditions.ts'
import { Listener, numbered } from './testing/toy.ts'
import { World } from './world.ts'

type Options = {
  readonly seed?: number
  readonly count?: number
  readonly everyMs?: number
  readonly byteLength?: number
}

/** Sends numbered datagrams over one path and returns what arrived. */
function sendAll(there: PathPatch, options: Options = {}): { world: World; to: Listener } {
  const { seed = 1, count = 20_000, everyMs = 10, byteLength = 16 } = options
  const world = new World({ seed })
  const to = new Listener(world)
  const target = world.addNode('b', to)
  const source = world.addNode('a', new Listener(world))
  const end = world.connect(source, target, { kind: 'datagram', there })
  for (let index = 0; index < count; index++) {
    world.atNode(source, index * everyMs, () => world.send(end, numbered(index, byteLength)))
  }
  world.runUntil(count * everyMs + 100_000)
  return { world, to }
}

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || values[index - 1]! < value)
}

describe('datagrams', () => {
  test('headers of the layers below use up bandwidth, packet by packet', () => {
    const there = { latencyMs: 0, bytesPerSecond: 1_000, headerBytes: 84 }
    const { to } = sendAll(there, { count: 10, everyMs: 1, byteLength: 16 })
    // 100 bytes each at 1 000 per second: one every tenth of a second.
    expect(to.seen.slice(1).map(({ atMs }) => Math.round(atMs / 100))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
  })

  test('a calm path delivers everything once, in sequence, after its latency', () => {
    const { to } = sendAll({ latencyMs: 40 }, { count: 100 })
    expect(to.values).toEqual(Array.from({ length: 100 }, (_, index) => index))
    expect(to.seen.slice(1).map(({ atMs, value }) => atMs - value * 10)).toEqual(
      new Array(100).fill(40),
    )
  })

  test.each([0.001, 0.05, 0.3, 0.6])('random loss takes its share: %d', (loss) => {
    const { world, to } = sendAll({ loss }, { count: 20_000 })
    const deviation = Math.sqrt(20_000 * loss * (1 - loss))
    expect(Math.abs(world.stats.lost - 20_000 * loss)).toBeLessThan(4 * deviation)
    expect(to.values.length).toBe(20_000 - world.stats.lost)
    expect(isAscending(to.values)).toBe(true)
  })

  test('burst loss comes in runs', () => {
    const burst = { everyMs: 1800, lengthMs: 200, loss: 1 }
    const { values } = sendAll({ burst }).to
    const share = 1 - values.length / 20_000
    expect(share).toBeGreaterThan(0.05)
    expect(share).toBeLessThan(0.2)
    const gaps = values.slice(1).map((value, index) => value - values[index]! - 1)
    const runs = gaps.filter((gap) => gap > 0)
    // Random loss of the same share would have a mean near 1.1.
    expect(runs.reduce((sum, gap) => sum + gap, 0) / runs.length).toBeGreaterThan(8)
  })

  test('a burst never makes a bad path better', () => {
    const burst = { everyMs: 50, lengthMs: 50, loss: 0 }
    expect(sendAll({ loss: 1, burst }, { count: 1000 }).to.values).toEqual([])
  })

  test('duplication adds its share of copies, which own their bytes', () => {
    const { world, to } = sendAll({ duplicate: 0.2 })
    expect(Math.abs(world.stats.duplicated - 4000)).toBeLessThan(250)
    expect(to.values.length).toBe(20_000 + world.stats.duplicated)
    expect(new Set(to.values).size).toBe(20_000)
  })

  test('a receiver may change its packet without changing the copy', () => {
    const world = new World({ seed: 1 })
    const heard: number[] = []
    const to = world.addNode('b', {
      handlePacket(_end, bytes) {
        heard.push(bytes[0]!)
        bytes.fill(0xff)
      },
      handleTime() {},
      wakeAtMs: () => Number.POSITIVE_INFINITY,
    })
    const from = world.addNode('a', new Listener(world))
    const end = world.connect(from, to, { kind: 'datagram', there: { duplicate: 1 } })
    world.send(end, numbered(7))
    world.runUntil(1000)
    expect(heard).toEqual([7, 7])
  })

  test('reordering displaces its share, by up to the given number of packets', () => {
    const { world, to } = sendAll({ reorder: 0.1, reorderPackets: 64 })
    expect(Math.abs(world.stats.reordered - 2000)).toBeLessThan(200)
    expect([...to.values].sort((a, b) => a - b)).toEqual(to.values.map((_, index) => index))
    let highest = -1
    let worst = 0
    let displaced = 0
    for (const value of to.values) {
      if (value < highest) displaced++
      worst = Math.max(worst, highest - value)
      highest = Math.max(highest, value)
    }
    expect(displaced).toBeGreaterThan(1500)
    expect(worst).toBeGreaterThan(50)
    expect(worst).toBeLessThanOrEqual(66)
  })

  test('jitter delays but does not reorder, and has a tail', () => {
    const { to } = sendAll({ latencyMs: 20, jitterMs: 5 }, { everyMs: 200 })
    expect(isAscending(to.values)).toBe(true)
    const late = to.seen.slice(1).map(({ atMs, value }) => atMs - value * 200 - 20)
    expect(late.reduce((sum, ms) => sum + ms, 0) / late.length).toBeCloseTo(5, 0)
    expect(Math.max(...late)).toBeGreaterThan(30)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  })

  test('corruption flips bits, cuts ends off and adds tails', () => {
    const { world, to } = sendAll({ corrupt: 0.05 }, { count: 20_000, byteLength: 40 })
    expect(Math.abs(world.stats.corrupted - 1000)).toBeLessThan(130)
    const lengths = to.seen.slice(1).map(({ byteLength }) => byteLength)
    expect(lengths.filter((length) => length < 40).length).toBeGreaterThan(150)
    expect(lengths.filter((length) => length > 40).length).toBeGreaterThan(150)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(72)
    expect(lengths.length).toBe(20_000)
  })

  test('a narrow path queues up to its limit, then drops', () => {
    const there = { latencyMs: 0, bytesPerSecond: 1000, queueBytes: 500 }
    const { world, to } = sendAll(there, { count: 100, everyMs: 1, byteLength: 100 })
    // 1000 B/s for 100 ms is one packet, and five wait in the queue.
    expect(to.values).toEqual([0, 1, 2, 3, 4])
    expect(world.stats.queueFull).toBe(95)
    expect(to.seen.slice(1).map(({ atMs }) => Math.round(atMs))).toEqual([100, 200, 300, 400, 500])
  })

  test('what is larger than the path allows vanishes', () => {
    expect(sendAll({ packetBytesMax: 100 }, { count: 5, byteLength: 101 }).to.values).toEqual([])
    expect(sendAll({ packetBytesMax: 100 }, { count: 5, byteLength: 100 }).to.values.length).toBe(5)
  })

  test('switching one fault on does not change which packets another one takes', () => {
    const lostOf = (patch: PathPatch): number[] => {
      const arrived = new Set(sendAll(patch, { count: 3000 }).to.values)
      return Array.from({ length: 3000 }, (_, index) => index).filter((at) => !arrived.has(at))
    }
    const alone = lostOf({ loss: 0.1 })
    expect(lostOf({ loss: 0.1, jitterMs: 10, duplicate: 0.2, reorder: 0.2 })).toEqual(alone)
    expect(alone.length).toBeGreaterThan(200)
  })

  test('the two directions have their own conditions', () => {
    const world = new World({ seed: 4 })
    const a = new Listener(world)
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
    const conditions: Conditions = { kind: 'datagram', there: { latencyMs: 10 }, back: { loss: 1 } }
    const end = world.connect(from, to, conditions)
    world.send(end, numbered(1))
    world.runUntil(50)
    expect(b.times).toEqual([
      ['opened', 0],
      ['packet', 10],
    ])
    world.send(b.ends[0]!, numbered(2))
    world.runUntil(500)
    expect(a.values).toEqual([])
  })

  test('a clog keeps what comes and lets it all go at its end, in sequence', () => {
    const world = new World({ seed: 5 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram', there: { latencyMs: 10 } })
    const undo = world.addOverlay(to, 'in', { isClogged: true })
    for (let index = 0; index < 20; index++) {
      world.atNode(from, index, () => world.send(end, numbered(index)))
    }
    world.runUntil(300)
    expect(b.values).toEqual([])
    undo()
    world.runUntil(301)
    expect(b.values).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(b.seen.at(-1)?.atMs).toBe(300)
  })

  test('a clogged link that both sides close takes what it kept with it', () => {
    const world = new World({ seed: 5 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.addOverlay(from, 'out', { isClogged: true })
    for (let index = 0; index < 5; index++) world.send(end, numbered(index))
    world.runUntil(100)
    expect([world.pendingEvents, world.slotsInUse]).toEqual([0, 9])
    world.closeLink(end)
    world.closeLink(b.ends[0]!)
    expect(world.slotsInUse).toBe(4)
  })

  test('after a rebinding the other side hears from a new address, and the old one is deaf', () => {
    const world = new World({ seed: 7 })
    const [a, b] = [new Listener(world), new Listener(world)]
    const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.rebindLink(end.link)
    const [old] = b.ends
    world.send(old!, numbered(1))
    world.send(end, numbered(2))
    world.runUntil(20)
    expect(b.seen.map(({ what }) => what)).toEqual(['opened', 'opened', 'packet'])
    expect([a.values, old?.isOpen, world.endsOf(to).length]).toEqual([[], true, 2])
    world.send(b.ends[1]!, numbered(3))
    world.closeLink(old!)
    world.runUntil(30)
    expect([a.values, world.endsOf(to)]).toEqual([[3], [b.ends[1]]])
  })

  test('an address cannot be closed: who forgot a peer hears of it again', () => {
    const world = new World({ seed: 6 })
    const b = new Listener(world)
    const [from, to] = [world.addNode('a', new Listener(world)), world.addNode('b', b)]
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(10)
    world.closeLink(b.ends[0]!)
    world.send(end, numbered(1))
    world.runUntil(20)
    expect(b.seen.map(({ what }) => what)).toEqual(['opened', 'opened', 'packet'])
    expect(b.ends[1]).not.toBe(b.ends[0])
    world.send(end, numbered(2))
    const reborn = new Listener(world)
    world.restartNode(to, reborn)
    world.runUntil(30)
    expect(reborn.seen.map(({ what }) => what)).toEqual(['opened', 'packet'])
    // The opener's own closed end stays closed.
    world.closeLink(end)
    world.send(reborn.ends[0]!, numbered(3))
    world.send(end, numbered(4))
    world.runUntil(60)
    expect([...reborn.values]).toEqual([2])
    expect(world.pendingEvents).toBe(0)
  })
})
