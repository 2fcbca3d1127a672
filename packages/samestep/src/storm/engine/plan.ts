/**
 * Seed → plan → run. A plan is a world as plain data: everything that can be taken away to find out
 * what a failure needs is written down in it, and a run draws only what happens to single packets. A
 * plan outlives changes of the code better than a seed does: it says what is done, not what is drawn.
 */
import { UsageError } from '../../base/errors.ts'
import type { FaultOp } from './faults/fault-op.ts'
import type { Json } from './json.ts'
import type { Conditions } from './network/conditions.ts'

/** How rough a storm is, and in which way. */
export type Profile =
  /** No faults: play must be perfect. */
  | 'sunny'
  /** Faults that play must survive. */
  | 'stormy'
  /** Everything at once, up to the limits of its range. */
  | 'radioactive'
  /** Partitions and clogs that open and close in waves. */
  | 'swizzle'
  /** Counters that start just before they overflow. */
  | 'boundary'
  /** Attackers, in a mild storm. */
  | 'byzantine'
  /** A day or more, with a fault now and then. */
  | 'longhaul'
  /** Members join, leave, return and start over: before the match, while it loads and while it runs. */
  | 'churn'
  /** Machines that cannot keep up. */
  | 'slow'
  /** Players whose page is hidden for a while. */
  | 'hidden'
  /** A player with a lag switch, who holds back packets on a good network. */
  | 'lagswitch'
  /** Attackers who ask for too much, on a good network. */
  | 'flood'
  /** The relay dies at any moment, and another continues from what it wrote. */
  | 'relay-crash'
  /** In each plan one machine desyncs, besides liars and some network faults. */
  | 'desync'

/** All profiles, mildest first. */
export const profiles: readonly Profile[] = [
  'sunny',
  'desync',
  'lagswitch',
  'flood',
  'hidden',
  'slow',
  'stormy',
  'churn',
  'relay-crash',
  'byzantine',
  'boundary',
  'swizzle',
  'longhaul',
  'radioactive',
]

/** Something in a plan that has a name: a node or an attacker. Its owner adds what it needs. */
export interface PlanNode {
  readonly name: string
}

/** Something done at a time by somebody. Its owner adds what it needs. */
export interface PlanWork {
  readonly atMs: number
}

/** What the links between two nodes are like, over time. */
export interface LinkCurve {
  /** The node that connects, and the other. */
  readonly from: string
  readonly to: string
  /** By time; the first holds from the beginning. At least one. */
  readonly points: readonly CurvePoint[]
}

/** From `atMs` on, links have these conditions. */
export interface CurvePoint {
  readonly atMs: number
  readonly conditions: Conditions
}

/** A whole run as data. */
export interface Plan<
  Node extends PlanNode = PlanNode,
  Attacker extends PlanNode = PlanNode,
  Work extends PlanWork = PlanWork,
> {
  readonly version: typeof planVersion
  readonly seed: number
  readonly profile: Profile
  /** How long faults may happen. */
  readonly durationMs: number
  /** How long the healed world then has to settle. */
  readonly quietMs: number
  /** What differs from a default. A knob that is not here has its default. */
  readonly knobs: { readonly [name: string]: Json }
  readonly nodes: readonly Node[]
  readonly links: readonly LinkCurve[]
  readonly faults: readonly FaultOp[]
  readonly attackers: readonly Attacker[]
  readonly work: readonly Work[]
}

/** Raised when an old plan would no longer mean the same. */
export const planVersion = 1

/** A plan in which nothing happens. */
export function makeEmptyPlan(seed: number, profile: Profile, durationMs: number): Plan {
  return {
    version: planVersion,
    seed,
    profile,
    durationMs,
    quietMs: 30_000,
    knobs: {},
    nodes: [],
    links: [],
    faults: [],
    attackers: [],
    work: [],
  }
}

/**
 * A plan from JSON text. Checks its frame, not what nodes, attackers and work mean to their owner.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what is not a plan.
 */
export function readPlan(text: string): Plan {
  let plan: Partial<Plan> | null
  try {
    plan = JSON.parse(text)
  } catch (cause) {
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot read the plan: it is not JSON', { cause })
  }
  if (typeof plan !== 'object' || plan === null) refuse('it is not an object')
  if (plan.version !== planVersion) {
    refuse(`its version is ${plan.version}; it must be ${planVersion}`)
  }
  for (const name of ['seed', 'durationMs', 'quietMs'] as const) {
    const value = plan[name]
    if (typeof value !== 'number' || !(value >= 0)) refuse(`${name} must be a number from 0`)
  }
  if (!profiles.includes(plan.profile as Profile)) refuse(`there is no profile ${plan.profile}`)
  for (const name of ['nodes', 'links', 'faults', 'attackers', 'work'] as const) {
    if (!Array.isArray(plan[name])) refuse(`${name} must be a list`)
  }
  if (typeof plan.knobs !== 'object' || plan.knobs === null) refuse('knobs must be an object')
  return plan as Plan
}

function refuse(why: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot read the plan: ${why}`)
}

/** Formats a plan as JSON that is easy to read and to compare: one entry per line. */
export function writePlan(plan: Plan): string {
  const lines = Object.entries(plan).map(([name, value]) => {
    if (!Array.isArray(value) || value.length === 0) {
      return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    }
    const items = value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')
    return `  ${JSON.stringify(name)}: [\n${items}\n  ]`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}
