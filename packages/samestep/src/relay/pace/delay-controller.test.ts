import { describe, expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import type { DelayOptions } from './delay-controller.ts'
import { DelayController } from './delay-controller.ts'

const intervalMs = 1_000 / 30

/** A match of the controller alone: every tick, each seat's input arrives one loop after its bundle. */
class Bench {
  readonly controller: DelayController
  readonly changes: { atMs: number; ticks: number }[] = []
  readonly #seats: number
  #tick = 0

  constructor(options: Partial<DelayOptions> = {}) {
    const { seats = 1 } = options
    this.#seats = seats
    this.controller = new DelayController({
      seats,
      tickRate: 30,
      range: { min: 2, max: 6 },
      ...options,
    })
    for (let seat = 0; seat < seats; seat++) this.controller.setActive(seat, true)
  }

  get nowMs(): number {
    return this.#tick * intervalMs
  }

  /** Plays for some time; `loopOf` gives each seat's loop, `undefined` for silence. */
  play(forMs: number, loopOf: (seat: number, nowMs: number) => number | undefined): this {
    const endMs = this.nowMs + forMs
    while (this.nowMs < endMs) {
      this.#tick += 1
      for (let seat = 0; seat < this.#seats; seat++) {
        const loopMs = loopOf(seat, this.nowMs)
        if (loopMs === undefined) continue
        // The loop is what counts: by which delay the margin came about makes no difference.
        const delay = this.controller.delayTicks + (this.#tick % 3)
        this.controller.noteMargin(seat, delay * intervalMs - loopMs, delay, this.nowMs)
      }
      const ticks = this.controller.update(this.nowMs)
      if (ticks !== undefined) this.changes.push({ atMs: this.nowMs, ticks })
    }
    return this
  }
}

const wide = { min: 2, max: 16 }

describe('the delay', () => {
  test.each([
    [10, 2],
    [64, 2],
    [65, 3],
    [97, 3],
    [130, 4],
    [190, 6],
  ])('for loops of %i ms is %i ticks', (loopMs, ticks) => {
    expect(new Bench().play(3_000, () => loopMs).controller.delayTicks).toBe(ticks)
  })

  test('stays within the range', () => {
    const jittery = new Prng(1)
    const bench = new Bench({ range: { min: 3, max: 4 } })
    expect(bench.play(3_000, () => 1).controller.delayTicks).toBe(3)
    bench.play(8_000, () => 100 + 150 * jittery.unit() * jittery.unit())
    expect(bench.controller.delayTicks).toBe(4)
  })

  test('never changes when the range leaves no choice', () => {
    for (const ticks of [0, 3]) {
      const bench = new Bench({ range: { min: ticks, max: ticks } }).play(5_000, () => 500)
      expect(bench.changes).toEqual([])
      expect(bench.controller.delayTicks).toBe(ticks)
      expect(bench.controller.isOff).toBe(true)
    }
  })

  test('is raised all at once within 0.5 s of a step, and lowered all at once within 10 s', () => {
    const bench = new Bench({ range: wide }).play(5_000, () => 40)
    const upMs = bench.nowMs
    bench.play(20_000, () => 400)
    expect(bench.changes).toEqual([{ atMs: expect.any(Number), ticks: 13 }])
    expect((bench.changes[0]?.atMs ?? 0) - upMs).toBeLessThanOrEqual(500)
    const downMs = bench.nowMs
    bench.play(60_000, () => 40)
    expect(bench.changes).toHaveLength(2)
    expect(bench.changes[1]?.ticks).toBe(2)
    expect((bench.changes[1]?.atMs ?? 0) - downMs).toBeLessThanOrEqual(10_000)
  })

  test('is raised tick by tick, at most one per half second, when only the jitter grows', () => {
    const bench = new Bench({ range: wide }).play(5_000, () => 40)
    bench.play(10_000, (_, nowMs) => (Math.round(nowMs / intervalMs) % 10 === 0 ? 190 : 40))
    expect(bench.changes.map(({ ticks }) => ticks)).toEqual([3, 4, 5, 6])
    bench.changes.reduce((before, change) => {
      expect(change.atMs - before.atMs).toBeGreaterThanOrEqual(500)
      return change
    })
  })

  test('ignores a single burst that is over before anything could be done', () => {
    const bench = new Bench().play(5_000, () => 40)
    bench.play(130, () => 300).play(20_000, () => 40)
    expect(bench.changes).toEqual([])
  })

  test('does not flap for loops on the edge between two delays', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const prng = new Prng(seed)
      const bench = new Bench().play(120_000, () => 60 + 8 * prng.unit())
      expect(bench.changes.length, `seed ${seed}`).toBeLessThanOrEqual(1)
    }
  })

  test('comes down ever later while every lowering turns out wrong', () => {
    const bench = new Bench({ range: wide })
    // A burst of two seconds every twenty: regret must win over hope.
    bench.play(600_000, (_, nowMs) => (nowMs % 20_000 < 2_000 ? 250 : 40))
    const lowered = bench.changes.filter(({ ticks }) => ticks === 2).map(({ atMs }) => atMs)
    expect(lowered.length).toBeLessThanOrEqual(3)
    expect(lowered.every((atMs) => atMs < 60_000)).toBe(true)
    expect(bench.controller.delayTicks).toBe(8)
  })

  test('is lowered only if a quarter of a tick stays free', () => {
    const start = { initial: 3 }
    expect(new Bench(start).play(60_000, () => 62).controller.delayTicks).toBe(3)
    expect(new Bench(start).play(60_000, () => 55).controller.delayTicks).toBe(2)
  })

  test('waits no longer after a lowering that a later step had made useless anyway', () => {
    const lowersAfterMs = (initial: number) => {
      const bench = new Bench({ range: wide, initial }).play(20_000, () => 40)
      bench.play(20_000, () => 400)
      const fromMs = bench.nowMs
      bench.play(20_000, () => 40)
      return (bench.changes.at(-1)?.atMs ?? 0) - fromMs
    }
    expect(lowersAfterMs(3)).toBeCloseTo(lowersAfterMs(2), -2)
    expect(lowersAfterMs(3)).toBeLessThan(10_000)
    // A start that would have been enough was given up too soon.
    expect(lowersAfterMs(14)).toBeGreaterThan(lowersAfterMs(2) + 3_000)
  })

  test('comes down sooner again once lowerings have lasted', () => {
    const bench = new Bench({ range: wide }).play(5_000, () => 40)
    const lowersAfterMs = () => {
      bench.play(5_000, () => 250)
      const fromMs = bench.nowMs
      bench.play(200_000, () => 40)
      return (bench.changes.at(-1)?.atMs ?? 0) - fromMs
    }
    // Three steps up right after the delay came down.
    for (let step = 0; step < 3; step++) bench.play(3_000, () => 250).play(25_000, () => 40)
    const [first, ...later] = [lowersAfterMs(), lowersAfterMs(), lowersAfterMs(), lowersAfterMs()]
    expect(first).toBeGreaterThan(10_000)
    expect(later.at(-1)).toBeLessThan(9_000)
  })

  test('nobody gets a smaller delay by claiming to have held for longer than an interval', () => {
    const controller = new DelayController({ seats: 1, tickRate: 30, range: { min: 2, max: 6 } })
    controller.setActive(0, true)
    for (let tick = 0; tick < 100; tick++) {
      controller.noteMargin(0, 4 * intervalMs - 120, 4, tick * intervalMs, 10_000)
      controller.update(tick * intervalMs)
    }
    expect(controller.delayTicks).toBe(3)
  })

  test('what the client held back is no latency', () => {
    const controller = new DelayController({ seats: 1, tickRate: 30, range: { min: 2, max: 6 } })
    controller.setActive(0, true)
    for (let tick = 0; tick < 200; tick++) {
      controller.noteMargin(0, 3 * intervalMs - 90, 3, tick * intervalMs, 30)
      controller.update(tick * intervalMs)
    }
    expect(controller.delayTicks).toBe(2)
    expect(controller.loopMs(0, 1, 199 * intervalMs)).toBeCloseTo(60, 3)
  })

  test('at half the speed the same loops are half the ticks', () => {
    const bench = new Bench({ range: wide }).play(3_000, () => 250)
    expect(bench.controller.delayTicks).toBe(8)
    const slow = new Bench({ range: wide })
    slow.controller.setSpeed(50)
    for (let tick = 0; tick < 100; tick++) {
      slow.controller.noteMargin(0, 4 * 2 * intervalMs - 250, 4, tick * 2 * intervalMs)
      slow.controller.update(tick * 2 * intervalMs)
    }
    expect(slow.controller.delayTicks).toBe(4)
  })
})

