import type { Profile } from '../../../src/storm/index.ts'

/** A mistake of one line that somebody could make, and that storms must find. */
export type PlantedBug = {
  readonly id: string
  /** Below `src/`. */
  readonly file: string
  /** What stands in the file, exactly once, and what the mistake makes of it. */
  readonly find: string
  readonly replace: string
  /** The storms that go where it lies, for a bug in a place that few others reach; all by default. */
  readonly profiles?: readonly Profile[]
  /** What goes wrong, for the table in docs/storm.md. */
  readonly breaks: string
}
