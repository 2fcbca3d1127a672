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
  'turn-flooder',
  'reconnect-cycler',
  'bomb-sender',
  'slow-reader',
] as const

/** Attackers who use a real client, and do one thing that it would not. */
export const cheatKinds = [
  'act-flooder',
  'spoofer',
  'token-forger',
  'pause-abuser',
  'vote-stuffer',
  'lag-switch',
  'text-forger',
  'state-poisoner',
  'chunk-staller',
] as const

/** Attackers who have no seat in the match, and knock at the relay. */
export const outsiderKinds = ['match-maker', 'gatecrasher', 'twin', 'name-forger'] as const

/** What attackers can do. */
export const attackKinds = [...roughKinds, ...cheatKinds, ...outsiderKinds] as const

/** One of {@link roughKinds}. */
export type RoughKind = (typeof roughKinds)[number]

/** One of {@link cheatKinds}. */
export type CheatKind = (typeof cheatKinds)[number]

/** One of {@link outsiderKinds}. */
export type OutsiderKind = (typeof outsiderKinds)[number]

/** One of {@link attackKinds}. */
export type AttackKind = (typeof attackKinds)[number]

/** Whether an attacker uses a real client. */
export function isCheat(kind: AttackKind): kind is CheatKind {
  return (cheatKinds as readonly string[]).includes(kind)
}

/** Whether an attacker speaks the protocol by hand. */
export function isRough(kind: AttackKind): kind is RoughKind {
  return (roughKinds as readonly string[]).includes(kind)
}

/** Whether an attacker has no seat in the match. */
export function isOutsider(kind: AttackKind): kind is OutsiderKind {
  return (outsiderKinds as readonly string[]).includes(kind)
}
