import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { playOut } from './testing/playout.ts'
import { TickPacer } from './tick-pacer.ts'

const intervalMs = 1_000 / 30
const frameMs = 1_000 / 60

/** One player who looks 60 times per second at ticks that come when the test says. */
class Player {
  readonly pacer = new TickPacer(30)
  readonly alphas: number[] = []
  nowMs = 0
  ready = 0
  simulated = 0
  /** Ms per tick. */
  cost = 1
  /** The most that ran in one frame. */
  most = 0
  latencyMs = 20
  #sealed = 0
  #sealAtMs = 0

  /** Plays frames while the relay seals at its speed and the network carries, or not. */
  play(forMs: number, speedPercent = 100, isCarried = true): this {
    const endMs = this.nowMs + forMs
    while (this.nowMs < endMs) {
      while (speedPercent > 0 && this.#sealAtMs + this.latencyMs <= this.nowMs) {
        this.#sealed += 1
        if (isCarried) this.arrive(this.#sealed, this.#sealAtMs + this.latencyMs)
        this.#sealAtMs += (intervalMs * 100) / speedPercent
      }
      if (speedPercent === 0) this.#sealAtMs = this.nowMs
      const spentMs = this.frame()
      this.nowMs += Math.max(Math.ceil(spentMs / frameMs), 1) * frameMs
    }
    return this
  }

  arrive(tick: number, atMs: number): void {
    this.ready = tick
    this.pacer.noteArrival(tick, atMs)
  }

  /** One frame; gives what its ticks took. */
  frame(): number {
    const planned = this.pacer.plan(this.nowMs, this.simulated, this.ready)
    let ran = 0
    while (ran < planned && (ran === 0 || this.nowMs + ran * this.cost < this.pacer.deadlineMs)) {
      ran += 1
    }
    this.simulated += ran
    this.most = Math.max(this.most, ran)
    this.pacer.noteRan(ran, ran * this.cost)
    this.alphas.push(this.simulated + this.pacer.drawAlpha(this.nowMs))
    return ran * this.cost
  }
}

function drySinceMs({ state }: TickPacer): number {
  return state.name === 'stalled' ? state.sinceMs : Number.NaN
}

describe('on a perfect network', () => {
  test.each([30, 60, 75, 120, 144, 240])(
    'at %i pictures per second ticks run in the first frame after they came, in even motion',
    (fps) => {
      const seen = playOut({ latencyMs: () => 20, fps })
      expect(seen.waitMs).toBeLessThan(1_000 / fps)
      expect(seen.unevenness).toBeLessThan(0.001)
      expect(seen.stallCount).toBe(0)
      expect(seen.pacer.targetDepth).toBeCloseTo(0, 6)
    },
  )

  test.each([10, 20, 60, 120])('at %i ticks per second motion is as even', (tickRate) => {
    const seen = playOut({ latencyMs: () => 20, tickRate })
    expect(seen.unevenness).toBeLessThan(0.001)
    expect(seen.stallCount).toBe(0)
    expect(seen.waitMs).toBeLessThan(frameMs)
  })

  test('a clock of whole milliseconds costs no smoothness and less than a millisecond', () => {
    const seen = playOut({
      latencyMs: (tick) => 20 + Math.round(tick * intervalMs) - tick * intervalMs,
    })
    expect(seen.stallCount).toBe(0)
    expect(seen.unevenness).toBeLessThan(0.01)
    expect(seen.pacer.targetDepth * intervalMs).toBeLessThan(1)
  })

  test('offline, with ticks found only when a frame looks for them, motion is even', () => {
    for (const fps of [50, 60, 75, 144]) {
      const frame = 1_000 / fps
      const seen = playOut({
        latencyMs: (tick) =>
          Math.ceil((tick * intervalMs) / frame - 1e-9) * frame - tick * intervalMs,
        fps,
      })
      expect(seen.unevenness, `${fps}`).toBeLessThan(0.05)
      expect(seen.stallCount, `${fps}`).toBe(0)
      expect(seen.waitMs, `${fps}`).toBeLessThan(1.5 * frame)
    }
  })

  test('no tick is lost and none runs twice', () => {
    const seen = playOut({ latencyMs: () => 20, forMs: 60_000, warmUpMs: 0 })
    expect(seen.ranTicks).toBeGreaterThanOrEqual(1_796)
  })
})

describe('jitter', () => {
  const gamma = (meanMs: number) => (_: number, prng: Prng) =>
    20 + (meanMs / 2) * (prng.exponential() + prng.exponential())

  test('of a fibre line, 4 ms, is absorbed without a stall for less than a tick', () => {
    const seen = playOut({ latencyMs: gamma(4), forMs: 120_000 })
    expect(seen.stallCount).toBe(0)
    expect(seen.waitMs).toBeLessThan(intervalMs)
    expect(seen.unevenness).toBeLessThan(0.05)
  })

  test('of wireless, 16 ms with a long tail, stalls fewer than eight times per minute', () => {
    const seen = playOut({ latencyMs: (_, prng) => 20 + 16 * prng.exponential(), forMs: 130_000 })
    expect(seen.stallCount / 2).toBeLessThan(8)
    expect(seen.waitMs).toBeLessThan(3 * intervalMs)
  })

  test('that ended is unlearned: the latency is back within a minute', () => {
    const seen = playOut({
      latencyMs: (tick, prng) => 20 + (tick < 900 ? 60 : 0) * prng.unit(),
      forMs: 100_000,
      warmUpMs: 60_000,
    })
    expect(seen.pacer.targetDepth).toBeLessThan(0.1)
    expect(seen.waitMs).toBeLessThan(frameMs + 4)
  })

  test('never makes the picture go back, whatever comes when', () => {
    const gaps = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 900 })),
      {
        minLength: 20,
        maxLength: 200,
      },
    )
    fc.assert(
      fc.property(gaps, fc.integer({ min: 20, max: 240 }), (latencies, fps) => {
        const seen = playOut({
          latencyMs: (tick) => latencies[tick % latencies.length] as number,
          fps,
          forMs: 8_000,
          warmUpMs: 0,
        })
        expect(seen.smallestMotion).toBeGreaterThanOrEqual(-1e-6)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the rate', () => {
  test('[SMO-01] is reviewed every 500 ms, by the speed, and holds still in between', () => {
    for (const percent of [100, 200]) {
      const prng = new Prng(9)
      const player = new Player().play(2_000)
      player.pacer.speedPercent = percent
      const rates: number[] = []
      for (let frame = 0; frame < 600; frame++) {
        player.latencyMs = 20 + 10 * prng.unit()
        player.play(frameMs, percent)
        rates.push(player.pacer.rate)
      }
      const changes = rates.filter((rate, index) => index > 0 && rate !== rates[index - 1]).length
      expect(changes).toBeLessThanOrEqual((21 * percent) / 100)
      expect(changes).toBeGreaterThan((10 * percent) / 100)
    }
  })
})

describe('another speed', () => {
  test('counts from the tick that says so, also while that one is not noted as run', () => {
    const { pacer } = new Player().play(3_000, 25)
    const { arrivals } = pacer
    const tick = 90
    const dueMs = arrivals.earliestMs(tick)
    pacer.setSpeed(50, tick)
    expect(arrivals.earliestMs(tick)).toBeCloseTo(dueMs, 6)
    expect(arrivals.earliestMs(tick + 1)).toBeCloseTo(dueMs + 2 * intervalMs, 6)
  })
})

describe('the picture', () => {
  test('does not go back when it is asked for an earlier time', () => {
    const player = new Player().play(3_000)
    const later = player.pacer.drawAlpha(player.nowMs + 10)
    expect(player.pacer.drawAlpha(player.nowMs)).toBe(later)
  })

  test('does not go back when the head is put on anew', () => {
    const player = new Player().play(3_000)
    player.pacer.drawAlpha(player.nowMs + 20)
    player.pacer.setHidden(true)
    player.pacer.setHidden(false)
    player.play(500)
    const steps = player.alphas.map((at, index, all) => at - (all[index - 1] ?? at))
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0)
  })
})

describe('when a tick is missing', () => {
  test('the picture rests at the newest tick, and the state says since when', () => {
    const player = new Player().play(3_000)
    const dryFrom = player.nowMs
    player.play(500, 100, false)
    expect(player.pacer.state.name).toBe('stalled')
    expect(drySinceMs(player.pacer)).toBeGreaterThan(dryFrom - 2 * intervalMs)
    expect(drySinceMs(player.pacer)).toBeLessThan(dryFrom + 2 * intervalMs)
    expect(player.pacer.drawAlpha(player.nowMs)).toBe(1)
    expect(player.simulated).toBe(player.ready)
  })

  test('[SMO-03] a tick that is 25 ms late costs one pause of a whole tick, and those after it none', () => {
    let pauses = 0
    let wasDry = false
    const player = new Player().play(3_000)
    player.latencyMs = 45
    for (let frame = 0; frame < 120; frame++) {
      player.play(frameMs)
      const isDry = player.pacer.state.name === 'stalled'
      if (isDry && !wasDry) pauses += 1
      wasDry = isDry
    }
    expect(pauses).toBe(1)
    expect(player.pacer.targetDepth).toBeGreaterThan(0)
  })

  test('lateness that nobody sees is no stall', () => {
    const player = new Player().play(3_000)
    player.latencyMs = 26
    for (let frame = 0; frame < 60; frame++) {
      player.play(frameMs)
      expect(player.pacer.state.name).toBe('active')
    }
  })

  test('wakes a driver without pictures when the rest is over', () => {
    const player = new Player().play(3_000).play(100, 100, false)
    expect(player.pacer.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
    const sinceMs = drySinceMs(player.pacer)
    player.arrive(player.ready + 2, sinceMs + 5)
    player.pacer.plan(sinceMs + 6, player.simulated, player.ready)
    expect(player.pacer.wakeAtMs()).toBeCloseTo(sinceMs + intervalMs, 6)
  })
})

describe('far behind', () => {
  /** Thirty seconds of ticks at once, while the match goes on. */
  function behind(cost: number): Player {
    const player = new Player().play(2_000)
    player.cost = cost
    player.play(30_000, 100, false)
    return player
  }

  test('a machine that was away catches up, at most 30 ticks per frame, and tells how far it is', () => {
    const player = behind(2)
    const progress: number[] = []
    player.play(frameMs)
    expect(player.pacer.state.name).toBe('catching-up')
    expect(player.pacer.ticksLeft).toBeGreaterThan(800)
    while (player.pacer.state.name === 'catching-up') {
      progress.push(player.pacer.progress)
      expect(player.pacer.leftMs).toBeGreaterThan(0)
      expect(player.pacer.leftMs).toBeLessThan(10_000)
      player.play(frameMs)
      expect(player.nowMs).toBeLessThan(60_000)
    }
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress[0]).toBeLessThan(0.05)
    expect(progress.at(-1)).toBeGreaterThan(0.9)
    expect(player.most).toBeLessThanOrEqual(30)
    expect(player.play(2_000).pacer.state.name).toBe('active')
    expect(player.ready - player.simulated).toBeLessThanOrEqual(2)
  })

  test('progress never falls, even if much more comes on the way', () => {
    const player = behind(2).play(600)
    const before = player.pacer.progress
    expect(before).toBeGreaterThan(0.2)
    player.arrive(player.ready + 3_000, player.nowMs)
    player.frame()
    expect(player.pacer.state.name).toBe('catching-up')
    expect(player.pacer.progress).toBeGreaterThanOrEqual(before)
  })

  test('a picture is due at least five times per second, whatever a tick costs', () => {
    const player = behind(30)
    player.pacer.load.noteDraw(100)
    const before = player.nowMs
    player.play(frameMs)
    expect(player.pacer.deadlineMs - before).toBeLessThanOrEqual(200)
    expect(player.nowMs - before).toBeLessThanOrEqual(200)
  })

  test('one tick runs per frame even if it alone is above the budget', () => {
    const player = behind(700)
    const before = player.simulated
    player.play(frameMs)
    expect(player.simulated).toBeGreaterThan(before)
  })

  test('the share of drawing grows with what it costs: 80 to 20', () => {
    const player = new Player().play(500)
    for (let draw = 0; draw < 128; draw++) player.pacer.load.noteDraw(20)
    player.pacer.plan(player.nowMs, player.simulated, player.ready)
    expect(player.pacer.deadlineMs - player.nowMs).toBeCloseTo(80, 6)
  })

  test('a third of a second is played a little faster instead', () => {
    const player = new Player().play(3_000).play(280, 100, false)
    player.play(200)
    expect(player.pacer.state.name).toBe('active')
    expect(player.pacer.rate).toBeGreaterThan(1.03)
    player.play(6_000)
    expect(player.pacer.rate).toBeCloseTo(1, 1)
  })

  test('a machine that does not gain on the match is told so', () => {
    const player = behind(40)
    player.play(3_000)
    expect(player.pacer.state.name).toBe('slow')
    expect(player.pacer.leftMs).toBe(Number.POSITIVE_INFINITY)
    player.cost = 2
    player.play(20_000)
    expect(player.pacer.state.name).toBe('active')
  })
})

describe('slow', () => {
  const load = (pacer: TickPacer, costMs: number) => {
    for (let tick = 0; tick < 64; tick++) pacer.noteRan(1, costMs)
    pacer.plan(0, 0, 0)
    return pacer.state.name
  }

  test('begins above the time of a tick and ends below nine tenths of it', () => {
    const { pacer } = new Player()
    expect(load(pacer, 0.99 * intervalMs)).toBe('active')
    expect(load(pacer, 1.01 * intervalMs)).toBe('slow')
    expect(load(pacer, 0.95 * intervalMs)).toBe('slow')
    expect(load(pacer, 0.89 * intervalMs)).toBe('active')
  })

  test('is judged by the speed that was asked for, not by the one that spares', () => {
    const { pacer } = new Player()
    pacer.speedPercent = 25
    expect(load(pacer, 2 * intervalMs)).toBe('slow')
    pacer.requestedPercent = 25
    expect(load(pacer, 2 * intervalMs)).toBe('active')
  })

  test('is over before the way is measured that is left to catch up with', () => {
    const player = new Player().play(3_000)
    player.cost = 100
    player.play(20_000)
    expect(player.pacer.state.name).toBe('slow')
    player.cost = 5
    while (player.pacer.state.name === 'slow') player.play(frameMs)
    expect(player.pacer.state.name).toBe('catching-up')
    expect(player.pacer.progress).toBeLessThan(0.1)
    player.play(1_000)
    const { leftMs } = player.pacer
    const fromMs = player.nowMs
    while (player.pacer.state.name === 'catching-up') player.play(frameMs)
    expect(Math.abs(player.nowMs - fromMs - leftMs)).toBeLessThan(300)
  })

  test('is nobody for the first ticks, which every engine runs slowly', () => {
    const player = new Player()
    player.cost = 300
    player.play(310)
    player.cost = 1
    for (let frame = 0; frame < 300; frame++) {
      player.play(frameMs)
      expect(player.pacer.state.name).not.toBe('slow')
    }
  })
})

describe('hidden', () => {
  test('ticks run when they come, and nothing is kept for later', () => {
    const player = new Player().play(2_000)
    player.pacer.setHidden(true)
    player.play(60_000)
    expect(player.pacer.state.name).toBe('hidden')
    expect(player.simulated).toBe(player.ready)
  })

  test('back in sight, the game is active at once', () => {
    const player = new Player().play(2_000)
    player.pacer.setHidden(true)
    player.play(300_000)
    player.pacer.setHidden(false)
    player.play(200)
    expect(player.pacer.state.name).toBe('active')
    expect(player.ready - player.simulated).toBeLessThanOrEqual(1)
  })

  test('a latency that fell in the meantime is not waited for', () => {
    const player = new Player()
    player.latencyMs = 200
    player.play(3_000)
    player.pacer.setHidden(true)
    player.latencyMs = 20
    player.play(60_000)
    player.pacer.setHidden(false)
    player.play(1_000)
    expect(player.pacer.targetDepth).toBeLessThan(0.1)
    expect(player.ready - player.simulated).toBeLessThanOrEqual(1)
  })

  test('lumps in which a hidden page gets its messages are not taken for jitter', () => {
    const player = new Player().play(2_000)
    player.pacer.setHidden(true)
    for (let second = 0; second < 60; second++) {
      player.play(1_000 - frameMs, 100, false)
      player.play(frameMs)
    }
    player.pacer.setHidden(false)
    player.play(1_000)
    expect(player.pacer.targetDepth).toBeLessThan(0.1)
  })
})

describe('the speed of the match', () => {
  test.each([25, 50, 200, 300])('%i %% is played evenly', (percent) => {
    const player = new Player().play(2_000)
    player.pacer.speedPercent = percent
    player.play(4_000, percent)
    const before = player.alphas.length
    player.play(4_000, percent)
    const motion = player.alphas.slice(before).map((at, index, all) => at - (all[index - 1] ?? at))
    const even = (frameMs / intervalMs) * (percent / 100)
    for (const step of motion.slice(1)) expect(Math.abs(step - even)).toBeLessThan(0.15 * even)
    expect(player.pacer.state.name).toBe('active')
  })

  test('a change is no jump of the picture', () => {
    const player = new Player().play(2_000)
    player.pacer.speedPercent = 50
    player.play(3_000, 50)
    player.pacer.speedPercent = 150
    player.play(3_000, 150)
    const steps = player.alphas.map((at, index, all) => at - (all[index - 1] ?? at)).slice(60)
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...steps)).toBeLessThan(1.5 * 1.5 * (frameMs / intervalMs))
  })

