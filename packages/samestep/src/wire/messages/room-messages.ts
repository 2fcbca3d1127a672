import { seatsMax } from '../../sim/limits.ts'
import {
  bool,
  bytes,
  list,
  oneOf,
  optional,
  range,
  seat,
  struct,
  text,
  u32,
} from '../../sim/schema/index.ts'
import { presences, roles } from '../codes.ts'
import {
  chatBytesMax,
  loadMsMax,
  optionsBytesMax,
  playerNameBytesMax,
  spectatorsMax,
  speedPercentMax,
  witnessesMax,
} from '../limits.ts'
import { actFields, lateJoins, scopeWords, visibilities, voteWords } from './room-actions.ts'

/** Somebody in a match, as the others see him. */
const member = struct({
  /** Counts those who came, from 0. */
  id: u32,
  name: text(playerNameBytesMax),
  role: oneOf(roles),
  seat: optional(seat),
  team: range(0, seatsMax - 1),
  isReady: bool,
  isOwner: bool,
  loadProgress: range(0, 100),
  presence: oneOf(presences),
  /** Whether it has done nothing for as long as the match allows. */
  isAfk: bool,
  /** The seat that it may take back: it sat there before. */
  claim: optional(seat),
})

/** What is said about the match by the people in it, and to them. */
export const roomMessages = {
  /** Asks for something beside orders: the lobby, chat, pace, votes, bots. */
  ClientAct: { number: 9, fields: actFields },
  /** All about the match and who is in it: on change, and now and then as a sign of life. */
  RelayRoom: {
    number: 10,
    fields: struct({
      revision: u32,
      phase: oneOf(['lobby', 'loading', 'countdown', 'running', 'ended']),
      /** Of the countdown, or of the time for loading. */
      remainingMs: range(0, loadMsMax),
      optionsRevision: u32,
      options: bytes(optionsBytesMax),
      visibility: oneOf(visibilities),
      lateJoin: oneOf(lateJoins),
      lockedSeats: list(seat, seatsMax),
      /** Seats whose inputs the match is waiting for, under the policy `wait`. */
      waitingFor: list(seat, seatsMax),
      /** Whether the match is halted by a desync. */
      isHalted: bool,
      members: list(member, seatsMax + spectatorsMax + witnessesMax),
    }),
  },
  /** The match is about to begin with these options: load it, and say how far you are. */
  RelayLaunch: {
    number: 11,
    fields: struct({ options: bytes(optionsBytesMax), seat: optional(seat) }),
  },
  /** Somebody said something. */
  RelaySaid: {
    number: 12,
    fields: struct({ member: u32, scope: oneOf(scopeWords), text: text(chatBytesMax) }),
  },
  /** Where a vote stands. */
  RelayVote: {
    number: 13,
    fields: struct({
      id: u32,
      kind: oneOf(voteWords),
      target: optional(seat),
      percent: range(0, speedPercentMax),
      proposer: seat,
      yes: range(0, seatsMax),
      no: range(0, seatsMax),
      electors: range(0, seatsMax),
      needed: range(0, seatsMax),
      remainingMs: range(0, loadMsMax),
      state: oneOf(['open', 'passed', 'denied', 'timeout', 'target-left']),
    }),
  },
  /** A wish that was not granted. */
  RelayDenied: { number: 14, fields: struct({ action: text(16), reason: text(24) }) },
} as const
