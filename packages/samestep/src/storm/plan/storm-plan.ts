import { UsageError } from '../../base/errors.ts'
import { Prng } from '../../base/prng.ts'
import { makeFaultOps } from '../engine/faults/fault-maker.ts'
import type { FaultId, FaultOp } from '../engine/faults/fault-op.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkCurve, Plan, Profile } from '../engine/plan.ts'
import { planVersion, readPlan } from '../engine/plan.ts'
import { attackKinds, isOutsider } from './attack-kinds.ts'
import { desyncDurationMs, desyncQuietMs, makeDesyncKnobs } from './desync-knobs.ts'
import type { StormAttacker } from './draw-attackers.ts'
import { drawAttackers, drawLatest } from './draw-attackers.ts'
import { drawCrowd } from './draw-crowd.ts'
import {
  comeLater,
  drawNodes,
  drawPlayers,
  giveHabits,
  makeWitness,
  setClock,
  silence,
} from './draw-nodes.ts'
import { drawShortages } from './draw-shortages.ts'
import type { Sleeps } from './draw-sleeps.ts'
import { drawSleeps } from './draw-sleeps.ts'
import type { StormKnobs } from './storm-knobs.ts'
import {
  knobDefaults,
  makeAudienceKnobs,
  makeBotKnobs,
  makeDebugKnobs,
  makeDoorKnobs,
  makeEpochKnobs,
  makeFlipKnobs,
  makeKnobs,
  makeMoveKnobs,
  makeOrderKnobs,
  makePaceKnobs,
  makeRateKnobs,
  makeRoomKnobs,
  makeVisitorKnobs,
} from './storm-knobs.ts'
import type { StormNode } from './storm-node.ts'

export { knobDefaults, type StormKnobs } from './storm-knobs.ts'
export type { StormNode } from './storm-node.ts'

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
  'F-29',
]

/**
 * A fault may not outlast the time for which a relay keeps a silent player's seat and the ticks that
 * it missed, or the player is gone by rule.
 */
const faultMsMax = 25_000

/** The options of {@link makeStormPlan}. */
export interface StormPlanOptions {
  /** How long the faults last, before the quiet. Defaults to an hour for `longhaul`, 8 s for `desync`, else a minute. */
  readonly durationMs?: number
  /** The number of players; random by default. */
  readonly players?: number
  /** The maximum number of players that the game allows. */
  readonly seatsMax?: number
  readonly seatsMin?: number
  /** The number of spectators, besides one that is added at random. Defaults to none. */
  readonly spectators?: number
  /** Whether no machine may desync: then no desync may ever be reported, except about liars. */
  readonly isSound?: boolean
}

/** Makes a plan from a seed and a profile. The same two always give the same plan. */
export function makeStormPlan(
  seed: number,
  profile: Profile,
  options: StormPlanOptions = {},
): StormPlan {
  const prng = new Prng(seed, `plan/${profile}`)
  const durationMs = options.durationMs ?? durations[profile] ?? 60_000
  const { seatsMin = 1, seatsMax = 64 } = options
  // Attackers take seats, and somebody must be there whom they can trouble.
  const attackersMax = Math.max(seatsMax - Math.max(seatsMin, 1), 0)
  const hashes = new Prng(seed, `hashes/${profile}`)
  const first = drawAttackers(prng, hashes, seed, profile).slice(0, attackersMax)
  const drawn = options.players ?? drawPlayers(prng, profile)
  const players = Math.max(seatsMin, Math.min(drawn, seatsMax - first.length))
  const plain = drawNodes(prng, profile, players, durationMs)
  const room = new Prng(seed, `room/${profile}`)
  const pace = new Prng(seed, `pace/${profile}`)
  const botsMax = Math.max(seatsMax - players - first.length, 0)
  const audience = new Prng(seed, `audience/${profile}`)
  const hasSpectators = plain.some((node) => 'role' in node && node.role === 'spectator')
  const clients = plain.filter(({ kind }) => kind === 'client').map(({ name }) => name)
  const counters = new Prng(seed, `counters/${profile}`)
  const streams = { prng, room, pace, hashes, audience, counters }
  const { isSound = false } = options
  const context = { botsMax, hasSpectators, clients, durationMs, isSound }
  const knobs = drawKnobs(seed, profile, streams, context)
  const nodes = plain
    .map((node) => giveHabits(room, profile, node, knobs, durationMs))
    .map((node) => silence(pace, node, knobs))
    .map((node) => comeLater(audience, node, knobs))
    .map((node) => makeWitness(new Prng(seed, `witness/${profile}`), node))
  const late = new Prng(seed, `latest/${profile}`)
  const isAuthorizing = 'isAuthorizing' in knobs
  const { botSeats, isWide } = { ...knobDefaults, ...(knobs as Partial<StormKnobs>) }
  const seatsThere = isWide ? Math.min(seatsMax, wideSeatsMax) : seatsMax
  const seatsLeft = seatsThere - players - first.length - botSeats
  const latest = fitIn(drawLatest(late, profile, isAuthorizing), seatsLeft)
  const sleeps =
    'lobbyStart' in knobs
      ? noSleeps
      : drawSleeps(new Prng(seed, `sleeps/${profile}`), profile, nodes, durationMs)
  const crowd = drawCrowd(new Prng(seed, `crowd/${profile}`), options.spectators ?? 0, durationMs)
  const shortages = drawShortages(
    new Prng(seed, `shortages/${profile}`),
    profile,
    clients,
    durationMs,
  )
  const soon = [...nodes, ...first].filter(({ name }) => name !== 'relay')
  const links = [
    ...soon.map(({ name }) => makeLink(prng, name)),
    ...[...latest, ...sleeps.nodes, ...crowd].map(({ name }) => makeLink(late, name)),
  ]
  const faults = [...makeFaults(prng, profile, nodes, durationMs), ...sleeps.faults, ...shortages]
  const calmQuietMs =
    profile === 'desync'
      ? desyncQuietMs(knobs, faults.length > 0) + lateMs(nodes, knobs, durationMs)
      : 30_000
  return {
    version: planVersion,
    seed,
    profile,
    durationMs: Math.max(durationMs, sleeps.untilMs),
    quietMs: leavesTraces(nodes, latest) ? 80_000 : calmQuietMs,
    knobs,
    nodes: [...nodes, ...sleeps.nodes, ...crowd].map((node) => setClock(counters, profile, node)),
    links,
    faults,
    attackers: [...first, ...latest],
    work: [],
  }
}

