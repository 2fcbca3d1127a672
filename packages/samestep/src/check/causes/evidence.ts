/** What a cause is judged by, and what the judgement looks like. */

import type { DeepDifference } from '../../base/deep-diff.ts'
import type { CauseId } from '../../desync/doctor/cause-table.ts'
import type { Json } from '../../sim/schema/field.ts'
import type { CheckId } from '../lanes/lane.ts'
import type { Factor } from '../machine/machine-state.ts'

export type { CauseId } from '../../desync/doctor/cause-table.ts'

/** Why a check failed, as far as is known, and what to do about it. */
export interface Cause {
  readonly id: CauseId
  /** The kind of mistake, in a few words. */
  readonly title: string
  /** The evidence for it. */
  readonly evidence: string
  readonly advice: string
}

/** What a cause is judged by. */
export interface Evidence {
  readonly check: CheckId
  /** The one difference between the two machines that was enough. */
  readonly factor: Factor | undefined
  /** What the game called of the machine, where that is known: `Date.now`. */
  readonly called: string | undefined
  /** True when a package asked for it, and not the game itself. */
  readonly isInPackage: boolean
  /** True when drawing for another viewer was enough. */
  readonly isViewer: boolean
  /** True when it takes modules of their own to show it. */
  readonly isModule: boolean
  /** Variables of modules that the game has changed. */
  readonly variables: readonly string[]
  /** Two ways to one object in plain state. */
  readonly alias: readonly [string, string] | undefined
  /** True when the options of the match are not what they were. */
  readonly areOptionsChanged: boolean
  /** True for derived data that is computed every tick, and is not the same when computed anew. */
  readonly isLeftover: boolean
  /** What a custom part did with memory. */
  readonly memory: 'kept' | 'live' | undefined
  /** The part of the first difference, `#random` for the generator. */
  readonly part: string | undefined
  readonly values: readonly [Json, Json] | undefined
  readonly hidden: readonly DeepDifference[]
  readonly error: unknown
}

/** Evidence of nothing, to be filled in with what was seen. */
export const noEvidence: Omit<Evidence, 'check'> = {
  factor: undefined,
  called: undefined,
  isInPackage: false,
  isViewer: false,
  isModule: false,
  variables: [],
  alias: undefined,
  areOptionsChanged: false,
  isLeftover: false,
  memory: undefined,
  part: undefined,
  values: undefined,
  hidden: [],
  error: undefined,
}
