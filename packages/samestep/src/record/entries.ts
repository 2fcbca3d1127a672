import { orderBytesMax, seatsMax } from '../sim/limits.ts'
import type { StructField } from '../sim/schema/index.ts'
import {
  bool,
  bytes,
  i32,
  list,
  oneOf,
  optional,
  range,
  seat,
  struct,
  text,
  u32,
} from '../sim/schema/index.ts'
import { orderRefusals, roles } from '../wire/codes.ts'
import {
  chatBytesMax,
  identityBytesMax,
  inputAheadTicksMax,
  inputSlotsMax,
  loadMsMax,
  matchNameBytesMax,
  optionsBytesMax,
  pauseMsMax,
  playerNameBytesMax,
  spectatorsMax,
  speedPercentMax,
  witnessesMax,
} from '../wire/limits.ts'
import { matchConfig } from '../wire/messages/match-config.ts'
import { scopeWords, voteWords } from '../wire/messages/room-actions.ts'
import {
  lineBytes,
  markBytes,
  muteMsMax,
  snapshotPieceBytesMax,
  snapshotPiecesMax,
  strikeMsMax,
  strikesKeptMax,
} from './limits.ts'

/**
 * Everything that a record can say of a match, one entry each. Numbers are never reused, and files load
 * for ever: a field that comes later is `since` a version of the format, one that goes is `until` it.
 * `docs/record.md` has the bytes.
 */

const membersMax = seatsMax + spectatorsMax + witnessesMax

/** Where a pause came from. */
const pauseState = struct({
  by: oneOf(['player', 'owner', 'vote', 'relay']),
  seat: optional(seat),
  /** What was left of it when this was written; nothing for one without an end. */
  remainingMs: optional(range(0, pauseMsMax)),
})

/** A vote that is open. */
const voteState = struct({
  id: u32,
  kind: oneOf(voteWords),
  target: optional(seat),
  percent: range(0, speedPercentMax),
  proposer: seat,
  /** What each elector said, by seat. */
  ballots: list(struct({ seat, said: oneOf(['open', 'yes', 'no']) }), seatsMax),
  /** What was left of it when this was written. */
  remainingMs: range(0, loadMsMax),
})

