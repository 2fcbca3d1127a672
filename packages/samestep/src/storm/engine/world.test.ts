import { describe, expect, test } from 'vitest'
import type { Actor } from './actor.ts'
import { Listener, numbered } from './testing/toy.ts'
import { Violation } from './violation.ts'
import { World } from './world.ts'

/** Wakes at given local times and notes them. */
class Alarm extends Listener {
  readonly #wakes: number[]

  constructor(world: World, wakes: readonly number[]) {
    super(world)
    this.#wakes = [...wakes]
  }

  override handleTime(nowMs: number): void {
    super.handleTime(nowMs)
    while (this.#wakes.length > 0 && this.#wakes[0]! <= nowMs) this.#wakes.shift()
  }

  override wakeAtMs(): number {
    return this.#wakes[0] ?? Number.POSITIVE_INFINITY
  }
}

/** Two listeners on a link without latency to speak of; the first sends on request. */
function makePair(kind: 'stream' | 'datagram' = 'datagram', seed = 1) {
  const world = new World({ seed })
  const [a, b] = [new Listener(world), new Listener(world)]
  const [from, to] = [world.addNode('a', a), world.addNode('b', b)]
  const end = world.connect(from, to, { kind, there: { latencyMs: 1 } })
  world.runUntil(10)
  const send = (atMs: number, value: number): void =>
    world.at(atMs, () => world.send(end, numbered(value)))
  return { world, a, b, from, to, end, send }
}

describe('World', () => {
  test('time jumps to the next event and stands at the end of the run', () => {
    const world = new World({ seed: 1 })
    const seen: number[] = []
    for (const ms of [86_400_000, 5, 0.001, 5]) world.at(ms, () => seen.push(world.nowMs))
    world.runUntil(100)
    expect([world.nowMs, seen]).toEqual([100, [0.001, 5, 5]])
    world.at(7, () => seen.push(world.nowMs))
    expect(world.step()).toBe(true)
    expect(seen.at(-1)).toBe(100)
    expect([world.step(), world.nowMs, world.step(), world.events]).toEqual([
      true,
      86_400_000,
      false,
      5,
    ])
  })

  test('events of one instant come in a sequence that the seed decides', () => {
    const sequenceOf = (seed: number): string => {
      const world = new World({ seed })
      let sequence = ''
      for (const name of 'abcd') world.at(1, () => (sequence += name))
      world.runUntil(1)
      return sequence
    }
    const found = new Set(Array.from({ length: 200 }, (_, seed) => sequenceOf(seed)))
    expect(found.size).toBe(24)
    expect(sequenceOf(7)).toBe(sequenceOf(7))
  })

  test('messages of one stream keep their sequence even within one instant', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { world, b, end } = makePair('stream', seed)
      for (let value = 0; value < 8; value++) world.send(end, numbered(value))
      world.runUntil(100)
      expect(b.values).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    }
  })

  test('a draw in one stream does not shift another', () => {
    const plain = new World({ seed: 3 })
    const other = new World({ seed: 3 })
    other.random('fault').u32()
    expect(other.random('work/c1').u32()).toBe(plain.random('work/c1').u32())
    expect(plain.random('work/c1')).toBe(plain.random('work/c1'))
    expect(plain.random('a').u32()).not.toBe(plain.random('b').u32())
  })

  test('an actor is woken at its local times, early or late as its clock runs', () => {
    const world = new World({ seed: 1 })
    const exact = new Alarm(world, [100, 100.5, 2000])
    const skewed = new Alarm(world, [86_400_100, 86_402_000])
    const fast = new Alarm(world, [1_000_000])
    world.addNode('exact', exact)
    world.addNode('skewed', skewed, { offsetMs: 86_400_000 })
    world.addNode('fast', fast, { driftPpm: 500 })
    world.runUntil(2_000_000)
    expect(exact.times).toEqual([
      ['time', 100],
      ['time', 100.5],
      ['time', 2000],
    ])
    expect(skewed.times).toEqual([
      ['time', 100],
      ['time', 2000],
    ])
    expect(fast.seen[0]!.atMs).toBeCloseTo(1_000_000 / 1.0005, 2)
    expect(fast.seen[0]!.nowMs).toBeGreaterThanOrEqual(1_000_000)
  })

  test('a skewed clock is seen by its own node only', () => {
    const { world, a, b, from, to, end, send } = makePair()
    world.trouble.jumpClock(to, 3_600_000)
    send(20, 1)
    world.runUntil(30)
    expect(b.seen.at(-1)).toMatchObject({ what: 'packet', atMs: 21, nowMs: 3_600_021 })
    world.send(b.ends[0]!, numbered(2))
    world.runUntil(40)
    expect(a.seen.at(-1)).toMatchObject({ what: 'packet', atMs: 31, nowMs: 31 })
    expect([world.localMs(from), world.localMs(to), end.isOpen]).toEqual([40, 3_600_040, true])
  })

