import type { ProbeAnswer, ProbeEntry } from '../../wire/messages/desync-probes.ts'
import type { Sides } from './sides.ts'

/** Where two states differ, and what either side has there. */
export interface FoundPlace {
  readonly part: string
  readonly row: number | undefined
  readonly field: string
  /** After which tick the values are: the bad one, unless one side could only show a later state. */
  readonly tick: number
  /** As JSON; `undefined` on a side that has no such value, or could not show it. */
  readonly values: Sides<string | undefined> | undefined
}

/** The first write that two machines did not make alike. */
export interface FoundWrite {
  /** Its number among all writes of the tick. */
  readonly index: number
  /** What either side wrote; `undefined` on one that had ended. */
  readonly sides: Sides<ProbeEntry | undefined>
  /** Some writes around it. */
  readonly excerpts: Sides<readonly ProbeEntry[]>
  /** The number of the first write of its block, and the hashes over all writes up to each of the block. */
  readonly blockStart: number
  readonly prefixes: Sides<readonly number[]>
}

/** What is known of how two machines went apart. */
export interface PairFinding {
  readonly stage: 'located' | 'traced'
  /** The first bad tick, and whether it is certain that the one before was good. */
  readonly tick: number
  readonly isExact: boolean
  /** Labels of the leaves that differ after it, the first ones. */
  readonly leaves: readonly string[]
  /** How many leaves differ, at the least. */
  readonly leafCount: number
  readonly place: FoundPlace | undefined
  /** What running the tick again gave on either side; `undefined` where it could not be done. */
  readonly reruns: Sides<ProbeAnswer<'rerun'> | undefined>
  readonly write: FoundWrite | undefined
  /** Whether all writes of the tick were compared, and none differed. */
  readonly areWritesSame: boolean
  /** What running it again does not explain, on the sides where that is something. */
  readonly outside: Sides<ProbeAnswer<'outside'> | undefined>
}
