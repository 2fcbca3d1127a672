import type { Session } from '../../relay/match/session.ts'
import type { Relay } from '../../relay/relay.ts'
import { ticksIn } from '../../wire/limits.ts'
import { goneMs } from '../../wire/patience.ts'
import type { ClientActor } from '../actors/client-actor.ts'
import type { World } from '../engine/world.ts'
import { matchName } from '../plan/match-options.ts'
import type { StormPlan } from '../plan/storm-plan.ts'
import { knobsOf } from '../plan/storm-plan.ts'
import type { DesyncBook } from './desync-checks.ts'
import { checkLog } from './log-check.ts'
import { checkLeftBehind } from './match-checks.ts'
import type { Oracle } from './oracle.ts'
import { checkQuietRoom } from './room-reactions.ts'

/** A storm whose faults are over. */
export interface Quiet {
  readonly world: World
  readonly oracle: Oracle
  readonly clients: readonly ClientActor[]
  readonly plan: StormPlan
  readonly tickRate: number
  readonly desync: DesyncBook
  readonly relay: Relay
  /** Links that others than {@link clients} may have. */
  readonly strangerLinks: number
}

/** When faults are over everybody is there, up to date, and every order has its answer (§3.3). */
export function checkQuiet(quiet: Quiet): void {
  const { world, oracle, plan: stormPlan, tickRate } = quiet
  const { sealedTick } = oracle
  // Whose farewell was lost is waited for, longer than any quiet lasts.
  const isGhost = ({ hasLeft, witnessed }: ClientActor) => hasLeft && witnessed.executedTick === 0
  if (sealedTick === 0 && quiet.clients.some(isGhost)) {
    world.sometimes('a lobby waited for who is gone')
    return
  }
  if (sealedTick === 0 && isHeldUp(quiet)) {
    world.sometimes('loading waited for who is gone')
    return
  }
  let hasHolding = false
  for (const { client, plan, closedReason } of quiet.clients) {
    if (closedReason !== undefined) continue
    world.sometimes('a sleeper came back to his seat', isSleeper(stormPlan, plan.name))
    world.sometimes('a sleeper came anew', plan.isReplacement === true)
    world.always('L-01', client.status === 'active', () => `${plan.name} is ${client.status}`)
    const lag = sealedTick - client.cursors.simulatedTick
    const isLater = plan.role === 'spectator'
    const delayMs = isLater ? knobsOf(stormPlan).spectatorDelayMs * speedMax : 0
    const delayTicks = delayMs === 0 ? 0 : 2 + ticksIn(delayMs, tickRate)
    const lagMax = lagAllowance(tickRate) + delayTicks + knobsOf(stormPlan).ticksPerRun - 1
    world.always('L-02', lag <= lagMax, () => `${plan.name} is ${lag} ticks behind`)
    const inboxBytes = client.running?.inbox.bytes ?? 0
    const inboxMax = (idleInboxBytesMax * Math.max(tickRate, 30)) / 30
    world.always(
      'L-05',
      inboxBytes <= inboxMax,
      () => `${plan.name} still holds ${inboxBytes} bytes of ticks`,
    )
    checkLate(quiet, client.seat, plan.name)
    // An abuser may have begun a pause that outlasts the quiet: orders wait for its end (ORD-10).
    const isHolding = client.simulation?.isPaused === true
    hasHolding ||= isHolding
    world.always('L-03', client.pendingOrders === 0 || isHolding, () => {
      return `${plan.name} still waits for ${client.pendingOrders} orders`
    })
  }
  quiet.desync.checkQuiet(quiet.clients, stormPlan.attackers.length > 0)
  const unsettled = oracle.unsettled()
  world.always(
    'I-04',
    unsettled.length === 0 || hasHolding,
    () => `Never answered: ${unsettled.join(' ')}`,
  )
  world.always('L-04', sealedTick > 0, 'The match never began')
  checkLeftBehind(world, quiet.relay, stormPlan.quietMs)
  const ours = quiet.relay.matches.get(matchName)
  for (const match of ours === undefined ? [] : [ours]) {
    const { sessions } = match
    for (const { plan, vanishedAtMs } of quiet.clients) {
      const isKept = sessions.some(({ name }) => name === plan.name)
      world.always('I-30', !isKept || world.nowMs - vanishedAtMs < givenUpMs, () => {
        return `${plan.name} was never heard of again, and still has his place`
      })
    }
    const { ticksPerRun } = knobsOf(stormPlan)
    // A relay calls that level which is half a second behind; whoever runs so many ticks at once never may be.
    const isCoarse = (ticksPerRun * 1_000) / tickRate >= levelMs
    checkQuietRoom(world, match, quiet.clients, oracle.system, isCoarse)
    const copies = sessions.some(({ copiedOrders }) => copiedOrders > 0)
    world.sometimes('order resent and deduplicated', copies)
  }
  const { linkCount } = quiet.relay
  // A link that was replaced is closed; one whose other end is gone may be waited for, and a session
  // that moves has two.
  const leaving = new Set(ours?.sessions.filter(isLeaving).map(({ name }) => name))
  const moving = quiet.clients.filter(({ client, plan }) => {
    return client.otherLink !== undefined || leaving.has(plan.name)
  })
  const links = quiet.clients.length + moving.length + quiet.strangerLinks
  world.always('I-14', linkCount <= links, () => `The relay holds ${linkCount} links`)
  // The seat of an attacker who is gone is kept for a while, and its ticks with it.
  const isFull = stormPlan.attackers.length === 0 && quiet.clients.every(({ hasLeft }) => !hasLeft)
  if (isFull && ours !== undefined && ours.log.sealedTick > ticksIn(joinableMs, tickRate)) {
    checkLog(world, ours, oracle.neededTick)
  }
}