/** Binds the number, the name and the fields of every entry that has fields. */
export const entryTypes = {
  /** A match begins, in this file: all that was said of it before is replaced by what follows. */
  match: {
    kind: 1,
    fields: struct({
      id: text(64),
      name: text(matchNameBytesMax),
      seed: text(32),
      gameId: text(63),
      gameVersion: u32,
      fingerprint: bytes(32),
      config: matchConfig,
    }),
  },
  // 2 is a bundle, below.
  /** Ticks that are not here. Told, never silent. */
  gap: {
    kind: 3,
    fields: struct({
      firstTick: u32,
      lastTick: u32,
      why: oneOf(['trimmed', 'lost']),
      /** The inputs of all seats as of the last of them, seat by seat: the next bundle builds on it. */
      inputs: list(u32, seatsMax * inputSlotsMax),
    }),
  },
  /** Somebody is in the match, or something about them changed. */
  member: {
    kind: 4,
    fields: struct({
      /** Counts those who came, from 0. */
      id: u32,
      name: text(playerNameBytesMax),
      /** What the player proves itself with when it comes back. */
      ticket: bytes(16),
      /** By which it shows that the ticket is its own; nothing where it never said one. */
      secret: optional(bytes(32)),
      role: oneOf(roles),
      seat: optional(seat),
      team: range(0, seatsMax - 1),
      isReady: bool,
      loadProgress: range(0, 100),
      /** The number of the order that comes next. */
      nextOrder: u32,
      /** Whether the owner of the match silenced it. */
      isMuted: bool,
      /** Whether it waits for its first state, and has not begun to play. */
      isNewcomer: bool,
      /** The seat that it may take back. */
      claim: optional(seat),
      /** Who it is, where somebody vouched for it. */
      identity: optional(text(identityBytesMax)),
      /** The last tick that it has in common with the match, where that was rebuilt since it was here. */
      rewindTick: optional(u32),
      /** The tick after which a single player gave it the state, unchecked. */
      givenTick: optional(u32),
    }),
  },
  /** Somebody is gone for good. */
  gone: { kind: 5, fields: struct({ member: u32 }) },
  /** Where the match stands, apart from its members and ticks. */
  room: {
    kind: 6,
    fields: struct({
      phase: oneOf(['lobby', 'loading', 'countdown', 'running', 'ended']),
      /** Of the countdown, or of the time for loading, when this was written. */
      remainingMs: range(0, loadMsMax),
      optionsRevision: u32,
      options: bytes(optionsBytesMax),
      visibility: oneOf(['public', 'unlisted', 'local']),
      lateJoin: oneOf(['players', 'spectators', 'nobody']),
      lockedSeats: list(seat, seatsMax),
      owner: optional(u32),
      /** How many came so far: the number of whoever comes next. */
      memberCount: u32,
      inputDelay: range(0, inputAheadTicksMax - 1),
      requestedPercent: range(0, speedPercentMax),
      effectivePercent: range(0, speedPercentMax),
      pause: optional(pauseState),
      /** Pauses that were used up, by seat; those of owners without a seat under none. */
      pauses: list(struct({ seat: optional(seat), count: range(0, 255) }), seatsMax + 1),
      /** Seats that a bot plays, and how often it has moved to another client. */
      bots: list(struct({ seat, runner: optional(u32), turn: u32 }), seatsMax),
      vote: optional(voteState),
      /** The number of the newest vote. */
      lastVote: u32,
      /** Votes that were proposed, by seat, and how long it was until the next, when this was written. */
      proposals: list(
        struct({ seat, count: range(0, 255), waitMs: range(0, loadMsMax) }),
        seatsMax,
      ),
    }),
  },
  /** Somebody said something. */
  said: {
    kind: 7,
    fields: struct({ member: u32, scope: oneOf(scopeWords), text: text(chatBytesMax) }),
  },
  /** An order was taken that the next tick had no room for: it waits. */
  taken: {
    kind: 8,
    /** The seat as in a bundle: below 0 for the relay and for spectators. */
    fields: struct({ seat: i32, number: u32, bytes: bytes(orderBytesMax) }),
  },
  /** An order was not taken. */
  refused: {
    kind: 9,
    fields: struct({
      member: u32,
      number: u32,
      reason: oneOf(orderRefusals as unknown as [string, ...string[]]),
    }),
  },
  /** The orders of a seat that waited will never run. */
  dropped: { kind: 10, fields: struct({ seat: i32 }) },
  // 11 are events that wait, below.
  /** The hash of a tick on which these seats agree. */
  hash: {
    kind: 12,
    fields: struct({
      tick: u32,
      of: oneOf(['sync', 'state']),
      hash: bytes(32),
      seats: list(seat, seatsMax),
    }),
  },
  /** A piece of the whole state at a tick. */
  snapshot: {
    kind: 13,
    fields: struct({
      tick: u32,
      stateHash: bytes(32),
      index: range(0, snapshotPiecesMax - 1),
      count: range(1, snapshotPiecesMax),
      bytes: bytes(snapshotPieceBytesMax),
    }),
  },
  /** Which line of the match's history this is: one for every relay that has gone on with it. */
  line: { kind: 14, fields: struct({ generation: u32, id: bytes(lineBytes) }) },
  /** The match is over. */
  end: {
    kind: 15,
    fields: struct({ reason: oneOf(['over', 'shutdown', 'broken']), lastTick: u32 }),
  },
  // 16 is a bundle that is kept, below.
  /** Somebody was removed, and may not come back while the match lasts. */
  kicked: { kind: 17, fields: struct({ mark: bytes(markBytes) }) },
  /** What a member broke the rules with lately, and how long a vote still silences it. */
  conduct: {
    kind: 18,
    fields: struct({
      member: u32,
      /** How long ago each strike was, in ms, when this was written. */
      strikes: list(range(0, strikeMsMax), strikesKeptMax),
      muteMs: range(0, muteMsMax),
    }),
  },
  /** Somebody left who was silenced: it is when it comes back. */
  silenced: {
    kind: 19,
    fields: struct({
      /** What the mark is made of. */
      of: oneOf(['identity', 'ticket']),
      mark: bytes(markBytes),
      isMuted: bool,
      muteMs: range(0, muteMsMax),
    }),
  },
} as const

/** Entries whose bytes are not fields. */
export const rawKinds = {
  /** The bundle of the next tick, exactly as it was sealed. */
  bundle: 2,
  /** System events that wait for the next tick, as a bundle with nothing else in it. */
  waiting: 11,
  /** A bundle of the ticks before the end of the gap in front of it, for who still has to get it. */
  kept: 16,
} as const

/** The most members that a record keeps at once. */
export const recordMembersMax = membersMax

/** The name of an entry that has fields. */
export type FieldEntryName = keyof typeof entryTypes

/** The name of any entry. */
export type EntryName = FieldEntryName | keyof typeof rawKinds

/** What an entry with fields holds. */
export type EntryBody<N extends FieldEntryName> =
  (typeof entryTypes)[N]['fields'] extends StructField<infer T> ? T : never

/** One entry of a record. */
export type RecordEntry =
  | { [N in FieldEntryName]: { readonly name: N; readonly body: EntryBody<N> } }[FieldEntryName]
  | {
      [N in keyof typeof rawKinds]: { readonly name: N; readonly body: Uint8Array }
    }[keyof typeof rawKinds]
