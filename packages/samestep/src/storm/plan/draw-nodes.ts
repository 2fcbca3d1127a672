/** Who is in a storm: the relay and the honest clients, their clocks, and what they do besides playing. */
import type { Prng } from '../../base/prng.ts'
import type { ClockPlan } from '../engine/clock.ts'
import { makeClockPlan, makeCounterStart } from '../engine/faults/fault-maker.ts'
import type { Plan, Profile } from '../engine/plan.ts'
import { desyncPlayers } from './desync-knobs.ts'
import type { Hide, StormNode } from './storm-node.ts'

type Knobs = Plan['knobs']

/** The relay, its players, and now and then somebody who watches. */
export function drawNodes(
  prng: Prng,
  profile: Profile,
  players: number,
  durationMs: number,
): StormNode[] {
  const nodes: StormNode[] = [{ name: 'relay', kind: 'relay', clock: drawClock(prng, profile) }]
  const leisure = profile === 'longhaul' ? longhaulLeisure : 1
  for (let index = 0; index < players; index++) {
    nodes.push({
      name: `c${index}`,
      kind: 'client',
      clock: drawClock(prng, profile),
      role: 'player',
      orderEveryMs: prng.chance(0.1) ? 0 : Math.round(leisure * prng.logUniform(70, 4_000)),
      inputEveryMs: prng.chance(0.1) ? 0 : Math.round(leisure * prng.logUniform(30, 1_000)),
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

/** What a client does besides playing: it comes later, leaves early, or is not looked at. */
export function giveHabits(
  prng: Prng,
  profile: Profile,
  node: StormNode,
  knobs: Knobs,
  durationMs: number,
): StormNode {
  if (node.kind !== 'client' || node.role !== 'player') return node
  if (profile === 'hidden') {
    const count = prng.chance(0.7) ? 1 + prng.below(3) : 0
    return count === 0 ? node : { ...node, hides: drawHides(prng, count, durationMs) }
  }
  // The first player stays, so that there is a match to the end.
  if (profile !== 'churn' || node.name === 'c0') return node
  const isAsked = knobs.lobbyStart !== undefined
  const startsAtMs = prng.chance(0.4) ? prng.below(8_000) : 0
  const leavesAtMs = Math.round(prng.logUniform(100, durationMs))
  const isLeaving = prng.chance(0.35)
  return {
    ...node,
    ...(startsAtMs > 0 ? { startsAtMs } : {}),
    // Where every seat must be taken, nobody else would come for one that is left too early.
    ...(isLeaving ? { leavesAtMs, leavesAnyTime: isAsked } : {}),
  }
}

/** Some of those who only watch are witnesses. */
export function makeWitness(prng: Prng, node: StormNode): StormNode {
  if (node.kind !== 'client' || node.role !== 'spectator') return node
  // Later than players, who make the match.
  const startsAtMs = Math.max(node.startsAtMs ?? 0, 3_000)
  return prng.chance(0.4) ? { ...node, role: 'witness', startsAtMs } : node
}

/** Half of those who see a match later come so late that they need a state for it. */
export function comeLater(prng: Prng, node: StormNode, knobs: Knobs): StormNode {
  if (node.kind !== 'client' || node.role !== 'spectator') return node
  if (knobs.spectatorDelayMs === undefined || prng.chance(0.5)) return node
  return { ...node, startsAtMs: latestStartMs - prng.below(4_000) }
}

/** Of those who leave a match that began by itself, half do so without a word. */
export function silence(prng: Prng, node: StormNode, knobs: Knobs): StormNode {
  const isSilent = prng.chance(0.5)
  if (node.kind !== 'client' || node.leavesAtMs === undefined || !isSilent) return node
  return knobs.lobbyStart === undefined ? { ...node, leavesSilently: true } : node
}

/** Times of 5 to 60 s, one after the other, as far as the plan has room for them. */
function drawHides(prng: Prng, count: number, durationMs: number): Hide[] {
  const hides: Hide[] = []
  let fromMs = prng.below(Math.max(durationMs / 2, 1))
  for (let left = count; left > 0; left--) {
    const forMs = Math.round(prng.logUniform(5_000, 60_000))
    if (fromMs + forMs > durationMs) break
    hides.push({ atMs: fromMs, forMs })
    fromMs += forMs + 3_000 + prng.below(10_000)
  }
  return hides
}

/** Most drivers read a clock that is never set back. The machines must bear the others too. */
function drawClock(prng: Prng, profile: Profile): ClockPlan {
  return { ...makeClockPlan(prng, profile), isMonotonic: prng.chance(0.6) }
}

/** Clocks that pass an edge while the match runs (F-30): of 31, 32 and 41 bits, the last as dates are. */
export function setClock(prng: Prng, profile: Profile, node: StormNode): StormNode {
  const offsetMs = makeCounterStart(prng, profile, clockEdgesMs)
  const isSet = prng.chance(0.5) && profile === 'boundary'
  return isSet ? { ...node, clock: { ...node.clock, offsetMs } } : node
}

const clockEdgesMs = [2 ** 31, 2 ** 32, 2 ** 41] as const

/** A match can be joined for its first ten seconds: some come in time, some do not. */
const latestStartMs = 20_000

/** Few people who take their time: hours of play are to be simulated in seconds. */
const longhaulPlayers: readonly number[] = [2, 2, 3, 3, 4]
const longhaulLeisure = 20

/** How many players leave before the end. */
const leaveChance = 0.08

/** Mostly small matches, as in life; now and then a large one, for the limits. */
export function drawPlayers(prng: Prng, profile: Profile): number {
  if (profile === 'desync') return prng.pick(desyncPlayers)
  if (profile === 'longhaul') return prng.pick(longhaulPlayers)
  const draw = prng.below(100)
  if (draw < 30) return 2
  if (draw < 45) return 3
  if (draw < 75) return 4
  if (draw < 95) return 8
  return draw < 99 ? 16 : 32
}
