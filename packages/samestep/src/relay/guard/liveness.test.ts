import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Liveness } from './liveness.ts'
import type { Blame, PresenceEvent } from './presence.ts'

const tickMs = 1_000 / 30

/** A session whose client plays along until told otherwise. Ticks are sealed by the clock. */
class Bench {
  readonly live: Liveness
  nowMs = 0
  isTalking = true
  isExecuting = true
  isReturning = true
  /** How far behind a slow machine stays. */
  lagTicks = 0
  readonly events: string[] = []
  readonly strikes: string[] = []
  blame: Blame | undefined
  executed = 0
  #tokens = 0

  constructor() {
    this.live = new Liveness(4, 30, 0)
  }

  get sealed(): number {
    return Math.floor(this.nowMs / tickMs)
  }

  /** Lets time pass in ticks; the machine is woken when it asks for it, and never twice in vain. */
  run(ms: number): void {
    const untilMs = this.nowMs + ms
    while (this.nowMs < untilMs) {
      const nextMs = Math.min(this.nowMs + tickMs, untilMs)
      for (let wake = this.live.wakeAtMs(); wake <= nextMs; wake = this.live.wakeAtMs()) {
        expect(wake).toBeGreaterThanOrEqual(this.nowMs)
        this.nowMs = wake
        this.live.handleTime(this.sealed, wake)
        expect(this.live.wakeAtMs()).toBeGreaterThan(wake)
      }
      this.nowMs = nextMs
      if (this.isTalking) this.talk()
    }
    this.drain()
  }

