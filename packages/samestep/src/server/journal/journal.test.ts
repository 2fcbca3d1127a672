import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { RecordWriter } from '../../record/index.ts'
import { sampleMatch, sampleMember, sampleRoom } from '../../record/testing/sample.ts'
import type { Timing } from '../../transport/timing.ts'
import type { JournalSource } from './journal.ts'
import { Journal, syncMsMax } from './journal.ts'
import { MemoryDisk } from './testing/memory-disk.ts'

/** Room for all matches of a test, and some hundred ticks. */
const fileBytesMax = 10_000

/** A clock and timers that a test moves. */
class Hand implements Timing {
  #nowMs = 0
  #timers: { atMs: number; callback: () => void }[] = []

  nowMs(): number {
    return this.#nowMs
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  pass(ms: number): void {
    const endMs = this.#nowMs + ms
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#nowMs = next.atMs
      next.callback()
    }
    this.#nowMs = endMs
  }
}

/** A relay with some matches, as far as a journal knows it. */
class Source implements JournalSource {
  journal: Journal | undefined
  writer: RecordWriter | undefined
  readonly #count: number
  readonly #carried = new Set<number>()

  constructor(matchCount: number) {
    this.#count = matchCount
  }

  start(id: Uint8Array): void {
    this.writer = new RecordWriter(id)
    this.#carried.clear()
    this.#flush()
  }

  carry(countMax: number): number {
    for (let match = 0, left = countMax; match < this.#count && left > 0; match++) {
      if (this.#carried.has(match)) continue
      this.#carried.add(match)
      left -= 1
      this.writer?.appendGroup(match, [
        { name: 'match', body: { ...sampleMatch, id: `match ${match}` } },
        { name: 'member', body: sampleMember(0, 0) },
        { name: 'room', body: sampleRoom },
      ])
    }
    this.#flush()
    return this.writer === undefined ? 0 : this.#count - this.#carried.size
  }

  stop(): void {
    this.writer = undefined
  }

  tick(match: number): void {
    this.writer?.appendBundle(match, Uint8Array.of(0))
    this.#flush()
  }

  #flush(): void {
    if (this.writer !== undefined && this.writer.waitingBytes > 0) {
      this.journal?.append(this.writer.take())
    }
  }
}

let disk: MemoryDisk
let hand: Hand
let lines: { readonly level: number; readonly msg: string }[]

beforeEach(() => {
  disk = new MemoryDisk()
  hand = new Hand()
  lines = []
})

function open(older: readonly MemoryDisk[] = []): Journal {
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const randomBytes = (count: number) => new Uint8Array(count).fill(disk.files.size)
  return new Journal({ disk, log, timing: hand, older, randomBytes, fileBytesMax })
}

function begin(matchCount: number): { journal: Journal; source: Source } {
  const journal = open()
  const source = new Source(matchCount)
  source.journal = journal
  journal.begin(source)
  return { journal, source }
}

const records = () => disk.list().filter((name) => name.endsWith('.ssrc'))

