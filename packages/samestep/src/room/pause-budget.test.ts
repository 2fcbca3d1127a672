import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { speedPercentMax, speedPercentMin } from '../wire/limits.ts'
import { paceDefaults } from '../wire/messages/match-config.ts'
import type { PaceEvent, PaceRequest, PaceSource } from './pause-budget.ts'
import { PauseBudget } from './pause-budget.ts'

const pause: PaceRequest = { type: 'pause' }
const resume: PaceRequest = { type: 'resume' }
const player = (seat: number): PaceSource => ({ type: 'player', seat })
const owner: PaceSource = { type: 'owner', seat: 9 }
const vote: PaceSource = { type: 'vote' }
const relay: PaceSource = { type: 'relay' }

function drain(budget: PauseBudget): PaceEvent[] {
  const events: PaceEvent[] = []
  for (let event = budget.pollEvent(); event; event = budget.pollEvent()) events.push(event)
  return events
}

describe('T-39 pauses', () => {
  test('are three per seat and match', () => {
    const budget = new PauseBudget()
    for (let count = 0; count < 3; count++) {
      expect(budget.request(pause, player(1), 0)).toBeUndefined()
      expect(budget.request(pause, player(2), 0)).toBe('already')
      expect(budget.request(resume, player(1), 0)).toBeUndefined()
    }
    expect(budget.request(pause, player(1), 0)).toBe('no-pause-left')
    expect(budget.request(pause, player(2), 0)).toBeUndefined()
    expect([budget.pausesLeft(1), budget.pausesLeft(2)]).toEqual([0, 2])
  })

  test('of owners who only watch are three in all, whoever the match is handed to', () => {
    const budget = new PauseBudget()
    const watcher: PaceSource = { type: 'owner', seat: undefined }
    for (let count = 0; count < 3; count++) {
      expect(budget.request(pause, watcher, 0)).toBeUndefined()
      budget.request(resume, watcher, 0)
    }
    expect(budget.request(pause, watcher, 0)).toBe('no-pause-left')
    expect([budget.request(pause, vote, 0), budget.request(resume, vote, 0)]).toEqual([
      undefined,
      undefined,
    ])
    expect(budget.request(pause, player(1), 0)).toBeUndefined()
  })

  test('end by themselves after a minute', () => {
    const budget = new PauseBudget()
    budget.request(pause, player(1), 1_000)
    expect(budget.wakeAtMs()).toBe(61_000)
    budget.handleTime(60_999)
    expect(budget.isPaused).toBe(true)
    budget.handleTime(61_000)
    expect(drain(budget)).toEqual([
      { type: 'pause', seat: 1 },
      { type: 'resume', seat: undefined },
    ])
    expect(budget.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('are ended by who began them, by the owner and by a vote, but not by the opponent', () => {
    const enders: readonly (readonly [PaceSource, string | undefined])[] = [
      [player(2), 'not-allowed'],
      [player(1), undefined],
      [owner, undefined],
      [vote, undefined],
      [relay, undefined],
    ]
    for (const [by, expected] of enders) {
      const budget = new PauseBudget()
      budget.request(pause, player(1), 0)
      expect(budget.request(resume, by, 0)).toBe(expected)
    }
    expect(new PauseBudget().request(resume, owner, 0)).toBe('already')
  })

  test('of the relay last until the relay ends them', () => {
    const budget = new PauseBudget()
    budget.request(pause, relay, 0)
    budget.handleTime(1e9)
    const refusals = [player(1), owner, vote].map((by) => budget.request(resume, by, 1e9))
    expect(refusals).toEqual(Array(3).fill('not-allowed'))
    expect(budget.request(resume, relay, 1e9)).toBeUndefined()
  })

  test('of an owner who gave his rights away are still his to end', () => {
    const budget = new PauseBudget()
    budget.request(pause, { type: 'owner', seat: 3 }, 0)
    expect(budget.request(resume, player(4), 0)).toBe('not-allowed')
    expect(budget.request(resume, player(3), 0)).toBeUndefined()
  })

  test('may be left to the owner, to votes, or to the relay', () => {
    const sources = [player(1), owner, vote, relay]
    const allowed = (['player', 'owner', 'vote', 'relay'] as const).map((pauseBy) =>
      sources.map(
        (by) => new PauseBudget({ ...paceDefaults, pauseBy }).request(pause, by, 0) === undefined,
      ),
    )
    expect(allowed).toEqual([
      [true, true, true, true],
      [false, true, true, true],
      [false, false, true, true],
      [false, false, false, true],
    ])
  })
})

describe('a halt', () => {
  test('lasts until the owner, a vote or the relay ends it, and is told once', () => {
    const enders: readonly (readonly [PaceSource, string | undefined])[] = [
      [player(1), 'not-allowed'],
      [owner, undefined],
      [vote, undefined],
      [relay, undefined],
    ]
    for (const [by, expected] of enders) {
      const budget = new PauseBudget()
      budget.halt()
      budget.halt()
      budget.handleTime(1e12)
      expect(budget.isHalted).toBe(true)
      expect(budget.request(pause, player(1), 0)).toBe('already')
      expect(budget.request(resume, by, 1e12)).toBe(expected)
      expect(budget.isHalted).toBe(expected !== undefined)
      const events = drain(budget).map(({ type }) => type)
      expect(events).toEqual(expected === undefined ? ['pause', 'resume'] : ['pause'])
    }
  })

  test('takes the place of a pause, of which nobody is told again', () => {
    const budget = new PauseBudget()
    budget.request(pause, player(1), 0)
    budget.halt()
    budget.handleTime(1e9)
    expect(budget.request(resume, player(1), 1e9)).toBe('not-allowed')
    expect(drain(budget).map(({ type }) => type)).toEqual(['pause'])
    expect(budget.pausesLeft(1)).toBe(2)
  })

  test('is still one after a restart, and no pause of an owner is', () => {
    const [before, after] = [new PauseBudget(), new PauseBudget()]
    before.halt()
    after.restore(before.pauseView(0), before.pausesView(), 100, 100, 0)
    expect(after.isHalted).toBe(true)
    const paused = new PauseBudget()
    paused.request(pause, { type: 'owner', seat: undefined }, 0)
    expect(paused.isHalted).toBe(false)
    const again = new PauseBudget()
    again.restore(paused.pauseView(0), paused.pausesView(), 100, 100, 0)
    expect(again.isHalted).toBe(false)
  })
})

describe('speed', () => {
  const speed = (percent: number): PaceRequest => ({ type: 'speed', percent })

  test('T-39 is for the owner, a vote or the relay', () => {
    const budget = new PauseBudget()
    expect(budget.request(speed(200), player(1), 0)).toBe('not-allowed')
    expect(budget.request(speed(200), owner, 0)).toBeUndefined()
    expect(budget.request(speed(300), vote, 999)).toBe('too-soon')
    expect(budget.request(speed(300), vote, 1_000)).toBeUndefined()
    expect(budget.request(speed(50), relay, 1_000)).toBeUndefined()
    expect(drain(budget).map((event) => 'percent' in event && event.percent)).toEqual([
      200, 300, 50,
    ])
  })

  test.each([9, 1_001, 0, -100, 99.5, Number.NaN, Infinity])(
    'of %s percent is refused',
    (percent) => {
      expect(new PauseBudget().request(speed(percent), relay, 0)).toBe('bad-value')
    },
  )

  test('LAG-08 asked for is not what is while the load is high, and comes back by itself', () => {
    const budget = new PauseBudget()
    budget.request(speed(200), owner, 0)
    budget.limitSpeed(80.9)
    expect([budget.requestedPercent, budget.effectivePercent]).toEqual([200, 80])
    budget.request(speed(300), owner, 2_000)
    expect(budget.effectivePercent).toBe(80)
    budget.limitSpeed(1_000)
    expect(drain(budget).map((event) => 'percent' in event && event.percent)).toEqual([
      200, 80, 300,
    ])
  })
})

test('T-39 on any requests pauses and resumptions alternate, nobody has more than his, speed is bounded', () => {
  const source = fc.oneof(
    fc.nat(2).map(player),
    fc.constantFrom<PaceSource>(owner, vote, relay, { type: 'owner', seat: undefined }),
  )
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('request' as const),
      by: source,
      request: fc.oneof(
        fc.constantFrom(pause, resume),
        fc.record({ type: fc.constant('speed' as const), percent: fc.double() }),
        fc.record({ type: fc.constant('speed' as const), percent: fc.nat(1_200) }),
      ),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(70_000) }),
    fc.record({ kind: fc.constant('limit' as const), percent: fc.oneof(fc.double(), fc.nat(150)) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new PauseBudget()
      const pauses = new Map<number, number>()
      let nowMs = 0
      let pausedAtMs = -1
      let isLong = false
      for (const next of steps) {
        if (next.kind === 'limit') budget.limitSpeed(next.percent)
        if (next.kind === 'request') {
          const refusal = budget.request(next.request, next.by, nowMs)
          if (refusal === undefined && next.request.type === 'pause') {
            isLong = next.by.type === 'relay'
          }
        }
        if (next.kind === 'wait') {
          nowMs += next.ms
          budget.handleTime(nowMs)
        }
        for (const event of drain(budget)) {
          if (event.type === 'pause') {
            expect(pausedAtMs).toBe(-1)
            pausedAtMs = nowMs
            if (event.seat !== undefined) {
              pauses.set(event.seat, (pauses.get(event.seat) ?? 0) + 1)
              expect(pauses.get(event.seat)).toBeLessThanOrEqual(3)
            }
          } else if (event.type === 'resume') {
            expect(pausedAtMs).toBeGreaterThanOrEqual(0)
            pausedAtMs = -1
          } else {
            expect(event.percent).toBe(budget.effectivePercent)
            expect(Number.isInteger(event.percent)).toBe(true)
            expect(event.percent).toBeGreaterThanOrEqual(speedPercentMin)
            expect(event.percent).toBeLessThanOrEqual(speedPercentMax)
          }
        }
        expect(budget.isPaused).toBe(pausedAtMs >= 0)
        if (budget.isPaused && !isLong) expect(nowMs - pausedAtMs).toBeLessThan(60_000)
      }
    }),
    { numRuns: 200 },
  )
})
