import { assert } from '../base/assert.ts'
import { seatsMax } from '../sim/limits.ts'
import { countdownMsMax, loadMsMax, spectatorsMax } from '../wire/limits.ts'

/** What a lobby is made with. */
export interface LobbyRules {
  readonly seats: number
  /**
   * `when-full`: runs as soon as every seat that is not locked is taken, or at its owner's word;
   * nobody is asked anything, and nobody waits for others to load.
   * `when-ready`: starts when all players are ready, or by its owner once all others are.
   * `by-owner`: starts when its owner says so.
   */
  readonly start: 'when-full' | 'when-ready' | 'by-owner'
  readonly playersMin: number
  readonly countdownMs: number
  /** How long a client may load without progress, and how long loading may take in all. */
  readonly loadIdleMs: number
  readonly loadMs: number
  /** When somebody drops while loading: back to the lobby, or on without him (JOIN-07). */
  readonly onLoadDrop: 'abort' | 'continue'
  readonly lateJoin: LateJoin
  readonly visibility: Visibility
  readonly spectatorsMax: number
  /** How long a lobby without anybody is kept for somebody to come back (DIS-12). */
  readonly emptyMs: number
}

/** Who may still come while the match runs. */
export type LateJoin = 'players' | 'spectators' | 'nobody'

/** Who finds a match: everybody, whoever has its name, or only this machine. */
export type Visibility = 'public' | 'unlisted' | 'local'

/** The simple case: as many players as seats, and off it goes. */
export const lobbyRulesDefault: Omit<LobbyRules, 'seats'> = {
  start: 'when-full',
  playersMin: 1,
  countdownMs: 3_000,
  loadIdleMs: 30_000,
  loadMs: 180_000,
  onLoadDrop: 'abort',
  lateJoin: 'players',
  visibility: 'unlisted',
  spectatorsMax,
  emptyMs: 0,
}

/** What is wrong with rules that a stranger sent; `undefined` when nothing is. */
export function checkLobbyRules(rules: LobbyRules): string | undefined {
  const bounds = {
    seats: [1, seatsMax],
    playersMin: [1, rules.seats],
    countdownMs: [0, countdownMsMax],
    loadIdleMs: [1_000, loadMsMax],
    loadMs: [1_000, loadMsMax],
    spectatorsMax: [0, spectatorsMax],
    emptyMs: [0, loadMsMax],
  } as const
  for (const [name, [min, max]] of Object.entries(bounds)) {
    const value = rules[name as keyof typeof bounds]
    const isWithin = Number.isInteger(value) && value >= min && value <= max
    if (!isWithin) return `${name} is ${value}; it must be ${min} to ${max}`
  }
  return undefined
}

/** Somebody in a lobby or match. */
export interface Member {
  /** The number of the session. */
  readonly id: number
  readonly name: string
  role: 'player' | 'spectator'
  seat: number | undefined
  team: number
  isReady: boolean
  /** 0 to 100. */
  loadProgress: number
  isConnected: boolean
  /** When it last got further with loading. */
  progressAtMs: number
}

/** The progress of who has loaded. */
export const loaded = 100

/** Where a match stands. */
export type LobbyPhase =
  | { readonly name: 'lobby'; closesAtMs: number }
  | { readonly name: 'loading'; endsAtMs: number }
  | { readonly name: 'countdown'; endsAtMs: number }
  | { readonly name: 'running' }
  | { readonly name: 'ended' }

/** What is left of a time, as a message can tell it: a standstill may have made it longer. */
export function tellMs(leftMs: number): number {
  return Math.min(Math.max(Math.ceil(leftMs), 0), loadMsMax)
}

/** What a member asks for. */
export type LobbyAction =
  | { readonly type: 'take-seat'; readonly seat: number }
  /** Becomes a spectator. */
  | { readonly type: 'leave-seat' }
  | { readonly type: 'choose-team'; readonly team: number }
  /** Ready for the options of that revision, and for no others. */
  | { readonly type: 'set-ready'; readonly isReady: boolean; readonly optionsRevision: number }
  | { readonly type: 'report-load'; readonly progress: number }
  /** All below only by the owner. */
  | { readonly type: 'set-options'; readonly options: Uint8Array }
  | { readonly type: 'lock-seat'; readonly seat: number; readonly isLocked: boolean }
  | { readonly type: 'kick'; readonly member: number }
  | { readonly type: 'give-ownership'; readonly member: number }
  | { readonly type: 'set-visibility'; readonly visibility: Visibility }
  | { readonly type: 'set-late-join'; readonly lateJoin: LateJoin }
  | { readonly type: 'start' }
  /** Back to the lobby, while loading or counting down. */
  | { readonly type: 'cancel' }

/** What members ask for themselves. */
export type OwnAction = Extract<
  LobbyAction,
  { type: 'take-seat' | 'leave-seat' | 'choose-team' | 'set-ready' | 'report-load' }
>

/** What only the owner may ask for. */
export type OwnerAction = Exclude<LobbyAction, OwnAction>

const ownActions: ReadonlySet<LobbyAction['type']> = new Set<OwnAction['type']>([
  'take-seat',
  'leave-seat',
  'choose-team',
  'set-ready',
  'report-load',
])

/** Whether an action is the owner's. */
export function isForOwner(action: LobbyAction): action is OwnerAction {
  return !ownActions.has(action.type)
}

/** Why a wish is not granted. */
export type LobbyRefusal =
  | 'unknown-member'
  | 'not-owner'
  /** Not in this phase of a match. */
  | 'wrong-phase'
  /** Only for players. */
  | 'not-player'
  | 'no-such-seat'
  | 'seat-taken'
  | 'seat-locked'
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
  | { readonly type: 'owner'; readonly member: number | undefined }
  /** It is out already; close its session. */
  | { readonly type: 'kicked'; readonly member: number; readonly seat: number | undefined }
  | { readonly type: 'load-timeout'; readonly member: number; readonly seat: number | undefined }
  | { readonly type: 'aborted'; readonly why: 'dropped' | 'too-few' | 'cancelled' }

/** All of it, for a message. */
export interface LobbyView {
  readonly revision: number
  readonly phase: LobbyPhase['name']
  /** Of the countdown, or of the time for loading; 0 in other phases. */
  readonly remainingMs: number
  readonly optionsRevision: number
  readonly options: Uint8Array
  readonly visibility: Visibility
  readonly lateJoin: LateJoin
  readonly lockedSeats: readonly number[]
  readonly members: readonly MemberView[]
}

/** A member, for a message. */
export interface MemberView extends Readonly<Omit<Member, 'progressAtMs'>> {
  readonly isOwner: boolean
}

/** Makes rules of the few that differ from {@link lobbyRulesDefault}. */
export function lobbyRules(changes: Partial<LobbyRules> & { readonly seats: number }): LobbyRules {
  const rules = { ...lobbyRulesDefault, ...changes }
  const fault = checkLobbyRules(rules)
  assert(fault === undefined, `A lobby was made with bad rules: ${fault}`)
  return rules
}
