/** Attackers who speak the protocol by hand. Each starts like an honest client. */
export const roughKinds = [
  'garbage',
  'replayer',
  'flooder',
  'traveller',
  'stranger',
  'hash-liar',
  'ticket-thief',
  'input-forger',
] as const

/** Attackers who use a real client, and do one thing that it would not. */
export const cheatKinds = [
  'act-flooder',
  'spoofer',
  'token-forger',
  'pause-abuser',
  'vote-stuffer',
  'lag-switch',
] as const

/** What attackers can do. */
export const attackKinds = [...roughKinds, ...cheatKinds] as const

/** One of {@link roughKinds}. */
export type RoughKind = (typeof roughKinds)[number]

/** One of {@link cheatKinds}. */
export type CheatKind = (typeof cheatKinds)[number]

/** One of {@link attackKinds}. */
export type AttackKind = (typeof attackKinds)[number]

/** Whether an attacker uses a real client. */
export function isCheat(kind: AttackKind): kind is CheatKind {
  return (cheatKinds as readonly string[]).includes(kind)
}
