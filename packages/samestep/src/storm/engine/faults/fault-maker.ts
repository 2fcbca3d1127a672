/**
 * Draws the faults of a plan, swarm style: each kind of fault is on or off for a whole plan, so that
 * some plans are all about clocks and others never touch one. A world in which everything happens a
 * little hides the bugs that need one thing to happen a lot. Strengths and lengths are log-uniform:
 * 2 ms and 800 ms are as likely as each other.
 */
import { Prng } from '../../../base/prng.ts'
import type { ClockPlan } from '../clock.ts'
import type { Profile } from '../plan.ts'
import { FaultDraw, type FaultLevel } from './fault-draw.ts'
import type { FaultId, FaultOp } from './fault-op.ts'
import { makePartitionOps } from './partition-maker.ts'

/** A node that faults may hit. */
export interface FaultTarget {
  readonly name: string
  /** The faults that it may meet; all, when left out. */
  readonly faults?: readonly FaultId[]
}

/** What a profile means in figures. */
interface Weather {
  /** The chance of each kind of fault to be on. */
  readonly chance: number
  readonly level: FaultLevel
  /** The most ops of one kind per minute. */
  readonly perMinute: number
  /** The only kinds there are; all, when left out. */
  readonly only?: readonly FaultId[]
}

const weathers: { readonly [P in Profile]: Weather } = {
  sunny: { chance: 0, level: 'mild', perMinute: 0 },
  stormy: { chance: 0.5, level: 'mild', perMinute: 6 },
  byzantine: { chance: 0.25, level: 'mild', perMinute: 3 },
  boundary: { chance: 0.5, level: 'mild', perMinute: 6 },
  swizzle: { chance: 0.75, level: 'full', perMinute: 12, only: ['F-01', 'F-02', 'F-09'] },
  longhaul: { chance: 0.5, level: 'mild', perMinute: 0.05 },
  churn: {
    chance: 0.6,
    level: 'mild',
    perMinute: 8,
    only: ['F-01', 'F-02', 'F-03', 'F-08', 'F-09', 'F-14', 'F-23', 'F-29'],
  },
  slow: { chance: 0.9, level: 'full', perMinute: 8, only: ['F-02', 'F-12', 'F-14'] },
  hidden: { chance: 0.3, level: 'mild', perMinute: 2, only: ['F-01', 'F-02', 'F-03', 'F-05'] },
  lagswitch: { chance: 0.2, level: 'mild', perMinute: 2, only: ['F-02', 'F-03'] },
  flood: { chance: 0.2, level: 'mild', perMinute: 2, only: ['F-02', 'F-03', 'F-05'] },
  'relay-crash': {
    chance: 0.3,
    level: 'mild',
    perMinute: 3,
    only: ['F-01', 'F-02', 'F-03', 'F-05', 'F-23'],
  },
  // Links are not lost: connecting may take longer than all of such a plan.
  desync: {
    chance: 0.15,
    level: 'mild',
    perMinute: 3,
    only: ['F-01', 'F-02', 'F-03', 'F-04', 'F-05', 'F-06', 'F-07', 'F-11', 'F-12', 'F-13', 'F-14'],
  },
  radioactive: { chance: 0.9, level: 'full', perMinute: 12 },
}

/** Enough ops of one kind for any plan: a day of weather must still be read by a person. */
const opsPerKindMax = 200

/** Draws one fault of a kind; a wave of clogs is several ops. Ranges are those of the fault model. */
const kinds: { readonly [F in FaultId]: (draw: FaultDraw) => readonly FaultOp[] } = {
  'F-01': (draw) => path('F-01', draw, { latencyMs: draw.strength(1, 300, 1000) }),
  'F-02': (draw) => path('F-02', draw, { jitterMs: draw.strength(1, 60, 300) }),
  'F-03': (draw) => {
    if (draw.level === 'mild' || draw.prng.below(4) > 0) {
      return path('F-03', draw, { loss: draw.strength(0.001, 0.1, 0.3) })
    }
    const loss = draw.strength(0.3, 0.3, 0.6)
    return path('F-03', draw, { loss }, 10_000)
  },
  'F-04': (draw) => {
    const lengthMs = draw.strength(20, 1_250, 5_000)
    const everyMs = draw.strength(500, 10_000, 30_000)
    return path('F-04', draw, { burst: { everyMs, lengthMs, loss: draw.strength(0.5, 1, 1) } })
  },
  'F-05': (draw) => path('F-05', draw, { duplicate: draw.strength(0.001, 0.2, 0.5) }),
  'F-06': (draw) => {
    const reorderPackets = draw.strength(1, 16, 64)
    return path('F-06', draw, { reorder: draw.strength(0.001, 0.2, 0.5), reorderPackets })
  },
  'F-07': (draw) => path('F-07', draw, { corrupt: draw.strength(0.0005, 0.01, 0.05) }),
  'F-08': (draw) => [{ kind: 'half-open', fault: 'F-08', node: draw.node(), ...draw.moment() }],
  'F-09': (draw) => makePartitionOps(draw),
  'F-10': (draw) => [{ kind: 'rebind', fault: 'F-10', node: draw.node(), ...draw.moment() }],
  'F-11': (draw) => [makeClockOp(draw)],
  'F-12': (draw) => {
    const factor = draw.strength(1, 4, 10)
    return [{ kind: 'slow', fault: 'F-12', node: draw.node(), factor, ...draw.span(500, 30_000) }]
  },
  'F-13': (draw) => {
    const span = draw.span(2000, 600_000)
    // A browser throttles harder once a tab was hidden for five minutes.
    const intervalMs = span.durationMs > 300_000 && draw.prng.chance(0.5) ? 60_000 : 1000
    return [{ kind: 'throttle', fault: 'F-13', node: draw.node(), intervalMs, ...span }]
  },
  'F-14': (draw) => {
    const span = draw.span(50, draw.level === 'mild' ? 1000 : 5000)
    return [{ kind: 'pause', fault: 'F-14', node: draw.node(), ...span }]
  },
  'F-15': (draw) => {
    const isClockStopped = draw.prng.chance(0.5)
    const span = draw.span(60_000, 28_800_000)
    return [{ kind: 'sleep', fault: 'F-15', node: draw.node(), isClockStopped, ...span }]
  },
  'F-23': (draw) => {
    if (draw.prng.chance(0.5)) {
      return path('F-23', draw, { bytesPerSecond: draw.strength(16_000, 500_000, 500_000) })
    }
    const lateMs = draw.prng.chance(0.5) ? 0 : draw.strength(1, 1000, 5000)
    return [{ kind: 'reset', fault: 'F-23', node: draw.node(), lateMs, ...draw.moment() }]
  },
  'F-29': (draw) => {
    const { atMs, durationMs } = draw.span(1000, 1000)
    return draw.names.map((node) => {
      const at = atMs + draw.prng.below(durationMs + 1)
      return { kind: 'reset', fault: 'F-29', node, lateMs: 0, atMs: at, durationMs: 0 }
    })
  },
}

