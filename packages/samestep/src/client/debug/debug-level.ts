import { UsageError } from '../../base/errors.ts'
import { debugLevelMax } from '../../wire/limits.ts'

/**
 * How much a match looks at itself while it runs. Each level does what those below it do.
 *
 * - 0: the hash of every tick, and nothing else;
 * - 1: the order log, a record of all sealed ticks with their hashes, and timers per system;
 * - 2: every tick is run a second time with all writes recorded, and compared; derived data is computed
 *   anew; functions that must not write are caught writing;
 * - 3: a snapshot every so many ticks;
 * - 4: a shadow that is loaded from a snapshot before every tick: it finds what no snapshot has.
 */
export type DebugLevel = 0 | 1 | 2 | 3 | 4

/** Whether something is a level. */
export function isDebugLevel(value: unknown): value is DebugLevel {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= debugLevelMax
}

/** @throws UsageError `SS_BAD_ARGUMENT` for what is no level. */
export function requireDebugLevel(value: unknown): DebugLevel {
  if (isDebugLevel(value)) return value
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot debug at level ${String(value)}: levels are whole numbers from 0 (off) to ${debugLevelMax}`,
  )
}

/** A file that a level made, or a further piece of one. */
export interface DebugFile {
  /** `{match}_{tick}.ssrc` for an order log, `{match}_{tick}.snap` for a snapshot; the tick has ten digits. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a level is to keep, and where. */
export interface DebugOptions {
  /** Ticks between two snapshots of level 3. Those of ten seconds when left out. */
  readonly snapshotEveryTicks?: number
  /** Snapshots that are kept in memory, the newest. 8 when left out. */
  readonly snapshotsMax?: number
  /**
   * Bytes of the order log that are kept in memory. 8 MiB when left out, which is hours of most games. A
   * log that has reached it begins anew, with the state of then.
   */
  readonly logBytesMax?: number
  /**
   * Takes files as they are made, in place of memory. A name that comes again is a further piece: append
   * it. `saveDebugFiles('folder')` of `samestep/server` is one.
   */
  readonly save?: (file: DebugFile) => void
}
