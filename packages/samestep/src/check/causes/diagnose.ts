/**
 * From a finding to its line. The small script is played again, first with one difference between
 * the machines at a time, then with every write recorded on both sides: the first write that is not
 * the same names the system, the row, the field, both values and the line.
 */

import { show } from '../../base/deep-diff.ts'
import type { CallSite } from '../../sim/trace/call-site.ts'
import { firstSystem } from '../lanes/copy.ts'
import type { CheckId, Finding } from '../lanes/lane.ts'
import type { FirstWrite } from '../lanes/trace-pair.ts'
import { tracePair } from '../lanes/trace-pair.ts'
import type { AmbientUse } from '../machine/machine.ts'
import type { Script } from '../scripts/script.ts'
import type { Cause } from './causes.ts'
import { errorText, findCause } from './causes.ts'
import { locateCustom, locateKeeping } from './custom-site.ts'
import type { Place } from './first-write.ts'
import { writingSite, writingSystem, writtenPlace, writtenValues } from './first-write.ts'
import type { ModuleVariable } from './game-graphs.ts'
import { changedVariables } from './game-graphs.ts'
import { siteOfError } from './game-site.ts'
import type { Asked } from './narrow.ts'
import { findUse, isSameLine, narrow } from './narrow.ts'
import { evidenceOf } from './object-evidence.ts'
import type { Trials } from './trials.ts'

export type { Place } from './first-write.ts'

/** The diagnosis of a failure. */
export interface Diagnosis {
  readonly check: CheckId
  readonly tick: number
  /** The system, or another function of the game, that caused it. */
  readonly system: string | undefined
  readonly place: Place | undefined
  /** Which sides the two values belong to. */
  readonly sides: readonly [string, string]
  /** The line that is to blame, as precisely as can be determined. */
  readonly site: CallSite | undefined
  /**
   * What is at that line: the mistake itself, or the first write on which the two sides differ, which
   * may be a consequence.
   */
  readonly siteKind: 'fault' | 'write'
  /** The first write that differed, if its place or line is not the one above. */
  readonly effect: (Place & { readonly site: CallSite | undefined }) | undefined
  /** What the game asked its machine for, if that was the reason. */
  readonly use: AmbientUse | undefined
  /** Module variables that the game has changed, if they are the reason. */
  readonly variables: readonly ModuleVariable[]
  /** What the game threw, as text. */
  readonly error: string | undefined
  readonly cause: Cause
}

/** Finds out all that can be known about a finding. `trials` run its lane alone, if that is enough. */
export function diagnose(
  trials: Trials,
  script: Script,
  found: Finding,
  needsOtherLanes: boolean,
): Diagnosis {
  const narrowed = narrow(trials, script, found, needsOtherLanes)
  const { check, factor, variation } = narrowed
  const traced = tracePair(trials, script, variation)
  const finding = traced.finding ?? found
  // A rule that throws does so on both sides alike, and so does a cell that cuts its value down.
  const isAlike = finding.check === 'throws' || finding.check === 'cells'
  const first = isAlike ? undefined : traced.first
  const asked =
    factor === undefined ? undefined : findUse(trials, script, factor, writingSite(first))
  const seen = writtenPlace(first) ?? differencePlace(finding)
  const place = hiddenPlace(finding) ?? seen
  const isModule = narrowed.isModule || finding.lane === 'later'
  const variables = isModule ? variablesOf(trials, script) : []
  const cause = findCause({
    check,
    factor,
    called: asked?.use.name,
    isInPackage: asked?.use.within !== undefined,
    isViewer: narrowed.isViewer,
    isModule: narrowed.isModule,
    variables: variables.map(({ name }) => name),
    part: place?.part,
    values: writtenValues(first) ?? differenceValues(finding),
    hidden: finding.hidden,
    error: finding.error,
    ...evidenceOf(trials.game, script, finding),
  })
  const line = lineOf(trials, script, finding, first, asked)
  const written = writingSite(first)
  const isElsewhere = seen !== place || (written !== undefined && !isSameLine(written, line.site))
  return {
    check,
    tick: finding.tick,
    system: systemOf(finding, first),
    place,
    sides: sideNames(finding),
    ...line,
    effect: seen === undefined || !isElsewhere ? undefined : { ...seen, site: written },
    use: asked?.use,
    variables,
    // What did not fit was not thrown.
    error: finding.error === undefined || check === 'cells' ? undefined : errorText(finding.error),
    cause,
  }
}

