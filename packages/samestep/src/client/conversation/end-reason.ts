import type { CloseReason } from '../../wire/codes.ts'
import { closeCodes } from '../../wire/codes.ts'

/** Why a client's session is over: the relay's reason, or one of this side. */
export type EndReason =
  | CloseReason
  /** The game's `setup` threw, or this engine cannot run the game. */
  | 'setup-failed'
  /** The relay refused with a word that this version does not know; the message says more. */
  | 'refused'

/** A relay's word for it. Refusals are read by every version, so one may come from a later one. */
export function readEndReason(word: string): EndReason {
  return Object.hasOwn(closeCodes, word) ? (word as CloseReason) : 'refused'
}
