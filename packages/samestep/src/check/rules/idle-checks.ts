/** Checks that have nothing to look at in a game. They are not passed, they are not made. */
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CheckSettings } from '../check-options.ts'
import type { CheckId } from '../lanes/lane.ts'

/** The checks that cannot find anything in this game, and why. */
export function idleChecks(
  game: Game,
  { draw }: Pick<CheckSettings, 'draw'>,
): { readonly [id in CheckId]?: string } {
  const { definition, orderCodec, inputCodec } = game
  const kinds = new Set(Object.values(definition.state).map(({ kind }) => kind))
  const hasOrders = orderCodec.types.length > 0
  const hasInputs = Object.keys(inputCodec.fields).length > 0
  const hasCells = kinds.has('table') || kinds.has('single') || kinds.has('queue')
  const hasObjects = kinds.has('custom') || kinds.has('plain')
  return {
    ...(draw === undefined ? { viewer: 'the file exports no draw' } : {}),
    ...(definition.validate === undefined ? { pure: 'the game has no validate' } : {}),
    ...(definition.derived === undefined ? { derived: 'the game has no derived data' } : {}),
    ...(hasObjects ? {} : { order: 'the state has no objects of its own' }),
    ...(kinds.has('custom') ? {} : { nan: 'the state has no custom part' }),
    ...(hasOrders || hasInputs ? {} : { canonical: 'the game has neither orders nor inputs' }),
    ...(kinds.has('table') ? {} : { full: 'the state has no table' }),
    ...(hasCells ? {} : { cells: 'the state has no columns' }),
  }
}
