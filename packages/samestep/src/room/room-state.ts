import type { LateJoin, LobbyPhase, Visibility } from './lobby-types.ts'
import type { PauseView } from './pause-budget.ts'
import type { VotesState } from './votes.ts'

/** Where a room stands, apart from its members: what another relay needs to go on. */
export interface RoomState extends VotesState {
  readonly phase: LobbyPhase['name']
  /** Of the countdown, or of the time for loading. */
  readonly remainingMs: number
  readonly optionsRevision: number
  readonly options: Uint8Array
  readonly visibility: Visibility
  readonly lateJoin: LateJoin
  readonly lockedSeats: readonly number[]
  /** The number of the member whose match it is. */
  readonly owner: number | undefined
  readonly requestedPercent: number
  readonly effectivePercent: number
  readonly pause: PauseView | undefined
  /** How many pauses were used up, by seat; those of owners without a seat under none. */
  readonly pauses: readonly { readonly seat: number | undefined; readonly count: number }[]
  readonly bots: readonly {
    readonly seat: number
    readonly runner: number | undefined
    readonly turn: number
  }[]
}
