import type { Fault, TickReport } from '../sim/game/run/report.ts'
import type { Doors } from '../wire/messages/doors.ts'
import type { MessageBody } from '../wire/messages/messages.ts'
import type { EndReason } from './conversation/end-reason.ts'
import type { PassedOnEvent } from './membership/passed-on.ts'
import type { MoveDoor } from './move/move-state.ts'
import type { OrderEnd, PendingOrder } from './outbox/order-outbox.ts'
import type { DigestJob } from './state/digests.ts'
import type { Blame } from './status/blame.ts'
import type { Presence } from './status/presence-changes.ts'

/** A client's position in time (CLK-07). Look at these numbers first when something feels wrong. */
export interface Cursors {
  /** The newest tick for which this client made an input. */
  readonly inputTick: number
  /** The newest tick received without a gap before it. */
  readonly sealedTick: number
  /** The newest tick that the simulation ran. */
  readonly simulatedTick: number
}

/** Before the match is launched. */
export const noCursors: Cursors = { inputTick: 0, sealedTick: 0, simulatedTick: 0 }

/** What a client tells its owner, in sequence. */
export type ClientEvent =
  /** A link is wanted now; open one and hand it over. */
  | { readonly type: 'want-link'; readonly link: number }
  /** A second link is wanted, to a better door, or home: open it and hand it over by its number. */
  | {
      readonly type: 'want-move'
      readonly link: number
      readonly door: MoveDoor
      readonly doors: Doors
    }
  /** Another link carries the session from here on: nothing was lost, and nothing waits. */
  | { readonly type: 'moved'; readonly link: number; readonly door: MoveDoor }
  /** A link is of no use any more: `last` is sent over it, and then it is closed. */
  | { readonly type: 'drop-link'; readonly link: number; readonly last: readonly Uint8Array[] }
  | { readonly type: 'seated'; readonly seat: number | undefined; readonly matchId: string }
  /** What the relay says about the match: who is in it, who said what. */
  | PassedOnEvent
  /** Somebody came, fell silent, came back or left. */
  | { readonly type: 'presence'; readonly presence: Presence }
  /** Somebody else, or nobody any more, keeps the match from going on as it should. */
  | { readonly type: 'blame'; readonly blame: Blame }
  /** The simulation is set up: from here on the game may load what it needs. */
  | { readonly type: 'launched'; readonly seat: number | undefined }
  /** A seat was handed over: this client now plays that seat, or none. */
  | { readonly type: 'seat'; readonly seat: number | undefined }
  /** The launch was called off: the match is in its lobby again. */
  | { readonly type: 'aborted' }
  /** A bot of this seat thinks here from now on, or no longer does. */
  | { readonly type: 'bot'; readonly seat: number; readonly isHere: boolean }
  | { readonly type: 'link-lost' }
  /** An order that was issued here has ended. */
  | { readonly type: 'order-ended'; readonly order: PendingOrder; readonly end: OrderEnd }
  /** A tick ran in which something is worth telling: orders, faults. */
  | { readonly type: 'tick'; readonly report: TickReport }
  /** Game code threw. The match goes on without what threw, on every machine alike. */
  | { readonly type: 'fault'; readonly fault: Fault }
  /** The state of the match came from another player: ticks run from the one after this on. */
  | { readonly type: 'restored'; readonly tick: number; readonly isResync: boolean }
  /** Our state is another than that of most: nothing runs until theirs is here, and `restored` tells of it. */
  | { readonly type: 'resync' }
  /** Something is to be hashed; the answer is wanted by `Client.handleDigest`. */
  | { readonly type: 'digest'; readonly job: DigestJob }
  /** The relay asks about a desync, and nobody answers yet: see `Client.investigateWith`. */
  | { readonly type: 'investigate' }
  /** An own input came too late and was replaced by the match's policy; `count` are all so far. */
  | { readonly type: 'input-missed'; readonly tick: number; readonly count: number }
  /** It is over. `refusal` is set when the relay never let us in. */
  | {
      readonly type: 'closed'
      readonly reason: EndReason
      readonly message: string
      readonly refusal?: MessageBody<'RelayRefuse'>
      /** What the game's own code threw, when that is why. */
      readonly error?: unknown
    }
