/**
 * From a finding to its line. The small script is played again, first with one difference between
 * the machines at a time, then with every write recorded on both sides: the first write that is not
 * the same names the system, the row, the field, both values and the line.
 */
import type { Game } from '../sim/game/define-game.ts'
import type { Json } from '../sim/schema/field.ts'
import type { CallSite } from '../sim/trace/call-site.ts'
import type { TraceEntry } from '../sim/trace/trace-entry.ts'
import type { Cause } from './causes.ts'
import { findCause } from './causes.ts'
import { firstSystem } from './copy.ts'
import { locateCustom } from './custom-site.ts'
import { show } from './deep-diff.ts'
import { siteOfError, tidy } from './game-site.ts'
import type { CheckId, Finding } from './lane.ts'
import type { LaneOptions } from './lane-world.ts'
import type { AmbientUse, Factor } from './machine.ts'
import { factors } from './machine.ts'
import { checkScript, MatchCheck, playScript } from './match-check.ts'
import type { Script } from './script.ts'
import type { FirstWrite } from './trace-pair.ts'
import { tracePair } from './trace-pair.ts'

/** A place in the state, with what two sides have there. */
export interface Place {
  /** The table, or another part of the state. */
  readonly part: string
  readonly row: number | undefined
  readonly field: string
  /** The two values, as text for people. */
  readonly values: readonly [string, string] | undefined
}

/** What a finding comes down to. */
export interface Diagnosis {
  readonly check: CheckId
  readonly tick: number
  /** The system, or another function of the game, that did it. */
  readonly system: string | undefined
  readonly place: Place | undefined
  /** Whose the two values are. */
  readonly sides: readonly [string, string]
  /** The line that is to blame, as near as it can be told. */
  readonly site: CallSite | undefined
  /** The first write that differed, where that is another place than {@link place}. */
  readonly effect: (Place & { readonly site: CallSite | undefined }) | undefined
  /** What the game asked its machine for, where that was the reason. */
  readonly use: AmbientUse | undefined
  readonly cause: Cause
}

/** Finds out all that can be known about a finding. `options` run its lane alone. */
export function diagnose(
  game: Game,
  script: Script,
  found: Finding,
  options: LaneOptions,
): Diagnosis {
  const { check, factor, isViewer, isModule, variation } = narrow(game, script, found, options)
  const traced = tracePair(game, script, { ...options, ...variation })
  const finding = traced.finding ?? found
  const { first } = traced
  const use = factor === undefined ? undefined : findUse(game, script, factor, options)
  const written = siteOfWrite(first)
  const seen = writtenPlace(first) ?? differencePlace(finding)
  const place = hiddenPlace(finding) ?? seen
  const cause = findCause({
    check,
    factor,
    called: use?.name,
    isViewer,
    isModule,
    part: place?.part,
    values: rawValues(first, finding),
    hidden: finding.hidden,
    error: finding.error,
  })
  return {
    check,
    tick: finding.tick,
    system: systemOf(finding, first),
    place,
    sides: [finding.sides?.[0].name ?? 'as it was', finding.sides?.[1].name ?? 'as it is'],
    site: siteOf(game, script, finding, written, options) ?? use?.site,
    effect: seen === undefined || seen === place ? undefined : { ...seen, site: written },
    use,
    cause,
  }
}

type Variation = Pick<LaneOptions, 'others' | 'otherViewer'>

type Narrowed = {
  readonly check: CheckId
  readonly factor: Factor | undefined
  readonly isViewer: boolean
  readonly isModule: boolean
  readonly variation: Variation
}

/** Which one difference between the two sides is enough. */
function narrow(
  game: Game,
  script: Script,
  { lane, check }: Finding,
  options: LaneOptions,
): Narrowed {
  const nothing = { check, factor: undefined, isViewer: false, isModule: false, variation: {} }
  const fails = (change: LaneOptions): boolean =>
    checkScript(game, script, { ...options, ...change }) !== undefined
  if (lane === 'rejoin' && options.fresh !== undefined) {
    return { ...nothing, isModule: !fails({ fresh: undefined }) }
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

/** The first write, if both sides made it at the same place; or one from outside of any tick. */
function writtenPlace(first: FirstWrite | undefined): Place | undefined {
  const { a, b } = first ?? {}
  if (b?.where === 'outside') return placeOf(b, b.before, b.after)
  if (a === undefined || b === undefined || valueless.has(a.kind)) return undefined
  if (a.part !== b.part || a.row !== b.row || a.field !== b.field) return undefined
  return placeOf(a, a.after, b.after)
}

/** Entries whose values say nothing to a person: what was drawn, a hash. */
const valueless: ReadonlySet<TraceEntry['kind']> = new Set(['draw', 'digest'])

function placeOf({ part, row, field }: TraceEntry, a: Json, b: Json): Place {
  return { part, row, field, values: [show(a), show(b)] }
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

function rawValues(
  first: FirstWrite | undefined,
  { differences }: Finding,
): readonly [Json, Json] | undefined {
  const { a, b } = first ?? {}
  if (a !== undefined && b !== undefined && !valueless.has(a.kind)) return [a.after, b.after]
  const [difference] = differences
  return difference === undefined ? undefined : [difference.mine, difference.theirs]
}

function systemOf(finding: Finding, first: FirstWrite | undefined): string | undefined {
  if (finding.place !== undefined) return finding.place
  const entry = first?.a ?? first?.b
  if (entry !== undefined && entry.where !== 'outside') {
    return entry.where === 'step' ? entry.name : `${entry.where} '${entry.name}'`
  }
  const [a, b] = finding.sides ?? []
  if (a === undefined || b === undefined) return undefined
  return firstSystem(a.systemHashes, b.systemHashes)
}

function siteOfWrite(first: FirstWrite | undefined): CallSite | undefined {
  const site = first?.b?.site ?? first?.a?.site
  return site === undefined ? undefined : tidy(site)
}

/** The line, from the nearest witness to the farthest. */
function siteOf(
  game: Game,
  script: Script,
  finding: Finding,
  written: CallSite | undefined,
  options: LaneOptions,
): CallSite | undefined {
  const isObject = finding.hidden.length > 0 && finding.check !== 'derived'
  const custom = isObject ? locateCustom(finding) : undefined
  if (custom !== undefined || written !== undefined) return custom ?? written
  if (finding.error !== undefined) return siteOfError(finding.error)
  if (finding.check === 'viewer') return siteOfDrawing(game, script, options)
  return locateCustom(finding)
}

/** A drawing that writes through its view throws where it does, once the view is guarded. */
function siteOfDrawing(game: Game, script: Script, options: LaneOptions): CallSite | undefined {
  const simulation = () => ({ development: true })
  return siteOfError(checkScript(game, script, { ...options, simulation })?.error)
}

/** Who asked the other machine, and for what: the first use that was enough. */
function findUse(
  game: Game,
  script: Script,
  factor: Factor,
  options: LaneOptions,
): AmbientUse | undefined {
  const check = new MatchCheck(game, script, { ...options, others: [factor] })
  playScript(check, script)
  return check.world.other.uses.find((use) => use.factor === factor)
}
