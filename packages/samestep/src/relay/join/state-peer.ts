import type { Channel } from '../../link/channel.ts'

/** Whoever may have the state of a match, or want it. */
export interface StatePeer {
  readonly channel: Channel | undefined
  /** The round trip as the client measured it. */
  readonly rttMs: number | undefined
  /** Whether it plays and is there, so that it can say what the state is: spectators never count. */
  canVote(nowMs: number): boolean
  /** Whether it is a player that just lost its link, and will probably be back in time to vote. */
  isExpected?(nowMs: number): boolean
  /** Whether it is there and runs the game, though its word counts for nothing: a witness. */
  canHelp?(nowMs: number): boolean
  /** Whether it draws nothing, so that giving the state away disturbs nobody. */
  readonly isWitness?: boolean
  /** Whether only a state will do that a majority of several players agreed on. */
  readonly isResyncing?: boolean
  /** The newest tick that it may have run: no state from before it will do. */
  readonly haveTick?: number
  /** So many bytes are asked of it: sending them is not held against it. */
  grant(bytes: number): void
}