/** All kinds of fault that {@link makeFaultOps} draws. */
export const faultIds = Object.keys(kinds) as readonly FaultId[]

/**
 * The faults of a plan, by time. All of them end within `durationMs`.
 *
 * Takes one draw from `prng`; every kind then has its own stream, so that a change to one kind leaves
 * the others of the same seed as they were.
 */
export function makeFaultOps(
  prng: Prng,
  profile: Profile,
  targets: readonly FaultTarget[],
  durationMs: number,
): FaultOp[] {
  const seed = prng.u32()
  const weather = weathers[profile]
  const ops: FaultOp[] = []
  for (const id of faultIds) {
    const own = new Prng(seed, id)
    const isOn = own.chance(weather.chance)
    const names = targets.filter((each) => each.faults?.includes(id) ?? true)
    if (!isOn || names.length === 0 || weather.only?.includes(id) === false) continue
    const draw = new FaultDraw(
      own,
      weather.level,
      names.map((each) => each.name),
      durationMs,
    )
    const most = Math.min(opsPerKindMax, (weather.perMinute * durationMs) / 60_000)
    const count = Math.floor(own.logUniform(1, Math.max(1, most)))
    for (let index = 0; index < count; index++) ops.push(...kinds[id](draw))
  }
  return ops.sort((a, b) => a.atMs - b.atMs)
}

/**
 * How a node's clock starts. Every process counts from its own beginning, so the offset is no fault;
 * drift is. The clock is monotonic, as the drivers' is: a jump back has no effect unless the caller
 * says otherwise.
 */
export function makeClockPlan(prng: Prng, profile: Profile): ClockPlan {
  const dayMs = 86_400_000
  const offsetMs = prng.below(dayMs)
  const ppm = Math.round(prng.logUniform(1, 500)) * (prng.chance(0.5) ? 1 : -1)
  const isDrifting = prng.chance(weathers[profile].chance)
  return { offsetMs, driftPpm: isDrifting ? ppm : 0, isMonotonic: true }
}

/**
 * Where counters start (F-30): a little before one of the `edges` in the profile `boundary`, else 0.
 */
export function makeCounterStart(
  prng: Prng,
  profile: Profile,
  edges: readonly number[] = [2 ** 31, 2 ** 32, 2 ** 53],
): number {
  const edge = prng.pick(edges)
  const before = Math.floor(prng.logUniform(1, 5000))
  return profile === 'boundary' ? edge - before : 0
}

function path(
  fault: FaultId,
  draw: FaultDraw,
  patch: Extract<FaultOp, { kind: 'path' }>['patch'],
  longestMs = 30_000,
): readonly FaultOp[] {
  const { atMs, durationMs } = draw.span(500, longestMs)
  return [{ kind: 'path', fault, node: draw.node(), way: draw.way(), patch, atMs, durationMs }]
}

function makeClockOp(draw: FaultDraw): FaultOp {
  const sign = draw.prng.chance(0.5) ? 1 : -1
  const node = draw.node()
  switch (draw.prng.below(3)) {
    case 0: {
      const byMs = sign * draw.strength(1, 3_600_000, 3_600_000)
      return { kind: 'clock-jump', fault: 'F-11', node, byMs, ...draw.moment() }
    }
    case 1:
      return { kind: 'clock-freeze', fault: 'F-11', node, ...draw.span(50, 10_000) }
    default: {
      const ppm = sign * draw.strength(1, 500, 500)
      return { kind: 'clock-drift', fault: 'F-11', node, ppm, ...draw.span(1000, 60_000) }
    }
  }
}
