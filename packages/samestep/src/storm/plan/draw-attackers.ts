import { Prng } from '../../base/prng.ts'
import type { PlanNode, Profile } from '../engine/plan.ts'
import type { AttackKind, CheatKind } from './attack-kinds.ts'
import { cheatKinds, outsiderKinds, roughKinds } from './attack-kinds.ts'

/** An attacker: a client that breaks the rules. */
export interface StormAttacker extends PlanNode {
  readonly kind: AttackKind
}

/**
 * Who attacks a match. Kinds that came later draw from streams of their own, so that a seed still draws
 * what it drew before.
 */
export function drawAttackers(
  prng: Prng,
  hashes: Prng,
  seed: number,
  profile: Profile,
): StormAttacker[] {
  return [
    ...drawFirst(prng, profile),
    ...drawLiars(hashes, profile),
    ...drawNewcomers(new Prng(seed, `newcomers/${profile}`), profile),
  ]
}

/** Those of the first day. */
function drawFirst(prng: Prng, profile: Profile): StormAttacker[] {
  const chance = profile === 'byzantine' ? 0.6 : isCalm(profile) ? 0 : 0.1
  const drawn = roughKinds.slice(0, 5)
  const rough = drawn.filter(() => prng.chance(chance))
  const cheats = cheatKinds.slice(0, 6).filter((kind) => prng.chance(cheatChance(profile, kind)))
  const floods = profile === 'flood' && rough.length + cheats.length === 0
  const kinds: AttackKind[] = floods ? ['act-flooder'] : [...rough, ...cheats]
  return kinds.map((kind) => ({ name: `x-${kind}`, kind }))
}

/** Liars about hashes and thieves, drawn apart so that other draws stay as they were. */
function drawLiars(prng: Prng, profile: Profile): StormAttacker[] {
  if (profile === 'desync')
    return prng.chance(0.3) ? [{ name: 'x-hash-liar', kind: 'hash-liar' }] : []
  const chance = profile === 'byzantine' ? 0.5 : isCalm(profile) ? 0 : 0.1
  const kinds = roughKinds.slice(5, 7).filter(() => prng.chance(chance))
  return kinds.map((kind) => ({ name: `x-${kind}`, kind }))
}

/** Whoever came after them has draws of its own again. */
function drawNewcomers(prng: Prng, profile: Profile): StormAttacker[] {
  const chance = profile === 'byzantine' ? 0.6 : isCalm(profile) ? 0 : 0.1
  const kinds = roughKinds.slice(7, 8).filter(() => prng.chance(chance))
  return kinds.map((kind) => ({ name: `x-${kind}`, kind }))
}

const calmProfiles: readonly Profile[] = [
  'sunny',
  'slow',
  'hidden',
  'lagswitch',
  'flood',
  'relay-crash',
  'desync',
  'longhaul',
]

/** Whether a profile is about something else than strangers. */
function isCalm(profile: Profile): boolean {
  return calmProfiles.includes(profile)
}

function cheatChance(profile: Profile, kind: CheatKind): number {
  if (profile === 'lagswitch') return kind === 'lag-switch' ? 1 : 0
  if (profile === 'flood') return kind === 'lag-switch' ? 0 : 0.5
  if (profile === 'byzantine') return 0.3
  // Somebody whom the operator removes, which a relay that dies must leave to the next one.
  if (profile === 'relay-crash' && kind === 'vote-stuffer') return 0.3
  return isCalm(profile) ? 0 : 0.05
}

/**
 * Those who came last, with their own draws. They are added to a plan when everything else is drawn.
 * `isAuthorizing` says whether tokens mean anything.
 */
export function drawLatest(prng: Prng, profile: Profile, isAuthorizing: boolean): StormAttacker[] {
  const drawn = latestKinds.filter((kind) => prng.chance(latestChance(profile, kind)))
  const kinds = drawn.filter((kind) => isAuthorizing || !tokenKinds.includes(kind))
  return kinds.map((kind) => ({ name: `x-${kind}`, kind }))
}

const latestKinds: readonly AttackKind[] = [
  ...roughKinds.slice(8),
  ...cheatKinds.slice(6),
  ...outsiderKinds,
]

/** Those who are about tokens. */
const tokenKinds: readonly AttackKind[] = ['gatecrasher', 'twin']

/** Those who ask for too much. */
const floodKinds: readonly AttackKind[] = ['turn-flooder', 'reconnect-cycler', 'match-maker']

/** Those who give states away: where machines sleep, somebody needs one. */
const donorKinds: readonly AttackKind[] = ['state-poisoner', 'chunk-staller']

function latestChance(profile: Profile, kind: AttackKind): number {
  if (profile === 'flood') return floodKinds.includes(kind) ? 0.4 : 0
  if (profile === 'hidden') return donorKinds.includes(kind) ? 0.3 : 0
  const chance = profile === 'byzantine' ? 0.3 : isCalm(profile) ? 0 : 0.05
  // They come with tokens only, and those are rare.
  return tokenKinds.includes(kind) ? 2 * chance : chance
}
