import { WireError } from '../../base/errors.ts'
import type { EntryBody } from '../../record/entries.ts'
import { MatchHistories } from '../../record/match-histories.ts'
import type { MatchHistory } from '../../record/match-history.ts'
import { RecordReader } from '../../record/reader.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { historyBytesMax, unpackHistory } from '../../wire/messages/recovery.ts'
import { areSameBytes, makeReturnProof } from '../../wire/messages/return-proof.ts'
import type { CapsuleCipher } from './capsule-cipher.ts'
import type { Returned } from './rebuild.ts'
import { playingSeats, rebuild } from './rebuild.ts'

/** Somebody who gives back what it has; its bundles are still coming. */
export interface Giver {
  readonly match: string
  readonly member: number
  readonly backTick: number
}

type Part = Giver & {
  readonly returned: Omit<Returned, 'bundles'> & { readonly bundles: Uint8Array[] }
  readonly count: number
  bytes: number
  isWhole: boolean
}

type Recovery = { readonly sinceMs: number; readonly parts: Map<number, Part> }

/**
 * Matches that this relay does not know, and whose members come back: what they give is gathered until
 * it can be decided how far the match went.
 *
 *     first member ──► all seats are back                        ──► at once
 *                  ──► 3 s: more than half of the seats are      ──► with those
 *                  ──► 10 s: a match of two, and one is back     ──► alone (T-98)
 *                  ──► 30 s                                      ──► it is lost
 *
 * Nothing is kept for anybody who has not proved to be a member, by a capsule that a relay with the same
 * key sealed and by the secret in it.
 */
export class Recoveries {
  readonly #cipher: CapsuleCipher
  readonly #byName = new Map<string, Recovery>()
  /** Ids of matches that ended here: whoever comes back to one is too late. */
  readonly #ended = new Set<string>()
  #bytes = 0

  constructor(cipher: CapsuleCipher) {
    this.#cipher = cipher
  }

  /** Whether a match of that name is being put together. */
  has(name: string): boolean {
    return this.#byName.has(name)
  }

