import { Prng } from '../../../base/prng.ts'
import { TickPacer } from '../tick-pacer.ts'
import { SpringConsumer } from './spring-consumption.ts'

/** How ticks come and how they are looked at. */
export interface PlayoutOptions {
  /** One-way latency of a tick, by its number. */
  readonly latencyMs: (tick: number, prng: Prng) => number
  readonly fps?: number
  readonly forMs?: number
  /** What is before that is not measured. */
  readonly warmUpMs?: number
  readonly seed?: number
  readonly tickRate?: number
}

/** What a player saw. */
export interface PlayoutResult {
  /** From the arrival of a tick to the frame that ran it. */
  readonly waitMs: number
  /** How often the picture stood still because the next tick was not there. */
  readonly stallCount: number
  /** Frames in which motion was below a fifth of its pace. */
  readonly stillFrames: number
  /** Deviation of the motion per frame from even motion, as a share of it. */
  readonly unevenness: number
  readonly smallestMotion: number
  readonly ranTicks: number
  readonly pacer: TickPacer
}

/**
 * Shows ticks that come over a network to somebody who looks, by our pacer. Packets keep their order,
 * as on a stream.
 */
export function playOut(options: PlayoutOptions): PlayoutResult {
  const { latencyMs, fps = 60, forMs = 60_000, warmUpMs = 10_000, seed = 1 } = options
  const tickRate = options.tickRate ?? 30
  const intervalMs = 1_000 / tickRate
  const arrivals = makeArrivals(latencyMs, intervalMs, forMs, seed)
  const pacer = new TickPacer(tickRate)
  const motions: number[] = []
  let [ready, simulated, waitMs, ranTicks, stallCount] = [0, 0, 0, 0, 0]
  let [position, wasDry] = [-1, false]
  for (let frame = 0; (frame * 1_000) / fps < forMs; frame++) {
    const nowMs = (frame * 1_000) / fps
    while ((arrivals[ready] ?? Number.POSITIVE_INFINITY) <= nowMs) {
      ready += 1
      pacer.noteArrival(ready, arrivals[ready - 1] as number)
    }
    const count = pacer.plan(nowMs, simulated, ready)
    const isMeasured = nowMs >= warmUpMs
    for (let ran = 0; ran < count && isMeasured; ran++) {
      waitMs += nowMs - (arrivals[simulated + ran] as number)
      ranTicks += 1
    }
    simulated += count
    pacer.noteRan(count, 0.5 * count)
    const shown = simulated + pacer.drawAlpha(nowMs)
    if (isMeasured && position >= 0) motions.push(((shown - position) * fps) / tickRate)
    position = shown
    const isDry = pacer.state.name === 'stalled'
    if (isMeasured && isDry && !wasDry) stallCount += 1
    wasDry = isDry
  }
  const uneven = motions.reduce((sum, motion) => sum + (motion - 1) * (motion - 1), 0)
  return {
    waitMs: waitMs / Math.max(ranTicks, 1),
    stallCount,
    stillFrames: motions.filter((motion) => motion < 0.2).length,
    unevenness: Math.sqrt(uneven / motions.length),
    smallestMotion: Math.min(...motions),
    ranTicks,
    pacer,
  }
}

/** The same network and the same looks, with Spring's rules: how long ticks wait for being run. */
export function playOutSpring(options: PlayoutOptions): { waitMs: number; stallCount: number } {
  const { latencyMs, fps = 60, forMs = 60_000, warmUpMs = 10_000, seed = 1 } = options
  const arrivals = makeArrivals(latencyMs, 1_000 / 30, forMs, seed)
  const consumer = new SpringConsumer()
  let [ready, simulated, waitMs, ranTicks, stallCount, idleMs] = [0, 0, 0, 0, 0, 0]
  for (let frame = 0; (frame * 1_000) / fps < forMs; frame++) {
    const nowMs = (frame * 1_000) / fps
    while ((arrivals[ready] ?? Number.POSITIVE_INFINITY) <= nowMs) ready += 1
    const count = consumer.plan(nowMs, 1_000 / fps, ready - simulated)
    if (nowMs >= warmUpMs) {
      for (let ran = 0; ran < count; ran++) waitMs += nowMs - (arrivals[simulated + ran] as number)
      ranTicks += count
      // Nothing new to see for two ticks is a stall that is seen.
      idleMs = count === 0 ? idleMs + 1_000 / fps : 0
      if (idleMs > 66 && idleMs - 1_000 / fps <= 66) stallCount += 1
    }
    simulated += count
  }
  return { waitMs: waitMs / Math.max(ranTicks, 1), stallCount }
}

function makeArrivals(
  latencyMs: PlayoutOptions['latencyMs'],
  intervalMs: number,
  forMs: number,
  seed: number,
): number[] {
  const prng = new Prng(seed, 'playout')
  const arrivals: number[] = []
  for (let tick = 1; tick * intervalMs < forMs; tick++) {
    const arrival = tick * intervalMs + latencyMs(tick, prng)
    arrivals.push(Math.max(arrival, arrivals.at(-1) ?? 0))
  }
  return arrivals
}
