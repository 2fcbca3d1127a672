import type { Speech } from '../../room/speech.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { Session } from './session.ts'

/**
 * What those who left a match may still say, should they come back: leaving and joining again must
 * neither end a mute nor refill a budget of chat (T-57).
 *
 *     same identity, or same ticket   the same speech, with its mutes
 *     same address                    no more lines than whoever left last: several people may be behind it
 */
export class PastSpeech {
  readonly #byIdentity = new Map<string, Speech>()
  readonly #byTicket = new Map<string, Speech>()
  readonly #byAddress = new Map<string, Speech>()

  /** Somebody is gone. Who was never silenced and has all lines left need not be remembered. */
  keep({ member, ticket, visitor }: Session, nowMs: number): void {
    const { speech } = member
    if (speech.isFresh(nowMs)) return
    const { identity, address } = visitor
    if (identity !== undefined) put(this.#byIdentity, identity, speech)
    else put(this.#byTicket, toHex(ticket), speech)
    if (address === undefined) return
    const before = this.#byAddress.get(address)?.linesLeft(nowMs) ?? Number.POSITIVE_INFINITY
    if (speech.linesLeft(nowMs) < before) put(this.#byAddress, address, speech)
  }

  /** Somebody came: it speaks as whoever it was before. */
  recall({ member, ticket, visitor }: Session, nowMs: number): void {
    const { identity, address } = visitor
    const same =
      identity === undefined ? this.#byTicket.get(toHex(ticket)) : this.#byIdentity.get(identity)
    const near = address === undefined ? undefined : this.#byAddress.get(address)
    const speech = same ?? near?.copyLines(nowMs)
    if (speech !== undefined && !speech.isFresh(nowMs)) member.speech = speech
  }
}

function put(map: Map<string, Speech>, key: string, speech: Speech): void {
  map.delete(key)
  map.set(key, speech)
  for (const oldest of map.keys()) {
    if (map.size <= pastMax) return
    map.delete(oldest)
  }
}

/** Of each kind in one match: as many as ever sit and watch there. The oldest are forgotten. */
const pastMax = 256
