/**
 * How a relay that was restarted says "I do not know you any more", so that its players come back at
 * once instead of after a minute of silence (F-16). Anybody could say that (T-10), so each session is
 * told a token when it begins, encrypted; who knows it is the relay, before and after.
 *
 *     token = HMAC-SHA256(key made from the relay's secret one, number of the session ‖ address of the
 *             client), 16 bytes
 *
 * With the address, because everybody is told the token of whatever session he asks for: a relay that
 * keeps its key for years would give away those of all sessions to come. Without the port, because
 * routers forget that first. Whoever moves to another address learns of a restart by silence.
 *
 * Two relays that run at the same time must not share a secret key: each would reset the other's
 * sessions for whoever asks.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { resetTokenBytes } from './limits.ts'

/** Makes the tokens of one relay. */
export class ResetTokens {
  readonly #key: Uint8Array

  /** `secretKey` is the relay's own: it has one purpose more, under another name. */
  constructor(secretKey: Uint8Array) {
    this.#key = createHmac('sha256', secretKey).update('samestep udp reset').digest()
  }

  /** The token of a session, for the address from which it began. */
  of(sessionId: number, address: string): Uint8Array {
    const id = new Uint8Array(4)
    new DataView(id.buffer).setUint32(0, sessionId, true)
    const mac = createHmac('sha256', this.#key).update(id).update(address, 'latin1').digest()
    return mac.subarray(0, resetTokenBytes)
  }
}

/** Whether two tokens are the same, in a time that tells nothing. */
export function isSameToken(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