describe('a journal', () => {
  test('[F-16] gives back every match with every tick that was appended', () => {
    const { source } = begin(2)
    source.tick(0)
    source.tick(1)
    source.tick(1)
    const ticks = open().histories.map(({ match, sealedTick }) => [match.id, sealedTick])
    expect(ticks).toEqual([
      ['match 0', 1],
      ['match 1', 2],
    ])
  })

  test('[F-16] torn at any byte it gives back what was appended before', () => {
    const { source } = begin(1)
    const [name] = records() as [string]
    const before = disk.files.get(name)!.length
    source.tick(0)
    const whole = disk.files.get(name)!
    for (let cut = before; cut < whole.length; cut++) {
      disk.files.set(name, whole.subarray(0, cut))
      expect(open().histories[0]?.sealedTick).toBe(0)
    }
  })

  test('that is damaged in the middle is set aside: what was lost may be a newer tick', () => {
    const { source } = begin(1)
    for (let tick = 0; tick < 20; tick++) source.tick(0)
    const [name] = records() as [string]
    disk.files.get(name)![200]! ^= 1
    expect(open().histories).toEqual([])
    expect(disk.list()).toContain(`${name}.aside`)
    expect(lines.at(-1)?.msg).toContain('damaged')
  })

  test('takes up what other folders have, and leaves their files alone', () => {
    begin(2)
    const before = disk
    disk = new MemoryDisk()
    expect(open([before]).histories).toHaveLength(2)
    expect(before.list()).toHaveLength(1)
    before.files.get(before.list()[0]!)![200]! ^= 1
    expect(open([before]).histories).toEqual([])
  })

  test('begins with a file of its own, and removes the one before once that has everything', () => {
    begin(3)
    const first = records()
    begin(3)
    expect(records()).toHaveLength(1)
    expect(records()).not.toEqual(first)
  })

  test('turns to another file when one is full, and loses no match on the way', () => {
    const { source } = begin(30)
    for (let tick = 0; tick < 5_000; tick++) source.tick(0)
    expect(records()).toHaveLength(1)
    hand.pass(0)
    expect(records()).toHaveLength(2)
    hand.pass(1_000)
    expect(records()).toHaveLength(1)
    expect(open().histories).toHaveLength(30)
  })

  test('that is closed in order leaves nothing to go on from', () => {
    begin(1).journal.close()
    expect(records()).toEqual([])
  })
})

describe('syncing', () => {
  test('happens within 100 ms of what was appended, and not for each', () => {
    const { source } = begin(1)
    hand.pass(syncMsMax)
    const before = disk.syncs
    for (let tick = 0; tick < 10; tick++) {
      source.tick(0)
      hand.pass(33)
    }
    hand.pass(syncMsMax)
    expect(disk.syncs - before).toBeGreaterThanOrEqual(4)
    expect(disk.syncs - before).toBeLessThanOrEqual(8)
    const after = disk.syncs
    hand.pass(10_000)
    expect(disk.syncs).toBe(after)
  })

  test('[F-21] that takes seconds holds nothing up, and is followed by one for all that came', () => {
    const { source } = begin(1)
    disk.isSlow = true
    hand.pass(1_000)
    const before = disk.syncs
    for (let tick = 0; tick < 100; tick++) {
      source.tick(0)
      hand.pass(50)
    }
    expect(disk.syncs).toBe(before)
    disk.finishSync()
    expect(disk.syncs).toBe(before + 1)
  })
})

describe('[F-21] a disk that is full', () => {
  test('is told once; play goes on, and no journal that is behind stays', () => {
    const { journal, source } = begin(1)
    disk.roomBytes = 4
    for (let tick = 0; tick < 50; tick++) source.tick(0)
    expect(journal.state).toBe('failing')
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1)
    expect(records()).toEqual([])
    expect(open().histories).toEqual([])
  })

  test('is tried again, and once there is room the journal has every match', () => {
    const { journal, source } = begin(2)
    disk.roomBytes = 0
    source.tick(0)
    hand.pass(60_000)
    expect(journal.state).toBe('failing')
    expect(journal.failures).toBeGreaterThan(2)
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1)
    disk.roomBytes = Number.POSITIVE_INFINITY
    hand.pass(60_000)
    expect(journal.state).toBe('written')
    source.tick(1)
    expect(open().histories).toHaveLength(2)
  })

  test('and one that cannot sync is the same', () => {
    const { journal, source } = begin(1)
    disk.syncError = Object.assign(new Error('broken'), { code: 'EIO' })
    source.tick(0)
    hand.pass(syncMsMax)
    expect(journal.state).toBe('failing')
    expect(records()).toEqual([])
  })
})

test('a folder that cannot be used is told when the relay starts', () => {
  disk.list = () => {
    throw Object.assign(new Error('permission denied'), { code: 'EACCES' })
  }
  expect(() => open()).toThrow('EACCES')
})