  talk(): void {
    const { live, nowMs } = this
    if (live.isTokenDue(nowMs)) {
      this.#tokens += 1
      live.setToken(this.#tokens, nowMs)
    }
    if (this.isExecuting) this.executed = Math.max(this.executed, this.sealed - this.lagTicks)
    const token = this.isReturning && live.token >= 0 ? live.token : undefined
    const strike = live.handleProof(token, this.executed, this.sealed, nowMs)
    if (strike !== undefined) this.strikes.push(strike)
  }

  drain(): void {
    for (let event = this.live.pollEvent(); event; event = this.live.pollEvent()) {
      this.events.push(describeEvent(event))
      if (event.type === 'gone') this.blame = event.blame
    }
  }
}

function describeEvent(event: PresenceEvent): string {
  const name = event.type === 'gone' ? `gone: ${event.blame.reason}` : event.type
  return `${name} at ${Math.round(event.atMs / 100) / 10}`
}

describe('silence', () => {
  test('DIS-01 is told after 3 s, the link is dead after 10 s, patience ends at 15 s and 60 s', () => {
    const bench = new Bench()
    bench.run(10_000)
    expect(bench.live.presence).toBe('active')
    bench.isTalking = false
    bench.run(59_000)
    expect(bench.live.presence).toBe('silent')
    bench.run(2_000)
    expect(bench.events).toEqual([
      'silent at 13',
      'half-open at 20',
      'unresponsive at 25',
      'gone: timeout at 70',
    ])
    expect(bench.blame).toMatchObject({ seat: 4, reason: 'timeout', wasSilentMs: 60_000 })
    expect(bench.live.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })

  test('that ends is forgotten, and counts anew', () => {
    const bench = new Bench()
    for (let round = 0; round < 3; round++) {
      bench.isTalking = false
      bench.run(12_000)
      bench.isTalking = true
      bench.run(1_000)
    }
    expect(bench.events).toEqual(
      [0, 13, 26].flatMap((s) => [
        `silent at ${s + 3}`,
        `half-open at ${s + 10}`,
        `back at ${s + 12}`,
      ]),
    )
    expect(bench.live.presence).toBe('active')
  })

  test('begins at once when the link is lost, and only the session is waited for', () => {
    const bench = new Bench()
    bench.run(1_000)
    bench.isTalking = false
    bench.live.handleLinkDown(1_000)
    bench.run(19_000)
    bench.live.handleLinkUp(19 * 30, 20_000)
    bench.isTalking = true
    bench.run(100)
    expect(bench.events).toEqual([
      'silent at 1',
      'unresponsive at 16',
      'back at 20',
      'catching-up at 20',
      'caught-up at 20',
    ])
  })

  test('F-08 is told when somebody listens, also of one for whom a state is fetched', () => {
    const live = new Liveness(4, 30, 0)
    live.handleTime(90, 3_000)
    expect(live.pollEvent()).toMatchObject({ type: 'silent' })
    live.noteProgress(10_050)
    expect([live.hasEvents, live.wakeAtMs()]).toEqual([false, 10_000])
    live.handleTime(302, 10_060)
    expect(live.pollEvent()).toMatchObject({ type: 'half-open' })
  })

  test('F-08 of a hidden page may last 75 s, and not longer', () => {
    const bench = new Bench()
    bench.live.declareHidden(true, 0, 0)
    bench.isTalking = false
    bench.run(74_900)
    expect([bench.live.presence, bench.events]).toEqual(['hidden', ['hidden at 0']])
    bench.run(200)
    expect(bench.events).toEqual(['hidden at 0', 'gone: timeout at 75'])
  })

  test('F-13 a hidden page that speaks once a minute stays, and catches up when it is shown', () => {
    const bench = new Bench()
    bench.live.declareHidden(true, 0, 0)
    bench.isTalking = false
    for (let minute = 0; minute < 10; minute++) {
      bench.run(60_000)
      bench.live.handlePacket(bench.nowMs)
    }
    bench.live.declareHidden(false, 600 * 30, bench.nowMs)
    bench.isTalking = true
    bench.run(100)
    expect(bench.events).toEqual([
      'hidden at 0',
      'visible at 600',
      'catching-up at 600',
      'caught-up at 600',
    ])
  })
})

describe('T-41 proof of life', () => {
  test('is a token that comes back with the executed tick', () => {
    const bench = new Bench()
    bench.run(60_000)
    expect([bench.events, bench.strikes]).toEqual([[], []])
    expect(bench.live.executedTick).toBe(bench.executed)
  })

  test('without execution is none: ten seconds later it is too slow', () => {
    const bench = new Bench()
    bench.run(1_000)
    bench.isExecuting = false
    bench.run(12_000)
    expect(bench.events).toEqual(['lagging at 3', 'gone: too-slow at 11'])
  })

  test('without the token is none', () => {
    const bench = new Bench()
    bench.run(1_000)
    bench.isReturning = false
    bench.run(12_000)
    expect(bench.events).toEqual(['gone: too-slow at 11'])
  })

  test('with a token that was never given, or with a tick not sealed yet, is a lie', () => {
    const { live } = new Bench()
    live.setToken(7, 0)
    expect(live.handleProof(8, 0, 0, 10)).toBe('wrong-token')
    expect(live.handleProof(7, 5, 4, 10)).toBe('wrong-tick')
    expect(live.handleProof(7, 4, 4, 10)).toBeUndefined()
  })

  test('with the token before is fine until the new one came back, and then no more', () => {
    const { live } = new Bench()
    live.setToken(7, 0)
    live.handleProof(7, 1, 1, 10)
    expect([live.isTokenDue(999), live.isTokenDue(1_000)]).toEqual([false, true])
    live.setToken(8, 1_000)
    expect(live.handleProof(7, 2, 2, 1_500)).toBeUndefined()
    // However long the line is, there is no third token before the second came back.
    expect(live.isTokenDue(9_000)).toBe(false)
    expect(live.handleProof(8, 3, 3, 2_000)).toBeUndefined()
    expect(live.handleProof(7, 4, 4, 2_100)).toBe('old-token')
    expect(live.executedTick).toBe(3)
  })

  test('with a token of some seconds ago is late, and no lie: a line that was left may bring it', () => {
    const { live } = new Bench()
    for (const token of [7, 8, 9, 10]) {
      live.setToken(token, token * 1_000)
      live.handleProof(token, token, token, token * 1_000 + 10)
    }
    expect(live.handleProof(7, 11, 11, 11_000)).toBe('old-token')
    expect(live.handleProof(6, 11, 11, 11_000)).toBe('wrong-token')
    for (const token of [11, 12, 13]) live.setToken(token, token * 1_000)
    expect(live.handleProof(7, 13, 13, 14_000)).toBe('wrong-token')
  })

  test('with a token from before a crash of the relay is no lie, also over a line that was left', () => {
    const { live } = new Bench()
    live.restore(0)
    live.handleLinkUp(0, 100)
    live.setToken(8, 100)
    expect(live.handleProof(99, 1, 1, 200)).toBeUndefined()
    expect(live.handleProof(8, 2, 2, 1_000)).toBeUndefined()
    expect(live.handleProof(99, 3, 3, 4_999)).toBe('old-token')
    expect(live.handleProof(99, 4, 4, 5_000)).toBe('wrong-token')
  })

  test('with the token before for ever is none', () => {
    const { live } = new Bench()
    live.setToken(7, 0)
    live.handleProof(7, 1, 1, 10)
    live.setToken(8, 1_000)
    let goneAtMs = 0
    for (let ms = 1_000; ms < 30_000 && goneAtMs === 0; ms += 33) {
      live.handleProof(7, Math.floor(ms / 33), 1_000, ms)
      if (live.presence === 'gone') goneAtMs = ms
    }
    expect(goneAtMs).toBeGreaterThan(19_000)
    expect(goneAtMs).toBeLessThan(22_000)
  })

  test('is not asked of a hidden page', () => {
    const bench = new Bench()
    bench.live.declareHidden(true, 0, 0)
    bench.isExecuting = false
    bench.run(200_000)
    expect(bench.live.presence).toBe('hidden')
  })
})

test('I-21 patience with who executes nothing begins with the tick that there is to execute', () => {
  const live = new Liveness(4, 1, 0)
  live.setToken(7, 0)
  live.handleTime(5, 100)
  expect(live.handleProof(7, 5, 5, 200)).toBeUndefined()
  // For nine seconds nothing may be seen: the match is slow, or the seat is lost to a delay.
  for (let ms = 1_000; ms <= 9_000; ms += 1_000) live.handleProof(undefined, 5, 5, ms)
  live.handleProof(undefined, 5, 10, 10_190)
  live.handleTime(10, 10_210)
  expect(live.presence).toBe('active')
  for (let ms = 11_000; ms <= 20_000; ms += 1_000) live.handleProof(undefined, 5, 10, ms)
  expect(live.presence).toBe('active')
  live.handleTime(10, 20_190)
  expect(live.presence).toBe('gone')
})

describe('lag', () => {
  test('T-34 is twenty late ticks in ten seconds, and over when they are few', () => {
    const bench = new Bench()
    for (let tick = 0; tick < 20; tick++) bench.live.handleLateTick(tick * 100)
    bench.nowMs = 1_900
    bench.drain()
    expect(bench.live.presence).toBe('lagging')
    bench.run(20_000)
    expect(bench.events).toEqual(['lagging at 1.9', 'caught-up at 11'])
  })

  test('T-34 late inputs cost only who sends them: however long, he is told and may stay', () => {
    const bench = new Bench()
    for (let half = 0; half < 400; half++) {
      bench.live.handleLateTick(bench.nowMs)
      bench.live.handleLateTick(bench.nowMs)
      bench.run(500)
    }
    expect(bench.events).toEqual(['lagging at 4.5'])
    expect(bench.live.presence).toBe('lagging')
    bench.isTalking = false
    bench.run(60_100)
    expect(bench.blame).toMatchObject({ reason: 'timeout', lateTicks: 800 })
  })

  test('T-34 to be more than two seconds behind for a minute is too slow', () => {
    const bench = new Bench()
    bench.lagTicks = 70
    bench.run(70_000)
    expect(bench.events).toEqual(['lagging at 2.1', 'gone: too-slow at 62.1'])
    expect(bench.blame?.wasSilentMs).toBeLessThan(50)
  })

  test('to be two seconds behind, and no more, is no lag', () => {
    const bench = new Bench()
    bench.lagTicks = 60
    bench.run(70_000)
    expect([bench.events, bench.live.presence]).toEqual([[], 'active'])
  })

  test('F-12 is also to fall behind, and to be level again ends it', () => {
    const bench = new Bench()
    bench.run(1_000)
    bench.isExecuting = false
    bench.run(5_000)
    bench.isExecuting = true
    bench.run(1_000)
    expect(bench.events).toEqual(['lagging at 3', 'caught-up at 6'])
  })
})

describe('lag and silence', () => {
  /** Lags by three seconds since the second 3, at the second 43. */
  function lagging(): Bench {
    const bench = new Bench()
    bench.run(1_000)
    bench.lagTicks = 100
    bench.run(42_000)
    expect([bench.live.presence, bench.events]).toEqual(['lagging', ['lagging at 3']])
    return bench
  }

  test('who lags and falls silent is judged by his silence', () => {
    const bench = lagging()
    bench.isTalking = false
    bench.run(61_000)
    expect(bench.events.at(-1)).toBe('gone: timeout at 103')
  })

  test('who comes back from silence has a new minute', () => {
    const bench = lagging()
    bench.isTalking = false
    bench.run(30_000)
    bench.isTalking = true
    bench.run(59_000)
    expect(bench.live.presence).toBe('lagging')
    bench.run(2_000)
    expect(bench.events.at(-1)).toBe('gone: too-slow at 133')
  })

  test('what was said before a silence and comes after it is no proof of standing still', () => {
    const bench = new Bench()
    bench.run(1_000)
    bench.isTalking = false
    bench.run(12_000)
    bench.isExecuting = false
    bench.isTalking = true
    bench.run(3_000)
    expect(bench.live.presence).not.toBe('gone')
    bench.isExecuting = true
    bench.run(100)
    expect(bench.live.presence).toBe('active')
  })

  test('F-14 a standstill of the relay adds no time to a lag', () => {
    const bench = lagging()
    bench.nowMs += 50_000
    bench.live.excuse(50_000)
    bench.run(19_000)
    expect(bench.live.presence).toBe('lagging')
    bench.run(2_000)
    expect(bench.events.at(-1)).toBe('gone: too-slow at 113')
  })

  test('F-14 nor does it make a token old', () => {
    const { live } = new Bench()
    live.setToken(7, 0)
    live.handleProof(7, 1, 1, 10)
    live.setToken(8, 1_000)
    live.excuse(30_000)
    live.handleProof(7, 2, 900, 31_500)
    expect(live.executedTick).toBe(2)
  })
})

describe('patience', () => {
  test('catching up may take as long as it goes forward', () => {
    const bench = new Bench()
    bench.nowMs = 400_000
    bench.live.handleLinkUp(12_000, bench.nowMs)
    bench.isExecuting = false
    for (let step = 0; step < 10; step++) {
      bench.executed += 1
      bench.run(14_000)
    }
    expect(bench.live.presence).toBe('catching-up')
    bench.run(15_000)
    expect(bench.events.at(-1)).toMatch(/too-slow/)
  })
})

describe('F-14 a standstill of the relay', () => {
  test('is held against nobody, however long', () => {
    const bench = new Bench()
    bench.run(5_000)
    for (let round = 0; round < 20; round++) {
      bench.nowMs += 120_000
      bench.live.excuse(120_000)
      bench.live.handleTime(bench.sealed, bench.nowMs)
      bench.run(500)
    }
    expect(bench.events).toEqual([])
  })
})

test('I-14 who is gone is gone once, and nothing wakes for him', () => {
  const bench = new Bench()
  bench.isTalking = false
  bench.run(60_000)
  bench.live.handlePacket(60_010)
  bench.live.declareHidden(true, 0, 60_020)
  bench.live.handleLinkUp(9, 60_030)
  bench.run(100_000)
  expect(bench.events.filter((event) => event.startsWith('gone'))).toEqual(['gone: timeout at 60'])
  expect([bench.live.presence, bench.live.wakeAtMs()]).toEqual(['gone', Number.POSITIVE_INFINITY])
})

const weather = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('play' as const), ms: fc.nat(8_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), ms: fc.nat(55_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drop' as const), ms: fc.nat(55_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hide' as const), ms: fc.nat(70_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.nat(300_000) }) },
)

