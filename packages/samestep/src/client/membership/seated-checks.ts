import { WireError } from '../../base/errors.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'

/** @throws WireError for a number of seats that the game is not for. */
export function checkSeats(
  game: { readonly seats: { readonly min: number; readonly max: number } },
  seats: number,
): void {
  if (seats >= game.seats.min && seats <= game.seats.max) return
  throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot accept a match of ${seats} seats`)
}

/** Whether a match was launched anew, otherwise, since it was set up; `hasBegun` when ticks have run. */
export function isLaunchedAnew(
  known: MessageBody<'RelaySeated'>,
  told: MessageBody<'RelaySeated'>,
  hasBegun: boolean,
): boolean {
  const { options } = told.config
  const isSame =
    known.config.options.length === options.length &&
    known.config.options.every((byte, index) => byte === options[index])
  // Once ticks run, seats change hands in them: another one comes with its tick, or before a state.
  return !isSame || (known.seat !== told.seat && !hasBegun)
}
