import type { GameOptions, GameShape } from '../../sim/game/context.ts'
import type { Game } from '../../sim/game/define-game.ts'
import { makeOptions } from '../../sim/game/simulation-options.ts'
import { encodeRecord } from '../../sim/schema/index.ts'
import type { RoomAction } from '../../wire/room-actions.ts'

/**
 * Everything that a member of a match of the game `G` can ask for: see {@link RoomAction}. Options are
 * the game's own; those that are not named stay as they are.
 */
export type MatchAction<G extends Partial<GameShape> = GameShape> =
  | Exclude<RoomAction, { readonly type: 'set-options' }>
  | { readonly type: 'set-options'; readonly options: Partial<GameOptions<G>> }

/**
 * The action as it is sent. `current` are the options that the named ones are changes to.
 *
 * @throws UsageError `SS_BAD_VALUE` for options that are none of the game.
 */
export function toRoomAction<G extends GameShape, R>(
  game: Game<G, R>,
  action: MatchAction<G>,
  current: object,
): RoomAction {
  // What is missing is told by who checks all actions.
  if (action?.type !== 'set-options' || action.options === undefined) return action as RoomAction
  const named: unknown = action.options
  if (typeof named !== 'object' || named === null) game.optionsCodec.check(named, 'options')
  const options = makeOptions(game, { ...current, ...action.options })
  return { type: 'set-options', options: encodeRecord(game.optionsCodec, options as never) }
}
