import { TokenBucket } from '../../../base/token-bucket.ts'
import type { Software } from '../../../wire/messages/software.ts'

/** Who is behind a session, as far as the relay knows, and how often it came back. */
export class Visitor {
  /** Who it is, where somebody vouched for it. */
  identity: string | undefined
  /** Where its newest link came from, as limits per address count it. */
  address: string | undefined
  /** Whether this relay runs in its process. */
  isHost = false
  /** What its client runs on, as it last said. */
  software: Software | undefined
  #returns: TokenBucket | undefined
  #moves: TokenBucket | undefined

  /** Counts one more return. False when there were too many lately (T-67). */
  takeReturn(nowMs: number): boolean {
    this.#returns ??= new TokenBucket(returnsMax * secondsPerReturn, 1, nowMs)
    return this.#returns.take(secondsPerReturn, nowMs)
  }

  /** Counts one more move from a link that works to another. False when there were too many lately. */
  takeMove(nowMs: number): boolean {
    this.#moves ??= new TokenBucket(movesMax * secondsPerMove, 1, nowMs)
    return this.#moves.take(secondsPerMove, nowMs)
  }
}

/** Returns at once, and seconds that bring another one: five in a minute, for the worst of lines. */
const returnsMax = 20
const secondsPerReturn = 12

/** Moves at once, and seconds that bring another one: a client pauses longer after each that did not last. */
const movesMax = 6
const secondsPerMove = 10
