/**
 * A model of classic lockstep, to compare with: no relay that seals, only one that passes on. Every
 * input is meant for a tick `delay` ticks ahead, and everybody waits at that tick for everybody's.
 *
 *     S(i, t) = max(S(i, t−1) + T, arrival at i of the inputs of all players for t)
 *
 * Inputs go out when a tick is run, again with the next two (as in Doom's successors), and then every
 * 300 ms until they arrive. They cross two lines: up to the server, down to the others.
 */
import { Prng } from '../../src/base/prng.ts'
import { type Latency, type Line, quantile, tickRate } from './measure.ts'

const tickMs = 1_000 / tickRate

/** Copies that follow in the next packets, and how long before one is sent for its own sake. */
const copies = 2
const retryMs = 300

/** Presses per tick for which a latency is reckoned. */
const pressesPerTick = 4

/** How a classic match is run. */
export interface ClassicScene {
  readonly lines: readonly Line[]
  /** Ticks between making an input and executing it. */
  readonly delay: number
  readonly seconds: number
  readonly seed: number
}

/** Latencies of some players, all by default. A tick is late when it came later than its clock said. */
export function measureClassic(
  scene: ClassicScene,
  players: readonly number[] = [...scene.lines.keys()],
): Latency {
  const starts = runClassic(scene)
  const prng = new Prng(scene.seed, 'classic/press')
  const latencies: number[] = []
  let late = 0
  let ticks = 0
  for (const player of players) {
    const own = starts[player] as number[]
    for (let tick = 1; tick + scene.delay < own.length; tick++) {
      const [before, at] = [own[tick - 1] as number, own[tick] as number]
      ticks += 1
      if (at - before > tickMs * lateFactor) late += 1
      for (let press = 0; press < pressesPerTick; press++) {
        const pressedAt = before + (at - before) * prng.unit()
        latencies.push((own[tick + scene.delay] as number) - pressedAt)
      }
    }
  }
  latencies.sort((a, b) => a - b)
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  // It runs by a clock of its own already: there is nothing to be made steadier.
  const steady = { steadyP50: p50, steadyP99: p99 }
  return { p50, p99, ...steady, late: late / ticks, orders: latencies.length }
}

/** Rounding aside, a tick in time takes exactly its interval. */
const lateFactor = 1.001

/** When each player runs each tick. */
function runClassic({ lines, delay, seconds, seed }: ClassicScene): number[][] {
  const prng = new Prng(seed, 'classic/net')
  const ticks = seconds * tickRate
  const starts = lines.map((): number[] => [0])
  for (let tick = 1; tick < ticks; tick++) {
    const ready = lines.map(
      (_, player) => ((starts[player] as number[])[tick - 1] as number) + tickMs,
    )
    for (let from = 0; from < lines.length && tick > delay; from++) {
      const sentAt = (starts[from] as number[])[tick - delay] as number
      for (let to = 0; to < lines.length; to++) {
        if (to === from) continue
        const arrived = arrivalMs(sentAt, lines[from] as Line, lines[to] as Line, prng)
        ready[to] = Math.max(ready[to] as number, arrived)
      }
    }
    for (const [player, at] of ready.entries()) (starts[player] as number[]).push(at)
  }
  return starts
}

/** When the first copy that is not lost arrives. A quick copy may overtake a slow one. */
function arrivalMs(sentAtMs: number, up: Line, down: Line, prng: Prng): number {
  let soonest = Number.POSITIVE_INFINITY
  for (let copy = 0; copy <= copies || soonest === Number.POSITIVE_INFINITY; copy++) {
    const extra = copy <= copies ? copy * tickMs : copies * tickMs + (copy - copies) * retryMs
    const isLost = prng.chance(up.loss) || prng.chance(down.loss)
    const wait = up.jitterMs * prng.exponential() + down.jitterMs * prng.exponential()
    const arrived = sentAtMs + extra + up.rttMs / 2 + down.rttMs / 2 + wait
    if (!isLost) soonest = Math.min(soonest, arrived)
  }
  return soonest
}
