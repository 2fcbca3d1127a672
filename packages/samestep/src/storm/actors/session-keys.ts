import type { Prng } from '../../base/prng.ts'
import { secretBytes, ticketBytes } from '../../wire/messages/return-proof.ts'

/** What names a session. A driver takes it from the machine's own randomness. */
export function randomTicket(prng: Prng): Uint8Array {
  return Uint8Array.from({ length: ticketBytes }, () => prng.below(256))
}

/** What a client proves with that a session is its own. */
export function randomSecret(prng: Prng): Uint8Array {
  return Uint8Array.from({ length: secretBytes }, () => prng.below(256))
}
