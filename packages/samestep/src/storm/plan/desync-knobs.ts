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

/** How long a plan of the profile `desync` is: time to go apart, and to be told. */
export const desyncDurationMs = 12_000

/** How long its quiet is: time to be explained and healed, and to settle. */
export const desyncQuietMs = 18_000

/** Machines go apart within so many ticks: early, because the sooner a plan is over the more are run. */
const flipTicksMax = 120

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
  const tick = 1 + prng.below(flipTicksMax)
  const isBrief = prng.chance(0.2) && kind === 'flip'
  if (profile !== 'desync') return {}
  const desync = policy === 'warn' ? {} : { desync: policy }
  return { ...desync, flip: { client, tick, isBrief, ...(kind === 'flip' ? {} : { kind }) } }
}
