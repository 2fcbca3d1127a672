import { UsageError } from '../base/errors.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'

/**
 * The bytes of an order that only the relay issues.
 *
 * @throws UsageError `SS_BAD_ORDER` for an order that others issue, `SS_BAD_VALUE` for data that does
 * not fit.
 */
export function encodeRelayOrder<G extends GameShape, R>(
  game: Game<G, R>,
  name: string,
  data: unknown,
): Uint8Array {
  const bytes = game.orderCodec.encode(name, data)
  if (game.orderCodec.typeOf(bytes)?.by === 'relay') return bytes
  throw new UsageError(
    'SS_BAD_ORDER',
    `Cannot issue order '${name}' as the relay: it is not declared with by: 'relay'`,
  )
}
