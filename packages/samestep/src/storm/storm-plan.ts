import { UsageError } from '../base/errors.ts'
import { Prng } from '../base/prng.ts'
import { waitingOrdersMax } from '../wire/limits.ts'
import type { MissingPolicy } from '../wire/messages.ts'
import type { ClockPlan } from './engine/clock.ts'
import type { Conditions } from './engine/conditions.ts'
import { makeClockPlan, makeFaultOps } from './engine/fault-maker.ts'
import type { FaultId, FaultOp } from './engine/fault-op.ts'
import type { LinkCurve, Plan, PlanNode, Profile } from './engine/plan.ts'
import { planVersion, readPlan } from './engine/plan.ts'

/** A node of a storm: the relay, or a client with its habits. */
export type StormNode = PlanNode &
  (
    | { readonly kind: 'relay'; readonly clock: ClockPlan }
    | {
        readonly kind: 'client'
        readonly clock: ClockPlan
        readonly role: 'player' | 'spectator'
        readonly orderEveryMs: number
        readonly inputEveryMs: number
        /** When it first connects; at the beginning when left out. */
        readonly startsAtMs?: number
        /** When it leaves for good; never when left out. */
        readonly leavesAtMs?: number
      }
  )

/** What attackers can do. Each starts like an honest client and then breaks one rule. */
export const attackKinds = ['garbage', 'replayer', 'flooder', 'traveller', 'stranger'] as const

/** One of {@link attackKinds}. */
export type AttackKind = (typeof attackKinds)[number]

/** Somebody who does not play by the rules. */
export interface StormAttacker extends PlanNode {
  readonly kind: AttackKind
}

/** A whole storm as data. */
export type StormPlan = Plan<StormNode, StormAttacker>

/** The faults that this part of the system promises to survive. */
const survivable: readonly FaultId[] = [
  'F-01',
  'F-02',
  'F-03',
  'F-04',
  'F-05',
  'F-06',
  'F-07',
  'F-08',
  'F-09',
  'F-11',
  'F-12',
  'F-13',
  'F-14',
  'F-23',
]

/**
 * A fault may not outlast the time for which a relay keeps a silent player's seat and the ticks that
 * it missed, or the player is gone by rule.
 */
const faultMsMax = 25_000

/** What {@link makeStormPlan} may be told. */
export interface StormPlanOptions {
  readonly durationMs?: number
  /** How many players; drawn when left out. */
  readonly players?: number
  /** The most players that the game allows. */
  readonly seatsMax?: number
  readonly seatsMin?: number
}

/** Seed and profile to plan. The same two always give the same plan. */
export function makeStormPlan(
  seed: number,
  profile: Profile,
  options: StormPlanOptions = {},
): StormPlan {
  const prng = new Prng(seed, `plan/${profile}`)
  const durationMs = options.durationMs ?? (profile === 'longhaul' ? 3_600_000 : 60_000)
  const { seatsMin = 1, seatsMax = 64 } = options
  // Attackers take seats, and somebody must be there whom they can trouble.
  const attackersMax = Math.max(seatsMax - Math.max(seatsMin, 1), 0)
  const attackers = makeAttackers(prng, profile).slice(0, attackersMax)
  const drawn = options.players ?? drawPlayers(prng)
  const players = Math.max(seatsMin, Math.min(drawn, seatsMax - attackers.length))
  const nodes = makeNodes(prng, profile, players, durationMs)
  return {
    version: planVersion,
    seed,
    profile,
    durationMs,
    quietMs: 30_000,
    knobs: makeKnobs(prng, profile),
    nodes,
    links: [...nodes, ...attackers]
      .filter(({ name }) => name !== 'relay')
      .map(({ name }) => makeLink(prng, name)),
    faults: makeFaults(prng, profile, nodes, durationMs),
    attackers,
    work: [],
  }
}

function makeNodes(prng: Prng, profile: Profile, players: number, durationMs: number): StormNode[] {
  const nodes: StormNode[] = [{ name: 'relay', kind: 'relay', clock: drawClock(prng, profile) }]
  for (let index = 0; index < players; index++) {
    nodes.push({
      name: `c${index}`,
      kind: 'client',
      clock: drawClock(prng, profile),
      role: 'player',
      orderEveryMs: prng.chance(0.1) ? 0 : Math.round(prng.logUniform(70, 4_000)),
      inputEveryMs: prng.chance(0.1) ? 0 : Math.round(prng.logUniform(30, 1_000)),
      // The first player stays, so that there is a match to the end.
      ...(index > 0 && prng.chance(leaveChance) ? { leavesAtMs: prng.below(durationMs) } : {}),
    })
  }
  if (prng.chance(0.25)) {
    const clock = drawClock(prng, profile)
    const habits = { orderEveryMs: 0, inputEveryMs: 0 } as const
    const startsAtMs = prng.chance(0.5) ? prng.below(latestStartMs) : 0
    nodes.push({ name: 'watcher', kind: 'client', clock, role: 'spectator', startsAtMs, ...habits })
  }
  return nodes
}