/** Whether the relay may still wait for the end of the link that a session has left: its farewell may be lost. */
function isLeaving({ twoLinksUntilMs, guard }: Session): boolean {
  return guard.liveness.heardAtMs < twoLinksUntilMs
}

function isSleeper({ faults }: StormPlan, name: string): boolean {
  return faults.some((op) => op.kind === 'sleep' && op.node === name)
}

/**
 * Whether a match still loads because somebody who attacked it lost the link: the seat is kept for a
 * minute, as anybody's, and that is longer than any quiet lasts.
 */
function isHeldUp({ clients, relay }: Quiet): boolean {
  const isHonest = (name: string) => clients.some(({ plan }) => plan.name === name)
  const match = relay.matches.get(matchName)
  if (match?.phase !== 'loading') return false
  return match.sessions.some(({ isConnected, name }) => !isConnected && !isHonest(name))
}

/** With the default delay the inputs of everybody count, as far as storms put players (L-07). */
function checkLate({ world, oracle, plan }: Quiet, seat: number | undefined, name: string): void {
  if (seat === undefined || !knobsOf(plan).hasDefaultDelay) return
  const share = oracle.lates.shareOf(seat)
  world.always('L-07', share <= lateShareMax, () => {
    return `${Math.round(share * 100)} % of the inputs of ${name} come too late`
  })
}

/** How long a relay keeps a match from its beginning, for those who come late. */
const joinableMs = 10_000

/** By then somebody who says nothing is gone: 60 s, and what the relay may have stood still for. */
const givenUpMs = goneMs + 10_000

/** Idle ticks that overtook others on their way, at 30 per second and below. */
const idleInboxBytesMax = 256

/** How much faster than usual a match is played in a storm, at the most. */
const speedMax = 1.25

/** What may be under way to a client: 150 ms of latency and its jitter. */
const lagMsMax = 333

/** Ticks by which somebody may be behind: two, and what is on its way to somebody far off. */
export function lagAllowance(tickRate: number): number {
  return 2 + ticksIn(lagMsMax, tickRate)
}

/** How far behind somebody may be who has caught up. */
const levelMs = 500

/** The p95 of the loops is what the delay is made for; chance adds some over ten seconds. */
const lateShareMax = 0.2
