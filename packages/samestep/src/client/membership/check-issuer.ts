import { UsageError } from '../../base/errors.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { noSeat } from './require-seat.ts'

/**
 * Whether somebody in that seat, or without one, may issue an order: what the relay would refuse, or
 * strike for, is an error at once.
 *
 * @throws UsageError `SS_NOT_SEATED` for a spectator, `SS_BAD_ORDER` for what players do not issue.
 */
export function checkIssuer<G extends GameShape, R>(
  game: Game<G, R>,
  bytes: Uint8Array,
  seat: number | undefined,
): void {
  const type = game.orderCodec.typeOf(bytes)
  const by = type?.by ?? 'player'
  if (by === 'everybody') return
  if (by === 'relay') {
    throw new UsageError('SS_BAD_ORDER', `Cannot issue order '${type?.name}': only the relay may`)
  }
  if (by === 'player' && seat === undefined) throw noSeat('issue an order', 'match')
  if (by === 'spectator' && seat !== undefined) {
    throw new UsageError('SS_BAD_ORDER', `Cannot issue order '${type?.name}': only spectators may`)
  }
}
