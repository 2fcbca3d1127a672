import type { DebugFile, DebugLevel } from '../../client/debug/debug-level.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'

/** How closely a match looks at itself, and what came of it. */
export interface MatchDebug {
  /** The level that was asked for, by this game or by the relay. */
  readonly level: DebugLevel
  /**
   * Asks for another level, from one of the next ticks on: what it needs is loaded first. Faults that it
   * finds are told by the event `fault`, with `where: 'debug'`.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` for what is no level.
   */
  setLevel(level: DebugLevel): void
  /** The order log and the snapshots that are in memory; none where they are saved as they are made. */
  files(): Promise<readonly DebugFile[]>
  /** The writes of the last ticks, the oldest first, from level 2 on. */
  writes(): Promise<readonly TraceEntry[]>
}