  test('jumps ahead and stops of a clock move its timers', () => {
    const world = new World({ seed: 1 })
    const alarm = new Alarm(world, [400, 5000, 6000])
    const id = world.addNode('a', alarm, { offsetMs: -600 })
    world.at(400, () => world.trouble.jumpClock(id, 600))
    let undo = () => {}
    world.at(2000, () => {
      undo = world.trouble.freezeClock(id)
    })
    world.at(4000, () => {
      undo()
      undo()
    })
    world.at(7000, () => world.trouble.setDrift(id, -500_000))
    world.runUntil(20_000)
    expect(alarm.times).toEqual([
      ['time', 400],
      ['time', 7000],
      ['time', 9000],
    ])
  })

  test('who sleeps wakes in time although the clock is set back meanwhile', () => {
    const world = new World({ seed: 1 })
    const alarm = new Alarm(world, [1000, 1500])
    const id = world.addNode('a', alarm)
    world.at(300, () => world.trouble.jumpClock(id, -400))
    world.at(400, () => world.trouble.pauseNode(id, 100))
    world.at(600, () => world.trouble.jumpClock(id, -100))
    world.runUntil(10_000)
    // At the time it had asked for; only then does it see what the clock says, and asks again.
    const seen = alarm.seen.map(({ atMs, nowMs }) => [atMs, nowMs])
    expect(seen).toEqual([
      [1000, 500],
      [1500, 1000],
      [2000, 1500],
    ])
  })