/** Most drivers read a clock that is never set back. The machines must bear the others too. */
function drawClock(prng: Prng, profile: Profile): ClockPlan {
  return { ...makeClockPlan(prng, profile), isMonotonic: prng.chance(0.6) }
}

/** A match can be joined for its first ten seconds: some come in time, some do not. */
const latestStartMs = 20_000

/** How many players leave before the end. */
const leaveChance = 0.08

/** Mostly small matches, as in life; now and then a large one, for the limits. */
function drawPlayers(prng: Prng): number {
  const draw = prng.below(100)
  if (draw < 30) return 2
  if (draw < 45) return 3
  if (draw < 75) return 4
  if (draw < 95) return 8
  return draw < 99 ? 16 : 32
}

function makeLink(prng: Prng, from: string): LinkCurve {
  const latencyMs = Math.round(prng.logUniform(1, 150))
  const jitterMs = Math.round(prng.logUniform(1, 20)) - 1
  const conditions: Conditions = {
    kind: prng.chance(0.6) ? 'datagram' : 'stream',
    there: { latencyMs, jitterMs },
  }
  return { from, to: 'relay', points: [{ atMs: 0, conditions }] }
}

function makeFaults(
  prng: Prng,
  profile: Profile,
  nodes: readonly StormNode[],
  durationMs: number,
): FaultOp[] {
  const targets = nodes.map(({ name }) => ({ name, faults: survivable }))
  return makeFaultOps(prng, profile, targets, durationMs).map((op) =>
    op.durationMs > faultMsMax ? { ...op, durationMs: faultMsMax } : op,
  )
}

function makeAttackers(prng: Prng, profile: Profile): StormAttacker[] {
  const chance = profile === 'byzantine' ? 0.6 : profile === 'sunny' ? 0 : 0.1
  return attackKinds.filter(() => prng.chance(chance)).map((kind) => ({ name: `x-${kind}`, kind }))
}

/** Settings of a match, each at its default half of the time. */
export interface StormKnobs {
  readonly inputDelay: number
  readonly missing: MissingPolicy
  /** Where the packet numbers of datagram channels start (F-30). */
  readonly firstNumber: number
  /** Orders of one seat that may wait in the relay; few, so that some are refused. */
  readonly waitingOrdersMax: number
  /** Plays a game with inputs and orders of the largest size, when no other is given. */
  readonly isWide: boolean
}

/** What a knob is when a plan does not name it. */
export const knobDefaults: StormKnobs = {
  inputDelay: 3,
  missing: { kind: 'idle', waitMs: 0 },
  firstNumber: 0,
  waitingOrdersMax,
  isWide: false,
}

function makeKnobs(prng: Prng, profile: Profile): StormPlan['knobs'] {
  const missing: MissingPolicy = prng.pick([
    { kind: 'idle', waitMs: 0 },
    { kind: 'repeat', waitMs: 0 },
    { kind: 'wait', waitMs: Math.round(prng.logUniform(10, 500)) },
  ] as const)
  return {
    ...(prng.chance(0.5) ? { inputDelay: prng.below(9) } : {}),
    ...(prng.chance(0.5) ? { missing: { kind: missing.kind, waitMs: missing.waitMs } } : {}),
    ...(prng.chance(0.2) ? { waitingOrdersMax: 1 + prng.below(3) } : {}),
    ...(profile === 'boundary' ? { firstNumber: 65_535 - prng.below(200) } : {}),
    ...(profile === 'boundary' && prng.chance(0.5) ? { isWide: true } : {}),
  }
}

/** The knobs of a plan with the defaults filled in. */
export function knobsOf(plan: StormPlan): StormKnobs {
  return { ...knobDefaults, ...(plan.knobs as Partial<StormKnobs>) }
}

/**
 * A storm plan from JSON text.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what is not a storm plan.
 */
export function readStormPlan(text: string): StormPlan {
  const plan = readPlan(text) as StormPlan
  const relays = plan.nodes.filter(({ kind }) => kind === 'relay')
  const strange = plan.nodes.find(({ kind }) => kind !== 'relay' && kind !== 'client')
  const attacker = plan.attackers.find(({ kind }) => !attackKinds.includes(kind))
  const wrong = (strange ?? attacker) as { readonly kind: unknown } | undefined
  if (wrong !== undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the plan: it has a node of kind '${wrong.kind}', which storms do not know`,
    )
  }
  if (relays.length !== 1) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the plan: it has ${relays.length} relays; it must have one`,
    )
  }
  return plan
}
