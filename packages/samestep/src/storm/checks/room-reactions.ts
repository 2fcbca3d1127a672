/**
 * What the relay must have done about each cheat by the end of a storm: the other half of "nobody
 * honest is blamed". Only where its own line was good enough for the relay to know.
 */
import type { Match } from '../../relay/match/match.ts'
import { halfOpenMs, leavingMsMax } from '../../wire/patience.ts'
import type { ClientActor } from '../actors/client-actor.ts'
import type { AttackerActor } from '../attackers/attacker-actor.ts'
import type { CheatActor } from '../cheats/cheat-actor.ts'
import type { World } from '../engine/world.ts'
import type { CheatKind } from '../plan/attack-kinds.ts'
import type { SystemState } from './room-checks.ts'

/** How a cheat ends: for which reason, and by which rule. */
const ends: { readonly [K in CheatKind]?: { readonly rule: string; readonly reason: string } } = {
  'act-flooder': { rule: 'T-36', reason: 'rate' },
  spoofer: { rule: 'T-30', reason: 'bad-message' },
  'token-forger': { rule: 'T-41', reason: 'bad-message' },
  'text-forger': { rule: 'SEC-05', reason: 'bad-message' },
}

/** Checks what became of a cheat. `presences` is what others were told about it. */
export function checkReaction(
  world: World,
  cheat: CheatActor,
  presences: ReadonlySet<string>,
  isCalm: boolean,
  isPatient: boolean,
): void {
  const { kind } = cheat.spec
  const end = ends[kind]
  const { misdeeds, closedReason } = cheat
  const hadTime = world.nowMs - cheat.firstMisdeedMs >= reactionMs
  if (end !== undefined) {
    const isOver = closedReason !== undefined
    world.always(end.rule, isOver || !hadTime || misdeeds < misdeedsMin || !isCalm, () => {
      return `The ${kind} has broken the rules ${misdeeds} times, and is still here`
    })
    // A word of farewell may be lost with the link: then nobody knows it any more.
    const isRight = !isOver || closedReason === end.reason || farewells.includes(closedReason)
    world.always(end.rule, isRight, `The ${kind} was closed for ${closedReason}`)
    return
  }
  // What it hands over contradicts itself half of the time, and then it is sent away.
  if (kind === 'state-poisoner') return
  // Nobody is sent away for what is only denied or late; who is voted out is by everybody. One that has
  // done nothing may have come too late for a seat.
  const isLeft = closedReason === undefined || closedReason === 'kicked' || misdeeds === 0
  world.always('T-39', isLeft || !isCalm || kind === 'vote-stuffer', () => {
    return `The ${kind} was closed for ${closedReason}`
  })
  if (kind === 'lag-switch') {
    const isFlagged = presences.has('lagging') || presences.has('silent')
    world.sometimes('a lag switch was flagged', isFlagged)
    const isExcused = misdeeds < 3 || !hadTime || isPatient
    world.always('T-34', isFlagged || isExcused, 'A lag switch was not flagged')
    return
  }
  if (kind === 'chunk-staller') return
  const isDenied = cheat.denials > 0 || misdeeds < misdeedsMin || !hadTime || !isCalm
  world.always(kind === 'vote-stuffer' ? 'T-56' : 'T-39', isDenied, () => {
    return `The ${kind} was never denied anything in ${misdeeds} wishes`
  })
}

/** Checks what became of an attacker who speaks the protocol by hand, where that is known. */
export function checkEnd(world: World, attacker: AttackerActor, isCalm: boolean): void {
  const { kind, expectedEnd, misdeeds, firstMisdeedMs, isOut, closedReason } = attacker
  if (expectedEnd === undefined) return
  const { rule, reasons, misdeedsMin: least = misdeedsMin } = expectedEnd
  const hadTime = world.nowMs - firstMisdeedMs >= reactionMs
  world.always(rule, isOut || !hadTime || misdeeds < least || !isCalm, () => {
    return `The ${kind} has attacked ${misdeeds} times, and is still here`
  })
  // Before it attacks, it may be sent away for other things; a word of farewell may be lost.
  const isRight = !isOut || misdeeds < least || closedReason === undefined
  world.always(
    rule,
    isRight || reasons.includes(closedReason) || farewells.includes(closedReason),
    () => {
      return `The ${kind} was closed for ${closedReason}`
    },
  )
}

