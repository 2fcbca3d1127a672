import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BotSeats, moveEveryMs } from './bot-seats.ts'
import type { Member } from './members.ts'
import { Members } from './members.ts'
import type { FakeSession } from './testing/room-kit.ts'
import { addMember } from './testing/room-kit.ts'

/** Bots whose clients are known by numbers. */
class BotBench {
  readonly members = new Members<FakeSession>(16)
  readonly bots = new BotSeats(this.members)

  setClient(id: number, isAble: boolean): void {
    const { session } = this.members.get(id) ?? addMember(this.members, id)
    session.presence = isAble ? 'active' : 'hidden'
    this.bots.notePresence()
  }

  handleLeave(id: number): void {
    const member = this.members.get(id)
    if (member === undefined) return
    this.members.remove(member)
    this.bots.handleLeave(member)
  }

  addBot(seat: number, wished?: number): void {
    this.bots.addBot(seat, wished === undefined ? undefined : this.#member(wished))
  }

  removeBot(seat: number): void {
    this.bots.removeBot(seat)
  }

  isBot(seat: number): boolean {
    return this.bots.at(seat) !== undefined
  }

  runnerOf(seat: number): number | undefined {
    return this.bots.at(seat)?.runner?.id
  }

  claimOf(id: number, seat: number): string {
    return this.bots.claimOf(this.#member(id), seat)
  }

  wakeAtMs(): number {
    return this.bots.wakeAtMs()
  }

  takeMoves(nowMs: number) {
    return this.bots.takeMoves(nowMs)
  }

  #member(id: number): Member {
    return this.members.get(id)!
  }
}

/** What moved at a time: by default so late that bots may move again. */
let lateMs = 0
function drain(bots: BotBench, atMs?: number): string[] {
  lateMs += moveEveryMs
  return bots
    .takeMoves(atMs ?? lateMs)
    .map(({ seat, runner, turn }) => `${seat}→${runner ?? 'nobody'} #${turn}`)
}

function make(...clients: number[]): BotBench {
  const bots = new BotBench()
  for (const client of clients) bots.setClient(client, true)
  return bots
}

describe('ORD-18 a bot', () => {
  test('runs on the client that was wished for, or on the one with the fewest', () => {
    const bots = make(1, 2, 3)
    bots.addBot(4, 2)
    bots.addBot(5)
    bots.addBot(6)
    bots.addBot(7)
    expect(drain(bots)).toEqual(['4→2 #1', '5→1 #1', '6→3 #1', '7→1 #1'])
  })

  test('moves when its runner leaves, seat by seat to the least loaded', () => {
    const bots = make(1, 2, 3)
    for (const seat of [9, 8, 7]) bots.addBot(seat, 1)
    bots.addBot(6, 3)
    drain(bots)
    bots.handleLeave(1)
    expect(drain(bots)).toEqual(['7→2 #2', '8→2 #2', '9→3 #2'])
  })

  test('waits for somebody when nobody can run it', () => {
    const bots = make(1)
    bots.addBot(4)
    expect(drain(bots)).toEqual(['4→1 #1'])
    bots.setClient(1, false)
    bots.setClient(2, false)
    expect(drain(bots)).toEqual(['4→nobody #2'])
    expect(bots.claimOf(1, 4)).toBe('moved')
    bots.setClient(2, true)
    expect(drain(bots)).toEqual(['4→2 #3'])
  })

  test('stays where it is when somebody else comes', () => {
    const bots = make(5)
    for (const seat of [1, 2, 3]) bots.addBot(seat)
    drain(bots)
    bots.setClient(1, true)
    bots.setClient(5, true)
    expect(drain(bots)).toEqual([])
  })

  test('[T-36] moves at most once per second, and not at all when its runner is back by then', () => {
    const bots = make(1, 2)
    bots.addBot(4, 1)
    drain(bots, 0)
    bots.setClient(1, false)
    expect(drain(bots, 10)).toEqual(['4→2 #2'])
    bots.setClient(1, true)
    bots.setClient(2, false)
    expect([drain(bots, 20), bots.wakeAtMs()]).toEqual([[], 10 + moveEveryMs])
    bots.setClient(2, true)
    expect(drain(bots, 10 + moveEveryMs)).toEqual([])
    expect([bots.runnerOf(4), bots.wakeAtMs()]).toEqual([2, Number.POSITIVE_INFINITY])
  })

  test('SEC-02 takes orders from its runner only; those of a former one are no offence', () => {
    const bots = make(1, 2, 3)
    bots.addBot(4, 1)
    expect([1, 2, 3].map((client) => bots.claimOf(client, 4))).toEqual([
      'allowed',
      'wrong-seat',
      'wrong-seat',
    ])
    bots.setClient(1, false)
    drain(bots)
    expect([1, 2, 3].map((client) => bots.claimOf(client, 4))).toEqual([
      'moved',
      'allowed',
      'wrong-seat',
    ])
    bots.removeBot(4)
    expect([bots.claimOf(2, 4), bots.isBot(4)]).toEqual(['wrong-seat', false])
  })
})

const step = fc.oneof(
  fc.record({ kind: fc.constant('able' as const), client: fc.nat(5), isAble: fc.boolean() }),
  fc.record({ kind: fc.constant('leave' as const), client: fc.nat(5) }),
  fc.record({ kind: fc.constant('bot' as const), seat: fc.nat(6) }),
  fc.record({ kind: fc.constant('unbot' as const), seat: fc.nat(6) }),
)

test('whatever comes and goes, each bot has one able runner if there is any, and all relays agree', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [bots, twin] = [new BotBench(), new BotBench()]
      let nowMs = 0
      const able = new Map<number, boolean>()
      const runners = new Map<number, number | undefined>()
      for (const next of steps) {
        for (const one of [bots, twin]) {
          if (next.kind === 'able') one.setClient(next.client, next.isAble)
          if (next.kind === 'leave') one.handleLeave(next.client)
          if (next.kind === 'bot' && !one.isBot(next.seat)) one.addBot(next.seat)
          if (next.kind === 'unbot') one.removeBot(next.seat)
        }
        if (next.kind === 'able') able.set(next.client, next.isAble)
        if (next.kind === 'leave') able.delete(next.client)
        if (next.kind === 'unbot') runners.delete(next.seat)
        const isAnybodyAble = [...able.values()].includes(true)
        nowMs += moveEveryMs
        const moves = bots.takeMoves(nowMs)
        expect(twin.takeMoves(nowMs)).toEqual(moves)
        for (const { seat, runner } of moves) runners.set(seat, runner)
        for (let seat = 0; seat <= 6; seat++) {
          if (!bots.isBot(seat)) continue
          const runner = bots.runnerOf(seat)
          expect(runner === undefined).toBe(!isAnybodyAble)
          if (runner !== undefined) expect(able.get(runner)).toBe(true)
          expect(runners.get(seat)).toBe(runner)
        }
      }
    }),
    { numRuns: 300 },
  )
})