describe('seats that do not count', () => {
  test('inactive ones do not raise the delay, and start anew when they are back', () => {
    const bench = new Bench({ seats: 2 })
    bench.controller.setActive(1, false)
    bench.play(5_000, (seat) => (seat === 1 ? 180 : 30))
    expect(bench.changes).toEqual([])
    bench.controller.setActive(1, true)
    bench.play(1_000, () => 30)
    expect(bench.changes).toEqual([])
  })

  test('a seat that falls silent is forgotten after four seconds', () => {
    const bench = new Bench({ seats: 2 }).play(5_000, (seat) => (seat === 1 ? 180 : 30))
    expect(bench.controller.delayTicks).toBe(6)
    bench.play(10_000, (seat) => (seat === 1 ? undefined : 30))
    expect(bench.controller.delayTicks).toBe(2)
  })

  test('when nobody is heard of, the delay stays as it is', () => {
    const bench = new Bench().play(5_000, () => 180).play(60_000, () => undefined)
    expect(bench.controller.delayTicks).toBe(6)
  })

  test('one whose median does not fit the range costs the others nothing, and is told', () => {
    const bench = new Bench({ seats: 3 }).play(30_000, (seat) => (seat === 2 ? 400 : 30))
    expect(bench.changes).toEqual([])
    expect([0, 1, 2].map((seat) => bench.controller.isHopeless(seat))).toEqual([false, false, true])
  })

  test('one whose jitter alone does not fit the range gets its largest delay', () => {
    const bench = new Bench({ seats: 2 }).play(30_000, (seat, nowMs) =>
      seat === 1 ? (Math.round(nowMs / intervalMs) % 8 === 0 ? 400 : 100) : 30,
    )
    expect(bench.controller.delayTicks).toBe(6)
    expect(bench.controller.isHopeless(1)).toBe(false)
  })

  test('a hopeless one counts again when its median has fitted for four seconds', () => {
    const bench = new Bench({ seats: 2 }).play(5_000, (seat) => (seat === 1 ? 400 : 30))
    bench.play(3_500, (seat) => (seat === 1 ? 120 : 30))
    expect(bench.controller.isHopeless(1)).toBe(true)
    bench.play(3_000, (seat) => (seat === 1 ? 120 : 30))
    expect(bench.controller.isHopeless(1)).toBe(false)
    expect(bench.controller.delayTicks).toBe(4)
  })

  test('a hopeless one that fits only now and then stays hopeless', () => {
    const bench = new Bench({ seats: 2 }).play(5_000, (seat) => (seat === 1 ? 400 : 30))
    for (let round = 0; round < 5; round++) {
      bench.play(3_000, (seat) => (seat === 1 ? 120 : 30))
      bench.play(1_500, (seat) => (seat === 1 ? 400 : 30))
    }
    expect(bench.controller.isHopeless(1)).toBe(true)
    expect(bench.changes).toEqual([])
  })

  test('by the policy clamp a hopeless one holds the match at its largest delay', () => {
    const bench = new Bench({ seats: 3, hopeless: 'clamp' })
    bench.play(5_000, (seat) => (seat === 2 ? 400 : 30))
    expect(bench.controller.delayTicks).toBe(6)
  })

  test('a seat on the edge of hopelessness does not swing the others', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const prng = new Prng(seed)
      const bench = new Bench({ seats: 2 })
      bench.play(600_000, (seat) => (seat === 1 ? 190 + 16 * prng.unit() : 30))
      // In ten minutes; by the doubling of patience, not by luck.
      expect(bench.changes.length, `seed ${seed}`).toBeLessThanOrEqual(12)
    }
  })
})

describe('what it tells', () => {
  test('loops are the order statistics of the last four seconds', () => {
    const bench = new Bench()
    let loop = 0
    bench.play(4_000, () => 100 + (loop++ % 100))
    expect(bench.controller.loopMs(0, 1, bench.nowMs)).toBe(199)
    expect(bench.controller.loopMs(0, 0.5, bench.nowMs)).toBeCloseTo(140, -1)
    expect(bench.controller.loopMs(0, 1, bench.nowMs + 5_000)).toBe(-1)
  })

  test('a range that is none, or a start outside of it, is refused', () => {
    const make = (min: number, max: number, initial?: number) => () =>
      new DelayController({
        seats: 1,
        tickRate: 30,
        range: { min, max },
        ...(initial === undefined ? {} : { initial }),
      })
    expect(make(3, 2)).toThrow('Cannot choose an input delay from 3 to 2 ticks')
    expect(make(-1, 2)).toThrow('Cannot choose an input delay')
    expect(make(1.5, 2)).toThrow('Cannot choose an input delay')
    expect(make(2, 6, 7)).toThrow('starting with 7')
  })
})