/** What anybody may hear who was away for too long, and whose seat others have, or was voted out. */
const farewells: readonly string[] = ['auth', 'no-match', 'kicked', 'replaced', 'match-full']

/** By then a relay has seen enough: five breaches, and some round trips of a bad line. */
const reactionMs = 10_000
const misdeedsMin = 20

/**
 * The relay's own books about a match: nothing of who is gone is left (I-14), what is kept is bounded
 * (I-13), and nobody honest was ever struck (I-21).
 */
export function checkBooks(
  world: World,
  match: Match,
  isHonest: (name: string) => boolean,
  silenceMs: (link: number) => number,
): void {
  const { members, room } = match
  const former = members.seats.flatMap((_, seat) => [...(room.bots.at(seat)?.former ?? [])])
  const gone = [...members.list, ...former].filter(({ isIn }) => !isIn)
  world.always('I-14', gone.length === 0, () => {
    return `A match keeps records of members who left: ${gone.map(({ name }) => name).join(', ')}`
  })
  const identities = members.list.flatMap(({ session }) => session.visitor.identity ?? [])
  world.always('T-111', new Set(identities).size === identities.length, () => {
    return `One identity has two places: ${identities.join(', ')}`
  })
  for (const { name, session } of members.list) {
    const { guard, link } = session
    const { strikes } = guard
    const silentMs = link < 0 || guard.activity === 'hidden' ? 0 : silenceMs(link)
    // What waited for the end of the link before is heard when it is taken in.
    const isLate = guard.liveness.heardAtMs <= session.twoLinksUntilMs + lookMs
    world.always('F-08', silentMs <= deadLinkMs + (isLate ? leavingMsMax : 0), () => {
      return `The link of ${name} is held although nothing came for ${Math.round(silentMs)} ms`
    })
    world.sometimes('a strike', strikes.total > 0)
    world.always('I-21', strikes.total === 0 || !isHonest(name), () => {
      return `${name}, who is honest, was struck for ${strikes.lastReason}`
    })
  }
}

/** By then a dead link is found out and closed: a look at it once per second. */
const lookMs = 1_000
const deadLinkMs = halfOpenMs + 2 * lookMs

/**
 * When all is quiet everybody is seen to be there (L-01), also by the others, and the match goes on
 * (L-06): nobody is paused for ever, and all agree on who is in it. Machines are coarse that run many ticks of a
 * slow match at once: they may seem to be catching up for ever.
 */
export function checkQuietRoom(
  world: World,
  match: Match,
  clients: readonly ClientActor[],
  system: SystemState | undefined,
  isCoarse: boolean,
): void {
  const { pauseMsMax } = match.config.pace
  // What a desync halted waits for somebody to decide.
  const isHeld = pauseMsMax > longPauseMs || clients.some(({ client }) => client.room?.isHalted)
  const isGoing = system?.isPaused !== true || isHeld
  world.always('L-06', isGoing, 'The match is still paused')
  const here = clients.filter(({ closedReason }) => closedReason === undefined)
  checkSeats(world, match, here)
  for (const { client, plan } of here) {
    for (const { plan: other } of here) {
      const member = client.room?.members.find(({ name }) => name === other.name)
      // Who is too far off for the delay of the match is late for ever, and yet there.
      const isSeen = member?.presence === 'active' || member?.presence === 'lagging'
      const isThere = isSeen || (isCoarse && member?.presence === 'catching-up')
      world.always('L-01', isThere, () => {
        return `To ${plan.name}, ${other.name} is ${member?.presence ?? 'nobody'}`
      })
    }
  }
}

/**
 * Everybody knows the seat that it has (L-08). Whoever sees the match later hears of a seat that it lost
 * in the tick in which it did.
 */
function checkSeats(world: World, match: Match, clients: readonly ClientActor[]): void {
  if (match.phase !== 'running') return
  for (const { client, plan } of clients) {
    const member = match.members.list.find(({ id }) => id === client.member)
    if (member === undefined || client.cursors.simulatedTick < member.session.seatTick) continue
    world.always('L-08', client.seat === member.seat, () => {
      return `${plan.name} believes to have seat ${client.seat}, and has seat ${member.seat}`
    })
  }
}

/** Pauses that may outlast the quiet. */
const longPauseMs = 20_000
