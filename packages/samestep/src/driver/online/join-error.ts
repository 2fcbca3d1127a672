import type { MatchEndReason } from '../match/match.ts'

/** Why a match could not be joined. */
export type JoinFailure = MatchEndReason | 'timeout' | 'aborted'

/**
 * Why a match could not be joined. `cause` is the error of the last connection attempt, or what the game
 * threw.
 */
export class JoinError extends Error {
  override readonly name = 'JoinError'
  /** The reason, for use by programs. */
  readonly reason: JoinFailure

  constructor(reason: JoinFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
  }
}