function sideNames({ check, sides }: Finding): readonly [string, string] {
  if (check === 'cells') return ['written', 'kept']
  return [sides?.[0].name ?? 'as it was', sides?.[1].name ?? 'as it is']
}

/** The variables of modules that the script changes. */
function variablesOf(trials: Trials, script: Script): readonly ModuleVariable[] {
  if (trials.graphs === undefined) return []
  const { game } = trials.playClean(script)
  return changedVariables(trials.graphs, game)
}

/** What only the game's own objects show comes first: it is there before anything is written. */
function hiddenPlace({ hidden }: Finding): Place | undefined {
  const [first] = hidden
  if (first === undefined) return undefined
  const at = first.path.search(/[.[]/)
  const part = at < 0 ? first.path : first.path.slice(0, at)
  const field = at < 0 ? '' : first.path.slice(at).replace(/^\./, '')
  return { part, row: undefined, field, values: [show(first.a), show(first.b)] }
}

function differencePlace({ differences }: Finding): Place | undefined {
  const [first] = differences
  if (first === undefined) return undefined
  const { part, row, field, mine, theirs } = first
  return { part, row, field, values: [show(mine), show(theirs)] }
}

function differenceValues({ differences }: Finding): ReturnType<typeof writtenValues> {
  const [difference] = differences
  return difference === undefined ? undefined : [difference.mine, difference.theirs]
}

function systemOf(finding: Finding, first: FirstWrite | undefined): string | undefined {
  const known = finding.place ?? writingSystem(first)
  const [a, b] = finding.sides ?? []
  if (known !== undefined || a === undefined || b === undefined) return known
  return firstSystem(a.systemHashes, b.systemHashes)
}

type Line = Pick<Diagnosis, 'site' | 'siteKind'>

/** Checks whose write is the mistake itself: it was made where nothing may be written. */
const forbiddenWrites: ReadonlySet<CheckId> = new Set(['viewer', 'pure', 'derived', 'async'])

/** The line, from the nearest witness to the farthest. */
function lineOf(
  trials: Trials,
  script: Script,
  finding: Finding,
  first: FirstWrite | undefined,
  asked: Asked | undefined,
): Line {
  const { resolve } = trials.options
  const fault = (site: CallSite | undefined): Line | undefined =>
    site === undefined ? undefined : { site, siteKind: 'fault' }
  const written = writingSite(first)
  const isObject = finding.hidden.length > 0 && finding.check !== 'derived'
  const isForbidden = forbiddenWrites.has(finding.check)
  return (
    fault(asked?.isCertain === true ? asked.use.site : undefined) ??
    fault(finding.memory === 'kept' ? locateKeeping(trials.game, finding, resolve) : undefined) ??
    fault(isObject ? locateCustom(finding, resolve) : undefined) ??
    (written === undefined
      ? undefined
      : { site: written, siteKind: isForbidden ? 'fault' : 'write' }) ??
    fault(finding.error === undefined ? undefined : siteOfError(finding.error, resolve)) ??
    fault(finding.check === 'viewer' ? siteOfDrawing(trials, script) : undefined) ??
    fault(locateCustom(finding, resolve)) ?? {
      site: asked?.use.site,
      siteKind: 'fault',
    }
  )
}

/** A drawing that writes through its view throws where it does, once the view is guarded. */
function siteOfDrawing(trials: Trials, script: Script): CallSite | undefined {
  const simulation = () => ({ development: true })
  const { finding } = trials.playClean(script, { simulation })
  return siteOfError(finding?.error, trials.options.resolve)
}
