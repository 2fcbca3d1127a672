/** The simulator's inner loop: its event heap against the usual one, and whole toy worlds. */
import { EventHeap } from '../../packages/samestep/src/base/heap.ts'
import { Prng } from '../../packages/samestep/src/base/prng.ts'
import type { Actor } from '../../packages/samestep/src/storm/engine/actor.ts'
import type { Conditions } from '../../packages/samestep/src/storm/engine/network/conditions.ts'
import type { LinkEnd } from '../../packages/samestep/src/storm/engine/network/link.ts'
import { World } from '../../packages/samestep/src/storm/engine/world.ts'
import type { Prepared, Suite } from '../types.ts'

/** What a world of 64 clients has under way. */
const pending = 1000
const turns = 1000

type Entry = { time: number; tie: number; serial: number; item: number }

/** The heap that everybody writes first: binary, one object per entry. */
class ObjectHeap {
  readonly #entries: Entry[] = []
  #serial = 0

  push(item: number, time: number, tie: number): void {
    const entry = { time, tie, serial: this.#serial++, item }
    const entries = this.#entries
    let hole = entries.length
    entries.push(entry)
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (!isBefore(entry, entries[parent]!)) break
      entries[hole] = entries[parent]!
      hole = parent
    }
    entries[hole] = entry
  }

  pop(): Entry {
    const entries = this.#entries
    const top = entries[0]!
    const last = entries.pop()!
    const size = entries.length
    let hole = 0
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && isBefore(entries[child + 1]!, entries[child]!)) child++
      if (!isBefore(entries[child]!, last)) break
      entries[hole] = entries[child]!
      hole = child
    }
    if (size > 0) entries[hole] = last
    return top
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  if (a.time !== b.time) return a.time < b.time
  return a.tie === b.tie ? a.serial < b.serial : a.tie < b.tie
}

function prepareHeaps(): Prepared {
  const prng = new Prng(1)
  // Latencies up to 100 ms in steps of 10 µs, so that some times are equal.
  const delays = Float64Array.from({ length: turns }, () => 10 * (1 + prng.below(10_000)))
  const ties = Uint32Array.from({ length: turns }, () => prng.u32())
  const typed = new EventHeap(1024)
  const objects = new ObjectHeap()
  for (let item = 0; item < pending; item++) {
    const time = prng.below(100_000)
    typed.push(item, time, item)
    objects.push(item, time, item)
  }
  return {
    contenders: {
      'typed arrays': () => {
        let sum = 0
        for (let turn = 0; turn < turns; turn++) {
          const nowUs = typed.nextTime
          const item = typed.pop()
          typed.push(item, nowUs + delays[turn]!, ties[turn]!)
          sum += item
        }
        return sum
      },
      objects: () => {
        let sum = 0
        for (let turn = 0; turn < turns; turn++) {
          const { time, item } = objects.pop()
          objects.push(item, time + delays[turn]!, ties[turn]!)
          sum += item
        }
        return sum
      },
    },
  }
}

const tickMs = 1000 / 30

/** Sends 64 bytes to every client 30 times a second. */
class ToyRelay implements Actor {
  readonly #world: World
  readonly #ends: LinkEnd[] = []
  #nextMs = tickMs

  constructor(world: World) {
    this.#world = world
  }

  handlePacket(): void {}

  handleLinkOpened(end: LinkEnd): void {
    this.#ends.push(end)
  }

  handleTime(nowMs: number): void {
    this.#nextMs = nowMs + tickMs
    for (const end of this.#ends) this.#world.send(end, new Uint8Array(64))
  }

  wakeAtMs(): number {
    return this.#nextMs
  }
}

/** Answers every packet with itself. */
class ToyClient implements Actor {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array): void {
    bytes[0] = 1
    this.#world.send(end, bytes)
  }

  handleTime(): void {}

  wakeAtMs(): number {
    return Number.POSITIVE_INFINITY
  }
}

function makeToyWorld(kind: 'stream' | 'datagram', clients: number): World {
  const world = new World({ seed: 1 })
  const relay = world.addNode('relay', new ToyRelay(world))
  const there = { latencyMs: 40, jitterMs: 5, loss: 0.01 }
  const conditions: Conditions = { kind, there: { ...there, duplicate: 0.01, reorder: 0.01 } }
  for (let index = 0; index < clients; index++) {
    const id = world.addNode(`c${index}`, new ToyClient(world), { driftPpm: index })
    world.connect(id, relay, conditions)
  }
  world.runUntil(1000)
  return world
}

/** Virtual time per call: long enough that what happens in one is much like in the next. */
const sliceMs = 1000

function prepareWorlds(): Prepared {
  const contenders: { [name: string]: () => unknown } = {}
  for (const kind of ['datagram', 'stream'] as const) {
    for (const clients of [4, 64]) {
      const world = makeToyWorld(kind, clients)
      contenders[`${kind}, ${clients} clients`] = () => {
        world.runUntil(world.nowMs + sliceMs)
        return world.events
      }
    }
  }
  return { contenders, figures: measureEvents() }
}

/** How many events one call of the worlds above is. */
function measureEvents() {
  return [4, 64].map((clients) => {
    const world = makeToyWorld('datagram', clients)
    const before = world.events
    world.runUntil(world.nowMs + 10 * sliceMs)
    const value = (world.events - before) / 10
    return { name: `events per virtual second, ${clients} clients`, value, unit: 'events' }
  })
}

/** The suites of this file. */
export const suites: readonly Suite[] = [
  {
    name: 'storm heap',
    work: `${turns} pops and pushes with ${pending} pending`,
    baseline: 'objects',
    targets: [{ of: 'typed arrays', against: 'objects', atMost: 0.95 }],
    prepare: prepareHeaps,
  },
  {
    name: 'storm world',
    work: 'one virtual second of ticks and echoes at 30 Hz',
    baseline: 'datagram, 4 clients',
    targets: [
      // 16 times the clients; a deeper heap may cost something, not a multiple.
      { of: 'datagram, 64 clients', against: 'datagram, 4 clients', atMost: 26 },
      { of: 'stream, 64 clients', against: 'datagram, 64 clients', atMost: 1.6 },
    ],
    prepare: prepareWorlds,
  },
]
