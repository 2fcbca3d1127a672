import { hmacSha256 } from '../../sim/hash/hmac.ts'
import { bool, bytes, struct } from '../../sim/schema/index.ts'

/**
 * How a client proves that a session is its own (T-68). A ticket names a session, and everybody who ever
 * saw one of its joins knows it. The secret goes over the wire once, with the first join:
 *
 *     first join      ticket, secret ──►               the relay keeps both
 *     return          ticket ──►  ◄── nonce            the relay draws a new one for every link
 *                     HMAC(secret, "…" ‖ nonce ‖ ticket) ──►
 *
 * An answer is of no use on another link, where the nonce is another.
 */

/** Bytes of a ticket, of a secret and of a nonce: too many to guess, or to meet twice. */
export const ticketBytes = 16
export const secretBytes = 32
export const nonceBytes = 16
export const proofBytes = 32

/** What whoever comes back answers. */
export const proofFields = struct({
  proof: bytes(proofBytes),
  /** Whether the link that carries the session works, and this one is to take over from it. */
  isMove: bool,
})

/** Keeps these proofs apart from whatever else a secret may ever sign. */
const purpose = Uint8Array.from('samestep/1 return', (letter) => letter.charCodeAt(0))

/** The answer to a relay's question who we are. */
export function makeReturnProof(
  secret: Uint8Array,
  nonce: Uint8Array,
  ticket: Uint8Array,
): Uint8Array {
  const message = new Uint8Array(purpose.length + nonce.length + ticket.length)
  message.set(purpose)
  message.set(nonce, purpose.length)
  message.set(ticket, purpose.length + nonce.length)
  return hmacSha256(secret, message)
}

/** Whether two byte strings are the same, in a time that does not tell where they differ. */
export function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] as number)
  return difference === 0
}