  test('a paused node hears nothing, and then everything at once, in sequence', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { world, b, to, send } = makePair('datagram', seed)
      world.at(100, () => world.trouble.pauseNode(to, 500))
      world.at(300, () => world.trouble.pauseNode(to, 100))
      for (let value = 0; value < 20; value++) send(90 + value * 20, value)
      let workedAt = 0
      world.atNode(to, 200, () => (workedAt = world.nowMs))
      world.runUntil(1000)
      expect(b.values).toEqual(Array.from({ length: 20 }, (_, index) => index))
      const atMs = b.seen.slice(1).map((each) => each.atMs)
      expect(atMs).toEqual([91, ...new Array<number>(19).fill(600)])
      expect([workedAt, b.seen.at(-1)!.nowMs]).toEqual([600, 600])
    }
  })

  test('the timers of a paused node are late, before or after what waited', () => {
    const sequences = new Set<string>()
    for (let seed = 0; seed < 20; seed++) {
      const world = new World({ seed })
      const alarm = new Alarm(world, [50, 60, 700])
      const to = world.addNode('b', alarm)
      const from = world.addNode('a', new Listener(world))
      const end = world.connect(from, to, { kind: 'datagram' })
      world.at(20, () => world.trouble.pauseNode(to, 200))
      world.at(30, () => world.send(end, numbered(1)))
      world.runUntil(1000)
      const after = alarm.seen.filter(({ what }) => what !== 'opened')
      expect(after.map(({ atMs }) => atMs)).toEqual([220, 220, 700])
      sequences.add(after.map(({ what }) => what).join())
    }
    expect([...sequences].sort()).toEqual(['packet,time,time', 'time,packet,time'])
  })

  test('a pause can be ended early, and a stream goes on where it was', () => {
    const { world, b, to, end } = makePair('stream')
    world.trouble.pauseNode(to, 5000)
    for (let value = 0; value < 5; value++) world.send(end, numbered(value))
    world.runUntil(1000)
    expect(b.values).toEqual([])
    world.trouble.resumeNode(to)
    world.runUntil(1000)
    expect(b.values).toEqual([0, 1, 2, 3, 4])
    world.send(end, numbered(5))
    world.runUntil(1002)
    expect(b.values.at(-1)).toBe(5)
  })

  test('throttled timers fire once per interval; packets are not held up', () => {
    const world = new World({ seed: 1 })
    const alarm = new Alarm(
      world,
      Array.from({ length: 500 }, (_, index) => index * 10),
    )
    const to = world.addNode('b', alarm)
    const from = world.addNode('a', new Listener(world))
    const end = world.connect(from, to, { kind: 'datagram' })
    world.runUntil(105)
    world.trouble.throttleTimers(to, 1000)
    world.at(500, () => world.send(end, numbered(1)))
    world.at(3150, () => world.trouble.throttleTimers(to, 0))
    world.runUntil(3165)
    const late = alarm.times.filter(([, atMs]) => Number(atMs) > 105)
    expect(late).toEqual([
      ['packet', 505],
      ['time', 1100],
      ['time', 2100],
      ['time', 3100],
      ['time', 3150],
      ['time', 3160],
    ])
  })

  test('a partition separates groups, one way or both, for links to come too', () => {
    const world = new World({ seed: 1 })
    const nodes = ['a', 'b', 'c', 'd'].map((name) => {
      const actor = new Listener(world)
      return { actor, id: world.addNode(name, actor) }
    })
    const linkAll = () =>
      nodes.flatMap((from) =>
        nodes
          .filter((to) => to !== from)
          .map((to) => world.connect(from.id, to.id, { kind: 'datagram' })),
      )
    const ends = linkAll()
    const heardAfter = (all = ends): string => {
      for (const { actor } of nodes) actor.seen.length = 0
      for (const end of all) world.send(end, numbered(end.node))
      world.runUntil(world.nowMs + 100)
      const lines = nodes.map(({ actor }) => actor.values.sort().join(''))
      return lines.join(' ')
    }
    expect(heardAfter()).toBe('123 023 013 012')
    const first = world.trouble.partition([[0, 1], [2]])
    expect(heardAfter()).toBe('1 0  ')
    expect(heardAfter(linkAll())).toBe('1 0  ')
    const second = world.trouble.partition([[0]], true)
    world.trouble.heal(first)
    expect(heardAfter()).toBe('123 23 13 12')
    world.trouble.heal(second)
    world.trouble.partition([[3]])
    world.trouble.partition([[1]])
    world.trouble.heal()
    expect(heardAfter()).toBe('123 023 013 012')
  })

  test('a restarted node has its name and clock, and none of its links', () => {
    const { world, b, to, end, send } = makePair('stream')
    world.trouble.jumpClock(to, 500)
    send(20, 1)
    const reborn = new Listener(world)
    world.at(20.5, () => world.restartNode(to, reborn))
    world.runUntil(100)
    expect([b.values, reborn.seen, end.state, world.endsOf(to)]).toEqual([[], [], 'closed', []])
    expect([world.nodeNamed('b'), world.localMs(to), world.isRunning(to)]).toEqual([to, 600, true])
    world.removeNode(to)
    world.removeNode(to)
    expect(world.isRunning(to)).toBe(false)
    let hasWorked = false
    world.atNode(to, 200, () => (hasWorked = true))
    world.runUntil(300)
    expect(hasWorked).toBe(false)
  })

  test('a node that ends while paused leaves nothing behind', () => {
    for (const kind of ['stream', 'datagram'] as const) {
      const { world, b, to, end, send } = makePair(kind)
      world.trouble.pauseNode(to, 1000)
      for (let value = 0; value < 5; value++) send(20 + value, value)
      world.at(100, () => world.removeNode(to))
      world.at(200, () => world.closeLink(end))
      world.runUntil(10_000)
      expect([b.values, world.pendingEvents, world.slotsInUse]).toEqual([[], 0, 4])
    }
  })

  test('an invariant that fails says which, when and where', () => {
    const world = new World({ seed: 1, traceLines: 2 })
    const actor = new Listener(world)
    actor.handleTime = () => world.always('I-03', false, () => 'tick 7 after tick 5')
    actor.wakeAtMs = () => 12.5
    world.addNode('c1', actor)
    world.always('I-01', true, 'unheard')
    world.note('about to fail')
    let caught: unknown
    try {
      world.runUntil(100)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(Violation)
    expect(caught).toMatchObject({ invariant: 'I-03', atMs: 12.5, node: 'c1' })
    expect(String(caught)).toBe('Violation: I-03 violated at c1 after 12.5 ms: tick 7 after tick 5')
    expect(world.traceLines()).toEqual([
      '       0.000  * about to fail',
      '      12.500  c1       time',
    ])
  })

  test('[I-20] whatever an actor throws is a violation of its own', () => {
    const world = new World({ seed: 1 })
    const cause = new TypeError('x is undefined')
    const broken: Actor = {
      handlePacket() {},
      handleTime() {
        throw cause
      },
      wakeAtMs: () => 3,
    }
    world.addNode('c1', broken)
    expect(() => world.runUntil(10)).toThrow('I-20 violated at c1 after 3 ms')
    const another = new World({ seed: 1 })
    another.at(1, () => {
      throw cause
    })
    expect(() => another.runUntil(10)).toThrow(cause)
  })

  test('[I-20] an actor that is overdue for ever is found out, one that is busy is not', () => {
    const world = new World({ seed: 1 })
    const spinning = new Listener(world)
    spinning.wakeAtMs = () => 0
    world.addNode('spinning', spinning)
    expect(() => world.runUntil(60_000)).toThrow('I-20 violated at spinning')
    const other = new World({ seed: 1 })
    const busy = new Listener(other)
    busy.wakeAtMs = () => other.nowMs + 0.25
    other.addNode('busy', busy)
    other.runUntil(1000)
    expect(busy.seen).toHaveLength(4000)
  })

  test('sometimes counts, and afterEvent is called after every delivered event', () => {
    const { world, to, send } = makePair()
    for (let value = 0; value < 10; value++) send(20, value)
    const nodes: number[] = []
    const before = world.events
    world.runUntil(100, () => {
      world.sometimes('node called', world.lastNode === to)
      nodes.push(world.lastNode)
    })
    expect(nodes).toHaveLength(world.events - before)
    expect(world.coverage.toJson()).toEqual({ 'node called': 10 })
  })
})