  test('standing still is no stall, and what comes then runs at once', () => {
    const player = new Player().play(2_000)
    player.pacer.speedPercent = 0
    player.play(5_000, 0)
    expect(player.pacer.state.name).toBe('active')
    player.arrive(player.ready + 1, player.nowMs)
    player.frame()
    expect(player.simulated).toBe(player.ready)
    expect(player.pacer.rate).toBe(0)
  })

  test('is refused when it is none', () => {
    const { pacer } = new Player()
    for (const percent of [-1, 1_001, Number.NaN]) {
      expect(() => {
        pacer.speedPercent = percent
      }).toThrow(`Cannot play at ${percent} %: the speed must be from 0 to 1000`)
    }
  })
})

test('before the first tick nothing runs, nothing moves and nobody is woken', () => {
  const pacer = new TickPacer(30)
  expect(pacer.plan(0, 0, 0)).toBe(0)
  expect(pacer.plan(1_000, 0, 0)).toBe(0)
  expect([pacer.drawAlpha(1_000), pacer.state.name, pacer.depth, pacer.leftMs]).toEqual([
    0,
    'active',
    0,
    0,
  ])
  expect(pacer.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
})

test('a state that was loaded is gone on from, without playing what lies before it', () => {
  const player = new Player().play(2_000)
  player.play(60_000, 100, false)
  // A snapshot of the newest tick came instead of the ticks.
  player.simulated = 62 * 30 - 3
  player.play(5_000)
  expect(player.pacer.state.name).toBe('active')
  expect(player.most).toBeLessThanOrEqual(3)
  expect(player.ready - player.simulated).toBeLessThanOrEqual(1)
})

test('a driver that sleeps until it is woken runs every tick when it is due', () => {
  const prng = new Prng(4)
  const pacer = new TickPacer(30)
  const lateBy: number[] = []
  let [simulated, ready, nowMs] = [0, 0, 0]
  const arrivals = Array.from(
    { length: 900 },
    (_, tick) => (tick + 1) * intervalMs + 20 + 10 * prng.unit(),
  )
  while (ready < arrivals.length) {
    const arrivalMs = arrivals[ready] as number
    nowMs = Math.max(nowMs, Math.min(arrivalMs, pacer.wakeAtMs()))
    if (nowMs >= arrivalMs) {
      ready += 1
      pacer.noteArrival(ready, arrivalMs)
    }
    const count = pacer.plan(nowMs, simulated, ready)
    for (let ran = 1; ran <= count; ran++)
      lateBy.push(nowMs - (arrivals[simulated + ran - 1] as number))
    simulated += count
    pacer.noteRan(count, count)
    expect(pacer.wakeAtMs()).toBeGreaterThanOrEqual(nowMs)
  }
  expect(simulated).toBeGreaterThan(895)
  expect(Math.max(...lateBy.slice(100))).toBeLessThan(12)
})

test('motion says for another thread what alpha says here, also where nothing moves', () => {
  const player = new Player().play(3_000)
  const shown = (afterMs: number) => {
    const { head, atMs, ticksPerMs } = player.pacer.motion
    const alpha = head + (player.nowMs + afterMs - atMs) * ticksPerMs - player.simulated
    return Math.min(Math.max(alpha, 0), 1)
  }
  for (const afterMs of [0, 5, 12]) {
    expect(player.pacer.drawAlpha(player.nowMs + afterMs)).toBeCloseTo(shown(afterMs), 9)
  }
  player.play(1_000, 100, false)
  expect(player.pacer.state.name).toBe('stalled')
  expect([player.pacer.motion.ticksPerMs, shown(100)]).toEqual([0, 1])
  player.pacer.setHidden(true)
  expect(player.pacer.motion.ticksPerMs).toBe(0)
})
