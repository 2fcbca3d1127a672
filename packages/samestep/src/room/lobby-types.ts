import { loadMsMax } from '../wire/limits.ts'
import type { LobbyConfig } from '../wire/messages/match-config.ts'
import type { MessageBody } from '../wire/messages/messages.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import type { Member, SeatRefusal } from './members.ts'

/** What a lobby is made with: what its creator chose, and what whoever runs the relay decided. */
export interface LobbyRules extends LobbyConfig {
  /** How long one that an operator made is kept while it is empty, from its beginning on. */
  readonly keptMs?: number
  /** The most bytes of options; what a message can carry when left out. */
  readonly optionsBytesMax?: number
}

export type { Role } from '../wire/codes.ts'

/** Who may still come while the match runs. */
export type LateJoin = LobbyConfig['lateJoin']

/** Who finds a match: everybody, whoever has its name, or only this machine. */
export type Visibility = LobbyConfig['visibility']

/** Where a match stands. */
export type LobbyPhase =
  | { readonly name: 'lobby'; closesAtMs: number }
  | { readonly name: 'loading' }
  | { readonly name: 'countdown'; readonly endsAtMs: number }
  /** `endsAtMs` while only spectators are left, who have yet to see the end. */
  | { readonly name: 'running'; endsAtMs: number }
  | { readonly name: 'ended' }

/** What is left of a time, as a message can tell it: a standstill may have made it longer. */
export function tellMs(leftMs: number): number {
  return Math.min(Math.max(Math.ceil(leftMs), 0), loadMsMax)
}

const ownTypes = ['take-seat', 'leave-seat', 'choose-team', 'set-ready', 'report-load'] as const

/** What members ask for themselves. */
export type OwnAction = Extract<RoomAction, { type: (typeof ownTypes)[number] }>

/** What only the owner may ask for. */
export type OwnerAction = Extract<
  RoomAction,
  {
    type:
      | 'set-options'
      | 'lock-seat'
      | 'kick'
      | 'give-ownership'
      | 'set-visibility'
      | 'set-late-join'
      | 'start'
      | 'cancel'
  }
>

/** What the lobby decides about; everything else that a member asks for is the room's. */
export type LobbyAction = OwnAction | OwnerAction

const ownActions: ReadonlySet<string> = new Set(ownTypes)

/** Whether an action is the owner's. */
export function isForOwner(action: LobbyAction): action is OwnerAction {
  return !ownActions.has(action.type)
}

/** Why a wish is not granted. */
export type LobbyRefusal =
  | SeatRefusal
  /** The place of this member was decided when it was let in. */
  | 'assigned'
  | 'unknown-member'
  | 'not-owner'
  /** Not in this phase of a match. */
  | 'wrong-phase'
  /** Only for players. */
  | 'not-player'
  /** No seat, or no place to watch from, is free. */
  | 'full'
  /** The match is running and takes nobody more of that role. */
  | 'closed'
  /** The match is just starting: ask again when it runs. */
  | 'starting'
  | 'too-few-players'
  | 'not-ready'
  /** The options were changed meanwhile: look at them first. */
  | 'stale-options'
  | 'too-large'
  | 'bad-value'

/** What whoever runs the lobby must know. Other changes only raise its revision. */
export type LobbyEvent =
  | { readonly type: 'phase'; readonly phase: LobbyPhase['name']; readonly atMs: number }
  | { readonly type: 'owner'; readonly member: Member | undefined }
  /** End this member's session: the owner wants it so, or loading took too long. */
  | { readonly type: 'kicked' | 'load-timeout'; readonly member: Member }
  | { readonly type: 'aborted'; readonly why: 'dropped' | 'too-few' | 'cancelled' }

/** All of it, for a message. */
export type LobbyView = Omit<MessageBody<'RelayRoom'>, 'waitingFor' | 'isHalted'>
