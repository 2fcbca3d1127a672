import type { Prng } from '../../base/prng.ts'
import { desyncPolicies } from '../../wire/messages/match-config.ts'
import type { Json } from '../engine/json.ts'
import type { Profile } from '../engine/plan.ts'

/** What one machine does otherwise than the others (F-26). */
export const flipKinds = [
  /** A field is changed between two ticks, from outside. */
  'flip',
  /** A random number is not drawn in one tick. */
  'draw',
  /** What should be taken in sequence is taken in another, in one tick. */
  'reorder',
  /** A field is changed, and once more in the state that the machine is given to be healed with. */
  'restore',
] as const

/** See {@link flipKinds}. */
export type FlipKind = (typeof flipKinds)[number]

/** A desync on purpose: what one client does before it runs a tick, or in it. */
export interface Flip {
  readonly client: string
  readonly tick: number
  /** Flips it back before the next tick, so that one tick alone differs. */
  readonly isBrief: boolean
  /** A field from outside when left out. */
  readonly kind?: FlipKind
}

/** How long a plan of the profile `desync` is: time to begin, and to go apart. */
export const desyncDurationMs = 8_000

/**
 * How long its quiet is: time to be told and explained, and to settle; for who was slow to be level
 * before; or to be healed, too.
 */
export function desyncQuietMs(
  { desync }: { readonly [key: string]: Json },
  hasFaults: boolean,
): number {
  if (desync === 'resync') return 28_000
  return hasFaults ? 22_000 : 12_000
}

/** Machines go apart within so many seconds: early, because the sooner a plan is over the more are run. */
const flipSecondsMax = 3

/** Slow ones mostly, for the same reason. */
const desyncTickRates: readonly number[] = [10, 10, 10, 20, 30, 60]

/** Players of such a plan: mostly as few as there can be a majority of. */
export const desyncPlayers: readonly number[] = [2, 3, 3, 3, 4, 4, 5, 8]

/** In the profile `desync`: which machine goes its own way, and what follows; of a stream of its own. */
export function makeDesyncKnobs(
  prng: Prng,
  profile: Profile,
  players: readonly string[],
): { readonly [key: string]: Json } {
  const policy = prng.pick(desyncPolicies)
  const kind = prng.pick(flipKinds)
  const client = prng.pick(players)
  const tickRate = prng.pick(desyncTickRates)
  const tick = 1 + prng.below(flipSecondsMax * tickRate)
  const isBrief = prng.chance(0.2) && kind === 'flip'
  if (profile !== 'desync') return {}
  return {
    tickRate,
    ...(policy === 'warn' ? {} : { desync: policy }),
    ...(kind === 'draw' || kind === 'reorder' ? toyKnobs : {}),
    flip: { client, tick, isBrief, ...(kind === 'flip' ? {} : { kind }) },
  }
}

/** Of the toy alone there are machines with other code. */
const toyKnobs = { hasOrderRules: false, pauseLevel: 'declared', isSerious: false }
