import type { GameOptions, GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { makeOptions } from '../../sim/game/run/simulation-options.ts'
import { encodeRecord } from '../../sim/schema/index.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'

/** A proposal to vote on: about a seat, about the pace, or about the speed in percent. */
export type VoteAction =
  | { readonly type: 'propose'; readonly vote: 'kick' | 'mute'; readonly target: number }
  | { readonly type: 'propose'; readonly vote: 'pause' | 'resume' }
  | { readonly type: 'propose'; readonly vote: 'speed'; readonly percent: number }

/**
 * Everything that a member of a match of the game `G` can request: see {@link RoomAction}. Options have the
 * game's types; those not named keep their values.
 */
export type MatchAction<G extends Partial<GameShape> = GameShape> =
  | Exclude<RoomAction, { readonly type: 'set-options' | 'set-ready' | 'propose' }>
  | { readonly type: 'set-options'; readonly options: Partial<GameOptions<G>> }
  /** Ready for the options as they are now, or as of the given revision. */
  | { readonly type: 'set-ready'; readonly isReady: boolean; readonly optionsRevision?: number }
  | VoteAction

/**
 * The action as it is sent. `current` are the options that the named ones are changes to, and
 * `optionsRevision` is which options they are.
 *
 * @throws UsageError `SS_BAD_VALUE` for options that are none of the game.
 */
export function toRoomAction<G extends GameShape, R>(
  game: Game<G, R>,
  action: MatchAction<G>,
  current: object,
  optionsRevision: number,
): RoomAction {
  if (action?.type === 'set-ready') return { optionsRevision, ...action }
  // A vote has room for both on the wire, and uses one of them at the most.
  if (action?.type === 'propose') return { ...unusedOf(action.vote), ...action } as RoomAction
  // What is missing is told by who checks all actions.
  if (action?.type !== 'set-options' || action.options === undefined) return action as RoomAction
  const named: unknown = action.options
  if (typeof named !== 'object' || named === null) game.optionsCodec.check(named, 'options')
  const options = makeOptions(game, { ...current, ...action.options })
  return { type: 'set-options', options: encodeRecord(game.optionsCodec, options as never) }
}

/** What a vote has no use for. What it needs is not filled in: one that lacks it is refused. */
function unusedOf(vote: VoteAction['vote']): {
  readonly target?: number
  readonly percent?: number
} {
  if (vote === 'kick' || vote === 'mute') return { percent: 0 }
  return vote === 'speed' ? { target: 0 } : { target: 0, percent: 0 }
}
