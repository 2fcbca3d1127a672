import type { TickReport } from '../sim/game/report.ts'
import type { MessageBody } from '../wire/messages.ts'

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
  /** The match waits for more players. */
  | { readonly type: 'gathering'; readonly takenSeats: number; readonly seats: number }
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
