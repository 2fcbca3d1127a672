import type { DebugFile, DebugLevel } from '../../client/debug/debug-level.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'

/** The debug level of a match, and what it recorded. */
export interface MatchDebug {
  /** The level that this game or the relay asked for. */
  readonly level: DebugLevel
  /**
   * Changes the level within the next few ticks, once what it needs is loaded. Faults that it finds are
   * reported by the event `fault`, with `where: 'debug'`.
   *
   * @throws UsageError `SS_BAD_ARGUMENT` for an invalid level.
   */
  setLevel(level: DebugLevel): void
  /** The order log and the snapshots kept in memory; empty if they are saved as they are made. */
  files(): Promise<readonly DebugFile[]>
  /** The writes of the last ticks, oldest first, from level 2 on. */
  writes(): Promise<readonly TraceEntry[]>
}
