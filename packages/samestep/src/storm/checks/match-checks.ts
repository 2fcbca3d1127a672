import type { Relay } from '../../relay/relay.ts'
import type { World } from '../engine/world.ts'
import { matchName } from '../plan/match-options.ts'
import type { StormPlan } from '../plan/storm-plan.ts'
import { knobsOf } from '../plan/storm-plan.ts'

/** However many matches strangers make, there are as many as an operator allows, and ours (T-110). */
export function checkMatches(world: World, relay: Relay, plan: StormPlan): void {
  const { caps, crashesPerMinute } = knobsOf(plan)
  // Who made what is not written down: after a crash, everybody begins anew.
  if (caps === null || crashesPerMinute > 0) return
  const { size } = relay.matches
  const makers = plan.attackers.filter(({ kind }) => kind === 'match-maker').length
  const junk = size - (relay.matches.has(matchName) ? 1 : 0)
  world.always('T-110', size <= caps.matchesMax, () => `The relay has ${size} matches`)
  world.always('T-110', junk <= makers * caps.matchesPerAddress, () => {
    return `${makers} addresses have ${junk} matches`
  })
  world.sometimes('the relay was full', size === caps.matchesMax)
}

/** What a match maker leaves behind goes when nobody comes back to it (T-110). */
export function checkLeftBehind(world: World, relay: Relay, quietMs: number): void {
  if (quietMs < leftBehindMs) return
  const left = [...relay.matches.keys()].filter((name) => name !== matchName)
  world.always('T-110', left.length === 0, () => `Matches of nobody are left: ${left.join(', ')}`)
}

/** A minute for who may come back, and what a match is kept for when it is empty. */
const leftBehindMs = 80_000
