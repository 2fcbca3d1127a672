import type { InvestigatedMatch } from '../../desync/investigate/match-copy.ts'
import type { Fault } from '../../sim/game/run/report.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'

/** Looks at a match tick by tick. It must not touch the state. */
export interface TickWatcher {
  /** The next tick is about to run. */
  handleDue(): void
  /** A tick has run, with this bundle. */
  handleRan(bundle: Uint8Array): void
  /** The state was replaced by one from elsewhere. */
  handleLoaded(): void
}

/** A match as its watcher sees it. */
export interface WatchedMatch {
  readonly simulation: Simulation
  readonly seated: MessageBody<'RelaySeated'>
  /** Copies of it, and the state of now. */
  readonly inner: Pick<InvestigatedMatch, 'makeCopy' | 'saveNow'>
  /** Tells of what was found. */
  tell(fault: Fault): void
}

/** Makes what watches a match. */
export type MakeWatcher = (match: WatchedMatch) => TickWatcher
