import type { TickReport } from '../sim/game/report.ts'
import type { MessageBody } from '../wire/messages.ts'
import type { MatchStats, RoomView } from './play-state.ts'

/** Where a client is in time (CLK-07). The first numbers to look at when something feels wrong. */
export interface Cursors {
  /** The newest tick for which an own input was made. */
  readonly inputTick: number
  /** The newest tick that is here without a gap. */
  readonly sealedTick: number
  /** The newest tick that the simulation ran. */
  readonly simulatedTick: number
}

/** What a client tells its owner, in sequence. */
export type ClientEvent =
  /** A link is wanted now; open one and hand it over. */
  | { readonly type: 'want-link' }
  | { readonly type: 'seated'; readonly seat: number | undefined; readonly matchId: string }
  /** Who is in the match, and where it stands. */
  | { readonly type: 'room'; readonly room: RoomView }
  /** The simulation is set up: from here on the game may load what it needs. */
  | { readonly type: 'launched'; readonly seat: number | undefined }
  /** The launch was called off: the match is in its lobby again. */
  | { readonly type: 'aborted' }
  | {
      readonly type: 'said'
      readonly member: number
      readonly scope: 'all' | 'team' | 'spectators'
      readonly text: string
    }
  | { readonly type: 'vote'; readonly vote: MessageBody<'RelayVote'> }
  /** A wish was not granted. */
  | { readonly type: 'denied'; readonly action: string; readonly reason: string }
  | { readonly type: 'stats'; readonly stats: MatchStats }
  /** A bot of this seat thinks here from now on, or no longer does. */
  | { readonly type: 'bot'; readonly seat: number; readonly isHere: boolean }
  | { readonly type: 'link-lost' }
  /** A tick ran in which something is worth telling: orders, faults. */
  | { readonly type: 'tick'; readonly report: TickReport }
  /** An own input came too late and was replaced by the match's policy. */
  | { readonly type: 'input-missed'; readonly tick: number }
  /** It is over. `refusal` is set when the relay never let us in. */
  | {
      readonly type: 'closed'
      readonly reason: string
      readonly message: string
      readonly refusal?: MessageBody<'RelayRefuse'>
    }