/** Whether somebody has to be given up in the end, or match makers leave something behind. */
function leavesTraces(
  nodes: readonly StormNode[],
  attackers: readonly { readonly kind: string }[],
): boolean {
  return (
    nodes.some((node) => node.kind === 'client' && node.leavesSilently) ||
    attackers.some(({ kind }) => kind === 'match-maker')
  )
}

/** How long after a short plan the last one comes and sees the match, who has as long as the others. */
function lateMs(
  nodes: readonly StormNode[],
  { spectatorDelayMs }: StormPlan['knobs'],
  durationMs: number,
): number {
  const starts = nodes.map((node) => ('startsAtMs' in node ? (node.startsAtMs ?? 0) : 0))
  const delayMs = typeof spectatorDelayMs === 'number' ? spectatorDelayMs : 0
  return Math.max(...starts, durationMs) - durationMs + delayMs
}

/** How long plans are; a minute otherwise. */
const durations: { readonly [P in Profile]?: number } = {
  longhaul: 3_600_000,
  desync: desyncDurationMs,
}

const noSleeps: Sleeps = { faults: [], nodes: [], untilMs: 0 }

/** Seats of the wide game. */
const wideSeatsMax = 40

/** As many as there are seats for; those who need none are always welcome. */
function fitIn(attackers: readonly StormAttacker[], seats: number): StormAttacker[] {
  const seated = attackers.filter(({ kind }) => !isOutsider(kind)).slice(0, Math.max(seats, 0))
  return [...seated, ...attackers.filter(({ kind }) => isOutsider(kind))]
}

/** Streams that draw more than knobs. */
type SharedStreams = {
  readonly [N in 'prng' | 'room' | 'pace' | 'hashes' | 'audience' | 'counters']: Prng
}

/** What knobs depend on. */
interface KnobContext {
  readonly botsMax: number
  readonly hasSpectators: boolean
  readonly clients: readonly string[]
  readonly durationMs: number
  /** Whether no machine is to go its own way. */
  readonly isSound: boolean
}

/** All knobs of a plan, each kind of a stream of its own. */
function drawKnobs(
  seed: number,
  profile: Profile,
  { prng, room, pace, hashes, audience, counters }: SharedStreams,
  { botsMax, hasSpectators, clients, durationMs, isSound }: KnobContext,
): StormPlan['knobs'] {
  const own = (name: string) => new Prng(seed, `${name}/${profile}`)
  return {
    ...makeKnobs(prng, profile),
    ...makeRoomKnobs(room, profile, botsMax),
    ...makePaceKnobs(pace),
    ...makeFlipKnobs(hashes, clients, durationMs),
    ...makeRateKnobs(own('rate'), profile),
    ...makeOrderKnobs(own('orders'), profile !== 'relay-crash'),
    ...makeDoorKnobs(own('door')),
    ...makeAudienceKnobs(audience, hasSpectators),
    ...makeEpochKnobs(counters, profile),
    ...makeVisitorKnobs(own('visitors')),
    ...makeBotKnobs(own('bots')),
    ...makeDesyncKnobs(own('desync'), profile, clients),
    ...(isSound ? { flip: null } : {}),
    ...makeMoveKnobs(own('moves')),
    ...makeDebugKnobs(own('debug')),
  }
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

/** The knobs of a plan with the defaults filled in. */
export function knobsOf(plan: StormPlan): StormKnobs {
  const knobs = { ...knobDefaults, ...(plan.knobs as Partial<StormKnobs>) }
  // Whoever keeps ticks back for seconds is too slow by the rules, and would be sent away.
  return { ...knobs, ticksPerRun: Math.min(knobs.ticksPerRun, knobs.tickRate) }
}

/**
 * Parses a storm plan from JSON.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` if the text is not a storm plan.
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
