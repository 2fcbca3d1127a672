import { Prng } from '../../../base/prng.ts'
import { ArrivalTrack } from '../arrival-track.ts'
import { SendShift } from '../send-shift.ts'

/** A one-way latency at a time, drawn anew for each packet. */
export type Latency = (atMs: number, prng: Prng) => number

/** What became of one seat's inputs. */
export interface SendResult {
  /** Per tick, 1 where the input came after its seal. */
  readonly late: Uint8Array
  readonly lateCount: number
  /** From sampling to sealing, over the inputs that were in time. */
  readonly meanAgeMs: number
  readonly maxHoldMs: number
  /** The hold at the end of every second. */
  readonly holds: readonly number[]
}

/** How a trace is played. */
export interface SendTraceOptions {
  readonly seed: number
  readonly ticks: number
  readonly delayTicks: number
  readonly down: Latency
  readonly up: Latency
  readonly isShifting: boolean
  readonly intervalMs?: number
}

/**
 * Plays one client's bundles and inputs against a relay that seals on time. The latencies of a tick
 * are drawn for the tick, not for the moment, so that a run with and one without shifting meet the
 * same network.
 */
export function playSendTrace(options: SendTraceOptions): SendResult {
  const { seed, ticks, delayTicks, down, up, isShifting, intervalMs = 1_000 / 30 } = options
  const prng = new Prng(seed, 'send-trace')
  const shift = new SendShift(intervalMs, delayTicks)
  const track = new ArrivalTrack(1_000 / intervalMs)
  const late = new Uint8Array(ticks)
  /** By tick: when its input reached the relay, and with how much margin had it not been held. */
  const reached = new Float64Array(ticks)
  const rooms = new Float64Array(ticks)
  const holds: number[] = []
  let [arrivedMs, reachedMs, ageSum, inTime, maxHoldMs, known, toldLate] = [0, 0, 0, 0, 0, 0, 0]
  for (let tick = 0; tick < ticks; tick++) {
    const sealedMs = tick * intervalMs
    arrivedMs = Math.max(arrivedMs, sealedMs + down(sealedMs, prng))
    // A second's report leaves the relay with a bundle; so does the news of a missed input.
    while (known < tick && (reached[known] as number) <= sealedMs) known += 1
    if (isShifting && tick % 30 === 29 && known > 0) {
      const second = rooms.slice(Math.max(known - 30, 0), known).sort()
      const median = second[second.length >> 1] as number
      shift.noteReport(second[0] as number, median, delayTicks, arrivedMs)
    }
    for (; toldLate <= tick; toldLate++) if (late[toldLate] === 1) shift.noteLate(arrivedMs)
    shift.advance(arrivedMs)
    track.note(tick, arrivedMs)
    track.settle()
    const sentMs = shift.sendAtMs(arrivedMs, track.earliestMs(tick))
    reachedMs = Math.max(reachedMs, sentMs + up(sealedMs, prng))
    const dueMs = (tick + delayTicks) * intervalMs
    const marginMs = dueMs - reachedMs
    reached[tick] = reachedMs
    rooms[tick] = marginMs + sentMs - arrivedMs
    if (marginMs < 0 && tick + delayTicks < ticks) late[tick + delayTicks] = 1
    if (marginMs >= 0) {
      ageSum += dueMs - sentMs
      inTime += 1
    }
    maxHoldMs = Math.max(maxHoldMs, shift.holdMs)
    if (tick % 30 === 29) holds.push(shift.holdMs)
  }
  let lateCount = 0
  for (const flag of late) lateCount += flag
  return { late, lateCount, meanAgeMs: ageSum / Math.max(inTime, 1), maxHoldMs, holds }
}

/** A network of random character: level, jitter of several kinds, bursts, swings and steps. */
export function makeLatency(seed: number, name: string): Latency {
  const prng = new Prng(seed, name)
  const levelMs = prng.logUniform(2, 90)
  const jitterMs = prng.chance(0.2) ? 0 : prng.logUniform(0.2, 25)
  const kind = prng.pick(['uniform', 'exponential', 'gamma', 'spikes'] as const)
  const swingMs = prng.chance(0.3) ? prng.logUniform(1, 40) : 0
  const swingPeriodMs = prng.logUniform(500, 60_000)
  const stepMs = prng.chance(0.3) ? prng.logUniform(5, 150) : 0
  const stepPeriodMs = prng.logUniform(15_000, 120_000)
  const driftMsPerHour = prng.chance(0.3) ? (prng.unit() - 0.5) * 720 : 0
  return (atMs, draws) => {
    const [a, b, c] = [draws.unit(), draws.exponential(), draws.exponential()]
    const jitter =
      kind === 'uniform' ? a : kind === 'exponential' ? b : kind === 'gamma' ? (b + c) / 2 : 0
    const spike = kind === 'spikes' && a < 0.01 ? 4 * b : 0
    const around = (atMs % swingPeriodMs) / swingPeriodMs
    const swing = swingMs * (around < 0.5 ? 2 * around : 2 - 2 * around)
    const step = atMs % stepPeriodMs > stepPeriodMs / 2 ? stepMs : 0
    const drift = (driftMsPerHour * atMs) / 3_600_000
    return Math.max(levelMs + drift, 0) + jitterMs * (jitter + spike) + swing + step
  }
}