  /** A match is over, and stays so. */
  noteEnded(id: string): void {
    this.#ended.add(id)
    for (const oldest of this.#ended) {
      if (this.#ended.size <= endedMax) return
      this.#ended.delete(oldest)
    }
  }

  /** Matches that are being put together, for limits and leak checks. */
  get size(): number {
    return this.#byName.size
  }

  /**
   * Takes in what somebody says that it has, of a match that nobody knows. Gives nothing for who proves
   * nothing: bytes and proof are a stranger's.
   */
  begin(
    join: Pick<MessageBody<'ClientJoin'>, 'match' | 'ticket' | 'nextTick'>,
    nonce: Uint8Array,
    body: MessageBody<'ClientRecover'>,
    nowMs: number,
  ): Giver | undefined {
    const text = this.#cipher.open(body.capsule)
    const history = text && readCapsule(text)
    const member = history && memberWith(history, join.ticket)
    const { secret, ticket } = member ?? {}
    if (text === undefined || history?.line === undefined) return undefined
    if (member === undefined || secret === undefined || ticket === undefined) return undefined
    if (history.match.name !== join.match || this.#ended.has(history.match.id)) return undefined
    if (!areSameBytes(body.proof, makeReturnProof(secret, nonce, ticket))) return undefined
    if (!this.#byName.has(join.match) && this.#byName.size >= recoveriesMax) return undefined
    const recovery = this.#byName.get(join.match) ?? { sinceMs: nowMs, parts: new Map() }
    this.#byName.set(join.match, recovery)
    const { tags, firstTick, count, backTick } = body
    const { id, seat } = member
    const part: Part = {
      match: join.match,
      member: id,
      backTick,
      count,
      bytes: 0,
      isWhole: count === 0,
      returned: {
        member: id,
        seat: member.isNewcomer ? undefined : seat,
        haveTick: join.nextTick - 1,
        makeHistory: () => readCapsule(text) as MatchHistory,
        generation: history.line.generation,
        line: history.line.id,
        capsuleTick: history.sealedTick,
        tags,
        firstTick,
        bundles: [],
      },
    }
    this.#drop(recovery.parts.get(id))
    recovery.parts.set(id, part)
    return part
  }

  /**
   * Takes in a piece of somebody's bundles. False for more than it said that there were, or than anybody
   * may keep.
   *
   * @throws WireError for bytes that are no bundles.
   */
  add(giver: Giver, piece: Uint8Array): boolean {
    const part = this.#byName.get(giver.match)?.parts.get(giver.member)
    // A newer link of the same member took over, or it is decided.
    if (part === undefined || part !== giver) return true
    const { bundles } = part.returned
    for (const bundle of unpackHistory(piece)) bundles.push(bundle)
    part.bytes += piece.byteLength
    this.#bytes += piece.byteLength
    part.isWhole = bundles.length >= part.count
    const isWithin = bundles.length <= part.count && part.bytes <= historyBytesMax * 2
    return isWithin && this.#bytes <= bytesMax
  }

  /** What a match was, when it can be said: with the history it is no longer put together here. */
  decide(name: string, nowMs: number): MatchHistory | 'waiting' | 'lost' {
    const recovery = this.#byName.get(name)
    if (recovery === undefined) return 'lost'
    const returned = [...recovery.parts.values()].flatMap((part) => {
      return part.isWhole ? [part.returned] : []
    })
    const waitedMs = nowMs - recovery.sinceMs
    if (!isEnough(returned, waitedMs)) {
      if (waitedMs < giveUpMs) return 'waiting'
      this.#forget(name, recovery)
      return 'lost'
    }
    this.#forget(name, recovery)
    return rebuild(returned, this.#cipher) ?? 'lost'
  }

  /** When {@link decide} may say something else. */
  nextMs(name: string, nowMs: number): number {
    const recovery = this.#byName.get(name)
    if (recovery === undefined) return nowMs
    const waitedMs = nowMs - recovery.sinceMs
    const step = [mostMs, soloMs, giveUpMs].find((ms) => ms > waitedMs) ?? giveUpMs
    return recovery.sinceMs + step
  }

  #forget(name: string, { parts }: Recovery): void {
    for (const part of parts.values()) this.#drop(part)
    this.#byName.delete(name)
  }

  #drop(part: Part | undefined): void {
    this.#bytes -= part?.bytes ?? 0
  }
}

/** Whether those who are back can decide. */
function isEnough(returned: readonly Returned[], waitedMs: number): boolean {
  const newest = [...returned].sort(
    (one, other) => other.generation - one.generation || other.capsuleTick - one.capsuleTick,
  )[0]
  if (newest === undefined) return false
  const seats = playingSeats(newest.makeHistory())
  const back = new Set(
    returned.flatMap(({ seat }) => (seat !== undefined && seats.has(seat) ? [seat] : [])),
  )
  if (back.size === seats.size) return true
  if (waitedMs >= mostMs && back.size * 2 > seats.size) return true
  return waitedMs >= soloMs && seats.size === 2 && back.size === 1
}

/** The member with a ticket. */
function memberWith(
  { members }: MatchHistory,
  ticket: Uint8Array | undefined,
): EntryBody<'member'> | undefined {
  if (ticket === undefined) return undefined
  return [...members.values()].find((member) => areSameBytes(member.ticket, ticket))
}

/** What a capsule says. It was sealed by a relay: of another version, perhaps, which cannot be read. */
function readCapsule(text: Uint8Array): MatchHistory | undefined {
  const histories = new MatchHistories()
  const reader = new RecordReader()
  reader.push(text)
  try {
    for (let item = reader.next(); item; item = reader.next()) histories.add(item)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  }
  const [history] = histories.byId.values()
  return history?.room === undefined ? undefined : history
}

/** See the timeline above. */
const mostMs = 3_000
const soloMs = 10_000
const giveUpMs = 30_000

/** Matches that ended and are remembered. Who comes back later waits, and is refused all the same. */
const endedMax = 4_096

/** Matches that are put together at once, and bytes of all bundles that are gathered for them. */
const recoveriesMax = 4_096
const bytesMax = 128 * 2 ** 20
