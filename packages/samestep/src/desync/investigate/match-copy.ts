import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import type { RecentTicks } from '../recent/recent-ticks.ts'
import type { KeptState } from '../recent/snapshot-ring.ts'

/** A second simulation of a match, to run its ticks in again. The match itself is not touched. */
export interface MatchCopy {
  readonly simulation: Simulation
  /** The chain over the sync hashes of all ticks up to the one at which it is. */
  readonly chain: Uint32Array
  /** Puts it where a state says. The state is read at once. */
  load(state: KeptState): void
  /** Runs the next tick. */
  run(bundle: Uint8Array): void
  /** The state as it is, in memory of its own. */
  save(): KeptState
}

/** The match that is looked into. */
export interface InvestigatedMatch {
  readonly recent: RecentTicks
  /** A copy at tick 0, with every write recorded if a trace is given. */
  makeCopy(trace?: Trace): MatchCopy
  /** The state of the match as it is now, in memory of its own. */
  saveNow(): KeptState
}

/** What was asked for is not kept, or not any more. */
export class Forgotten extends Error {
  override readonly name = 'Forgotten'
}

/** Ticks that are run in one go: some milliseconds of a large game. */
const ticksPerSlice = 8

/** Runs a copy up to a tick. It pauses after some ticks, so that the match itself goes on meanwhile. */
export function* runCopy(
  copy: MatchCopy,
  toTick: number,
  recent: RecentTicks,
  ran: () => void = ignore,
): Generator<undefined, void> {
  for (let count = 1; copy.simulation.matchTick < toTick; count++) {
    runNext(copy, recent)
    ran()
    if (count % ticksPerSlice === 0) yield
  }
}

/** Runs the next tick of a copy. */
export function runNext(copy: MatchCopy, recent: RecentTicks): void {
  const bundle = recent.bundles.at(copy.simulation.matchTick + 1)
  if (bundle === undefined) throw new Forgotten()
  copy.run(bundle)
}

function ignore(): void {}
