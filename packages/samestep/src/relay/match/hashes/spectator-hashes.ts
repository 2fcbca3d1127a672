import { undecided } from '../../../desync/verdict.ts'
import { encodeMessage } from '../../../wire/messages/messages.ts'
import { roundness } from '../../../wire/ticks/turn-hash.ts'
import type { MatchEvent } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { HashComparer, HashGroup } from './hash-comparer.ts'
import { seatsOf } from './hash-comparer.ts'

/** A report that could not be judged yet. */
type Waiting = { readonly tick: number; readonly lo: number; readonly hi: number }

/**
 * Compares spectators with players. What a spectator reports says nothing about the match: a
 * difference is told only to this spectator, and to the operator: once, and again when seats changed.
 */
export class SpectatorHashes {
  readonly #hashes: HashComparer
  /** Whether all present players have reported. */
  readonly #isComplete: (groups: readonly HashGroup[]) => boolean
  readonly #emit: (event: MatchEvent) => void
  /** The roundest report of a spectator who is ahead of all seats: they will report that tick too. */
  readonly #waiting = new WeakMap<Session, Waiting>()
  #told = new WeakSet<Session>()
  /** Messages that wait for {@link handleTime}: a queued turn is handled with a time that is past. */
  readonly #news: { readonly session: Session; readonly bytes: Uint8Array }[] = []

  constructor(
    hashes: HashComparer,
    isComplete: (groups: readonly HashGroup[]) => boolean,
    emit: (event: MatchEvent) => void,
  ) {
    this.#hashes = hashes
    this.#isComplete = isComplete
    this.#emit = emit
  }

  /** Whether {@link handleTime} has something to send. */
  get hasNews(): boolean {
    return this.#news.length > 0
  }

  /** Tells the spectators who differ. */
  handleTime(nowMs: number): void {
    if (this.#news.length === 0) return
    for (const { session, bytes } of this.#news.splice(0)) session.send(bytes, nowMs)
  }

  /** Somebody has a seat now, or lost it: what was told of the players of before is out of date. */
  startOver(): void {
    this.#told = new WeakSet()
  }

  /** A spectator has another state now: it is compared as if it had just come. */
  forget(session: Session): void {
    this.#told.delete(session)
    this.#waiting.delete(session)
  }

  handleHash(session: Session, tick: number, lo: number, hi: number): void {
    if (this.#told.has(session)) return
    const waiting = this.#waiting.get(session)
    if (waiting !== undefined && this.#compare(session, waiting)) {
      this.#waiting.delete(session)
    }
    const report = { tick, lo, hi }
    if (this.#compare(session, report)) return
    const held = this.#waiting.get(session)
    const isLost = held !== undefined && held.tick < this.#hashes.oldestTick
    if (held === undefined || isLost || roundness(tick) > roundness(held.tick)) {
      this.#waiting.set(session, report)
    }
  }

  /**
   * Returns false if it is too early to say: no seat has reported the tick, or those that have differ
   * and others, which may agree, have not.
   */
  #compare(session: Session, { tick, lo, hi }: Waiting): boolean {
    const groups = this.#hashes.groupsAt(tick)
    if (groups.length === 0) return false
    if (groups.some((group) => group.lo === lo && group.hi === hi)) return true
    if (!this.#isComplete(groups)) return false
    if (this.#told.has(session)) return true
    this.#told.add(session)
    const seats = groups.map(seatsOf)
    const body = { tick, agreedTick: undefined, groups: seats, culprits: [], isSpectator: true }
    this.#news.push({ session, bytes: encodeMessage('RelayDesync', body) })
    this.#emit({
      type: 'hash-mismatch',
      tick,
      agreedTick: undefined,
      groups: seats,
      verdict: undecided,
      spectator: session.member.id,
      witnesses: [],
    })
    return true
  }
}
