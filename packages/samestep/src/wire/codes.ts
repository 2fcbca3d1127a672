/** Why a session ends. Numbers are WebSocket close codes too, and never change. */
export const closeCodes = {
  'bad-message': 4001,
  rate: 4002,
  auth: 4003,
  version: 4004,
  replaced: 4005,
  'too-slow': 4006,
  kicked: 4007,
  desync: 4008,
  'match-over': 4009,
  shutdown: 4010,
  'reconnect-budget': 4011,
  'wrong-origin': 4012,
  'match-full': 4013,
  'no-match': 4014,
  'behind-log': 4015,
  left: 4016,
  'no-state': 4017,
  /** The session goes on over another link of the same client. */
  moved: 4018,
} as const

/** A reason for the end of a session. */
export type CloseReason = keyof typeof closeCodes

/** All reasons, in the sequence in which the wire numbers them. Append only. */
export const closeReasons = Object.keys(closeCodes) as CloseReason[]

/** Why the relay did not take an order. The wire sends the index, in three bits, which are full. */
export const orderRefusals = [
  /** Too many of this seat's orders wait already. */
  'queue-full',
  /** Larger than the limit. */
  'too-large',
  /** The sender has no seat. */
  'no-seat',
  /** The match is not running. */
  'not-running',
  /** Too many in too short a time. */
  'rate',
  /** None that a player of this game gives. */
  'wrong-order',
  /** Not while the match is paused. */
  'paused',
  /** Of a class that this match does not allow. */
  'forbidden',
] as const

/** A reason why the relay did not take an order. */
export type OrderRefusal = (typeof orderRefusals)[number]

/**
 * What a client is busy with, in its own words. Append only: the wire sends the index, in three bits.
 */
export const clientStatuses = ['active', 'catching-up', 'hidden', 'slow', 'loading'] as const

/** What a client is busy with. */
export type ClientActivity = (typeof clientStatuses)[number]

/**
 * The ladder on which somebody comes into a match, from the first rung to the last. Both ends use these
 * words: a client for itself (`playState().name`), a relay for what it shows of others (`presence`).
 */
export const joinStages = [
  /** The relay has not let us in. */
  'connecting',
  /** It has, and the match runs: the others are being asked what its state is. */
  'authorised',
  /** The match has not begun. */
  'waiting',
  /** The state of the match is on its way. */
  'downloading',
  /** All of it is there, and is being loaded and checked. */
  'loading',
  /** The ticks since are run. */
  'catching-up',
  'active',
  'closed',
] as const

/** How far a client has got in joining a match. */
export type JoinStage = (typeof joinStages)[number]

/** How the relay and the others see a member. Append only: the wire sends the index, in three bits. */
export const presences = [
  'active',
  'lagging',
  'silent',
  'hidden',
  'catching-up',
  'gone',
  'authorised',
  'downloading',
] as const satisfies readonly (JoinStage | 'lagging' | 'silent' | 'hidden' | 'gone')[]

/** How the relay and the others see a member. */
export type PresenceWord = (typeof presences)[number]

/** Whether a member is still joining a running match: it does not have the state yet, or is behind. */
export function isComing(presence: PresenceWord): boolean {
  return presence === 'authorised' || presence === 'downloading' || presence === 'catching-up'
}

/** Why a wish about the match was not granted: see `docs/errors.md`. On the wire it is a word. */
export const denials = [
  'unknown-member',
  'not-owner',
  'wrong-phase',
  'not-player',
  'no-such-seat',
  'seat-taken',
  'seat-locked',
  'assigned',
  'full',
  'closed',
  'starting',
  'too-few-players',
  'not-ready',
  'stale-options',
  'too-large',
  'bad-value',
  'not-allowed',
  'already',
  'no-pause-left',
  'too-soon',
  'vote-running',
  'no-vote',
  'too-many',
  'not-elector',
  'already-voted',
  'wrong-target',
  'too-few',
  'rate',
  'muted',
  'wrong-scope',
  'empty',
  'too-long',
  'control',
  'direction',
  'no-character',
  'invisible',
  'spacing',
  'not-normal',
] as const

/** A reason why a wish was not granted. `speed-max-200`: the relay plays this match at 200 % at most. */
export type Denial = (typeof denials)[number] | `speed-max-${number}`

/**
 * Who somebody is in a match: sits in a seat, only receives, or runs the game without playing it and
 * says what its state is.
 */
export const roles = ['player', 'spectator', 'witness'] as const

/** The role of a member: player, spectator or witness. */
export type Role = (typeof roles)[number]