test('I-21 an honest client is never struck or sent away, whatever its line and the relay do', () => {
  fc.assert(
    fc.property(fc.array(weather, { maxLength: 15 }), (steps) => {
      const bench = new Bench()
      bench.run(1_000)
      for (const step of steps) {
        const { live } = bench
        if (step.kind === 'drop') live.handleLinkDown(bench.nowMs)
        if (step.kind === 'hide') live.declareHidden(true, 0, bench.nowMs)
        if (step.kind === 'pause') {
          bench.nowMs += step.ms
          live.excuse(step.ms)
        } else {
          bench.isTalking = step.kind === 'play'
          bench.run(step.ms)
        }
        const behind = bench.sealed - bench.executed
        if (step.kind === 'drop') live.handleLinkUp(behind, bench.nowMs)
        if (step.kind === 'hide') live.declareHidden(false, behind, bench.nowMs)
        bench.isTalking = true
        bench.run(100)
        expect(bench.live.presence).toBe('active')
      }
      expect(bench.strikes).toEqual([])
      expect(bench.events.filter((event) => event.startsWith('gone'))).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('every deadline changes something when it has come, however it rounds', () => {
  for (let us = 1; us < 20_000_000; us += 79_193) {
    const live = new Liveness(0, 30, us / 1_000)
    for (let step = 0; live.presence !== 'gone'; step++) {
      expect(step).toBeLessThan(10)
      const dueMs = live.wakeAtMs()
      live.handleTime(0, dueMs)
      expect(live.wakeAtMs()).toBeGreaterThan(dueMs)
    }
  }
})
