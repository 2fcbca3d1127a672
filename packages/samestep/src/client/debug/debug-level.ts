import { UsageError } from '../../base/errors.ts'
import { debugLevelMax } from '../../wire/limits.ts'

/**
 * How much a match checks itself while it runs. Each level includes those below it.
 *
 * - 0: a hash of every tick, and nothing else;
 * - 1: the order log, a record of all sealed ticks with their hashes, and timers per system;
 * - 2: every tick is run a second time with all writes recorded, and compared; derived data is recomputed;
 *   functions that write but must not are detected;
 * - 3: a snapshot at regular intervals;
 * - 4: a shadow simulation that is loaded from a snapshot before every tick: it finds state that is missing
 *   from snapshots.
 */
export type DebugLevel = 0 | 1 | 2 | 3 | 4

/** Whether something is a level. */
export function isDebugLevel(value: unknown): value is DebugLevel {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= debugLevelMax
}

/** @throws UsageError `SS_BAD_ARGUMENT` for an invalid level. */
export function requireDebugLevel(value: unknown): DebugLevel {
  if (isDebugLevel(value)) return value
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot debug at level ${String(value)}: levels are whole numbers from 0 (off) to ${debugLevelMax}`,
  )
}

/** A file written by a debug level, or a further piece of one. */
export interface DebugFile {
  /** `{match}_{tick}.ssrc` for an order log, `{match}_{tick}.snap` for a snapshot; the tick has ten digits. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a debug level keeps, and where. */
export interface DebugOptions {
  /** Ticks between two snapshots of level 3. Defaults to ten seconds' worth. */
  readonly snapshotEveryTicks?: number
  /** How many of the newest snapshots are kept in memory. Defaults to 8. */
  readonly snapshotsMax?: number
  /**
   * The maximum size of the order log in memory. Defaults to 8 MiB, which is hours of most games. A log
   * that reaches it starts again from the current state.
   */
  readonly logBytesMax?: number
  /**
   * Receives files as they are made, instead of keeping them in memory. If a name is repeated, append the
   * bytes to that file. `saveDebugFiles('folder')` from `samestep/server` does this.
   */
  readonly save?: (file: DebugFile) => void
}
