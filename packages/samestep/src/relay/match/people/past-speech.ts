import { silencedMarksMax } from '../../../record/limits.ts'
import { Speech } from '../../../room/speech.ts'
import { fromHex, toHex } from '../../../sim/hash/hex.ts'
import type { Session } from '../session.ts'
import { personMark } from './person-mark.ts'

/**
 * What those who left a match may still say, should they come back: leaving and joining again must
 * neither end a mute nor refill a budget of chat (T-57).
 *
 *     same identity, or same ticket   the same speech, with its mutes
 *     same address                    no more lines than whoever left last: several people may be behind it
 */
export class PastSpeech {
  /** Apart, so that a crowd of strangers with tickets makes nobody forgotten who has an account. */
  readonly #byMark: Readonly<Record<PastSilence['of'], Map<string, Speech>>> = {
    identity: new Map(),
    ticket: new Map(),
  }
  readonly #byAddress = new Map<string, Speech>()
  #revision = 0

  /** Changes whenever somebody is gone who is remembered. */
  get revision(): number {
    return this.#revision
  }

  /** Those who are gone and may not say anything, the oldest first. */
  silenced(nowMs: number): PastSilence[] {
    return (['identity', 'ticket'] as const).flatMap((of) => {
      return [...this.#byMark[of]].flatMap(([mark, speech]) => {
        if (!speech.isMuted(nowMs)) return []
        const muteMs = speech.voteMuteMs(nowMs)
        return [{ of, mark: fromHex(mark), isMuted: speech.isMutedByOwner, muteMs }]
      })
    })
  }

  /** Goes on where another relay was. */
  restore(past: readonly PastSilence[], nowMs: number): void {
    for (const { of, mark, isMuted, muteMs } of past) {
      const speech = new Speech(nowMs)
      if (isMuted) speech.mute('owner', Number.POSITIVE_INFINITY)
      speech.mute('vote', nowMs + muteMs)
      put(this.#byMark[of], toHex(mark), speech)
    }
  }

  /** Somebody is gone. Who was never silenced and has all lines left need not be remembered. */
  keep({ member, ticket, visitor }: Session, nowMs: number): void {
    const { speech } = member
    if (speech.isFresh(nowMs)) return
    const { identity, address } = visitor
    if (identity !== undefined) {
      put(this.#byMark.identity, personMark('identity', identity), speech)
    } else put(this.#byMark.ticket, personMark('ticket', ticket), speech)
    this.#revision += 1
    if (address === undefined) return
    const before = this.#byAddress.get(address)?.linesLeft(nowMs) ?? Number.POSITIVE_INFINITY
    if (speech.linesLeft(nowMs) < before) put(this.#byAddress, address, speech)
  }

  /** Somebody came: it speaks as whoever it was before. */
  recall({ member, ticket, visitor }: Session, nowMs: number): void {
    const { identity, address } = visitor
    const same =
      identity === undefined
        ? this.#byMark.ticket.get(personMark('ticket', ticket))
        : this.#byMark.identity.get(personMark('identity', identity))
    const near = address === undefined ? undefined : this.#byAddress.get(address)
    const speech = same ?? near?.copyLines(nowMs)
    if (speech !== undefined && !speech.isFresh(nowMs)) member.speech = speech
  }
}

/** Somebody who is gone and was silenced, for the record. */
export interface PastSilence {
  /** By what it is known. */
  readonly of: 'identity' | 'ticket'
  readonly mark: Uint8Array
  /** Whether the owner of the match silenced it. */
  readonly isMuted: boolean
  /** How long a vote still silences it. */
  readonly muteMs: number
}

function put(map: Map<string, Speech>, key: string, speech: Speech): void {
  map.delete(key)
  map.set(key, speech)
  for (const oldest of map.keys()) {
    if (map.size <= silencedMarksMax) return
    map.delete(oldest)
  }
}
