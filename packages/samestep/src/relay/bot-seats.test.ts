import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BotSeats } from './bot-seats.ts'

function drain(bots: BotSeats): string[] {
  const moves: string[] = []
  for (let event = bots.pollEvent(); event; event = bots.pollEvent()) {
    moves.push(`${event.seat}→${event.runner ?? 'nobody'} #${event.turn}`)
  }
  return moves
}

function make(...clients: number[]): BotSeats {
  const bots = new BotSeats()
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
    bots.setClient(1, false)
    bots.setClient(2, false)
    expect(drain(bots)).toEqual(['4→1 #1', '4→nobody #2'])
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

  test('SEC-02 takes orders from its runner only; those of a former one are no offence', () => {
    const bots = make(1, 2, 3)
    bots.addBot(4, 1)
    expect([1, 2, 3].map((client) => bots.claimOf(client, 4))).toEqual([
      'allowed',
      'wrong-seat',
      'wrong-seat',
    ])
    bots.setClient(1, false)
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
      const [bots, twin] = [new BotSeats(), new BotSeats()]
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
        for (let event = bots.pollEvent(); event; event = bots.pollEvent()) {
          expect(twin.pollEvent()).toEqual(event)
          runners.set(event.seat, event.runner)
        }
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
