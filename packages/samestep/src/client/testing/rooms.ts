import type { MessageBody } from '../../wire/messages/messages.ts'
import { optionBytes } from './counter.ts'

/** Who the client is in its room. */
export const ownMember = 4

/** Somebody in a match. */
export type RoomMember = MessageBody<'RelayRoom'>['members'][number]

/** A match with the client and somebody else in it. */
export function roomOf(
  phase: MessageBody<'RelayRoom'>['phase'],
  own: Partial<RoomMember> = {},
  other: Partial<RoomMember> = {},
): MessageBody<'RelayRoom'> {
  const plain = {
    role: 'player' as const,
    team: 0,
    isReady: false,
    loadProgress: 0,
    presence: 'active' as const,
    isAfk: false,
    claim: undefined,
  }
  return {
    revision: 1,
    phase,
    remainingMs: 0,
    optionsRevision: 1,
    options: optionBytes(3),
    visibility: 'unlisted',
    lateJoin: 'players',
    lockedSeats: [],
    waitingFor: [],
    isHalted: false,
    members: [
      { ...plain, id: ownMember, name: 'ada', seat: 0, isOwner: true, ...own },
      { ...plain, id: 5, name: 'ben', seat: 1, isOwner: false, ...other },
    ],
  }
}

/** As {@link roomOf}, with the options as a game sees them. */
export function shownRoom(...room: Parameters<typeof roomOf>) {
  return { ...roomOf(...room), options: { start: 3 } }
}

/** How everybody fares in a match of which nothing is known. */
export const calmStats: MessageBody<'RelayStats'> = {
  inputDelay: 3,
  requestedPercent: 100,
  effectivePercent: 100,
  comparedTick: 0,
  mismatches: 0,
  seats: [],
}
