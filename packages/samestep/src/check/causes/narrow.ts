/** Which one difference between two sides is enough for a finding to come again. */
import type { CallSite } from '../../sim/trace/call-site.ts'
import type { CheckId, Finding } from '../lanes/lane.ts'
import type { LaneOptions } from '../lanes/lane-world.ts'
import type { AmbientUse } from '../machine/machine.ts'
import type { Factor } from '../machine/machine-state.ts'
import { factors } from '../machine/machine-state.ts'
import type { Script } from '../scripts/script.ts'
import type { Trials } from './trials.ts'

type Variation = Pick<LaneOptions, 'others' | 'otherViewer'>

/** What is enough. */
export interface Narrowed {
  readonly check: CheckId
  readonly factor: Factor | undefined
  readonly isViewer: boolean
  /** Whether it takes modules that were loaded anew, or that others have used. */
  readonly isModule: boolean
  readonly variation: Variation
}

/** Tries one difference at a time, each on modules of its own where there are any. */
export function narrow(
  trials: Trials,
  script: Script,
  { lane, check }: Finding,
  isModule: boolean,
): Narrowed {
  const nothing = { check, factor: undefined, isViewer: false, isModule, variation: {} }
  if (isModule) return nothing
  const fails = (change: LaneOptions): boolean =>
    trials.playClean(script, change).finding !== undefined
  if (lane === 'rejoin' && trials.options.fresh !== undefined) {
    return { ...nothing, isModule: !fails({ fresh: undefined }) }
  }
  if (check === 'reload' || check === 'full') {
    // On modules of its own, a copy does without whatever the original left in variables.
    return { ...nothing, isModule: trials.graphs !== undefined && !fails({ ownModules: true }) }
  }
  if (lane !== 'twin' || check !== 'twin') return nothing
  const same: Variation = { others: [], otherViewer: false }
  if (fails(same)) return { ...nothing, variation: same }
  const viewer: Variation = { others: [], otherViewer: true }
  if (fails(viewer)) return { ...nothing, check: 'viewer', isViewer: true, variation: viewer }
  for (const factor of factors) {
    const variation: Variation = { others: [factor], otherViewer: false }
    if (fails(variation)) return { ...nothing, check: 'machine', factor, variation }
  }
  return { ...nothing, check: 'machine' }
}

/** What was asked of the other machine, and whether that is certain. */
export interface Asked {
  readonly use: AmbientUse
  /** True when nothing else can have been it. */
  readonly isCertain: boolean
}

/**
 * Who asked the other machine, and for what: whoever did so on the line that wrote something else
 * then, or else the last to do so before the two sides parted.
 */
export function findUse(
  trials: Trials,
  script: Script,
  factor: Factor,
  written: CallSite | undefined,
): Asked | undefined {
  const change = { others: [factor], otherViewer: false, everyUse: true }
  const { check } = trials.playClean(script, change)
  const { twinGame } = check.world.options
  const loading = twinGame === undefined ? [] : (trials.graphs?.usesOf(twinGame) ?? [])
  const uses = [...loading, ...check.world.other.uses].filter((use) => use.factor === factor)
  const here = uses.find(({ site }) => site !== undefined && isSameLine(site, written))
  if (here !== undefined) return { use: here, isCertain: true }
  const use = uses.at(-1)
  return use === undefined ? undefined : { use, isCertain: uses.length === 1 }
}

/** Whether two places are on one line. */
export function isSameLine(a: CallSite | undefined, b: CallSite | undefined): boolean {
  return a?.file === b?.file && a?.line === b?.line
}
