/** Plays a script with every write recorded on both sides, and finds the first that differs. */
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import { findStaleWrite } from '../causes/derived-site.ts'
import type { Trials } from '../causes/trials.ts'
import type { Script } from '../scripts/script.ts'
import type { Finding, LaneId } from './lane.ts'
import type { LaneOptions } from './lane-world.ts'

/** The names of the copies that a lane compares. */
const copyNames: { readonly [lane in LaneId]: readonly [string, string] } = {
  original: ['reference', 'original'],
  twin: ['original', 'twin'],
  reload: ['original', 'reload'],
  rejoin: ['original', 'joiner'],
  later: ['original', 'later'],
  bytes: ['original', 'original'],
  cells: ['original', 'cells'],
  full: ['full', 'full copy'],
}

/** The first write on which two sides differ; one of them may not have made it. */
export interface FirstWrite {
  readonly a: TraceEntry | undefined
  readonly b: TraceEntry | undefined
  /** The last write to the same part that was seen before, when nobody saw this one. */
  readonly near?: TraceEntry | undefined
}

/** The finding as it came again, and the write that began it. */
export interface TracedPair {
  readonly finding: Finding | undefined
  readonly first: FirstWrite | undefined
}

/** Runs a script twice: once to count the writes before the tick, once to find out lines in it. */
export function tracePair(trials: Trials, script: Script, change: LaneOptions): TracedPair {
  const { game } = trials
  const counted = runTraced(trials, script, change, () => ({ callSites: false }))
  if (counted.finding === undefined) return { finding: undefined, first: undefined }
  const from = isOutside(counted.finding) ? counted.finding.tick - 1 : counted.finding.tick
  const { finding, traces } = runTraced(trials, script, change, (name) => ({
    keepFrom: startOf(counted.traces.get(name), from),
  }))
  return { finding, first: finding === undefined ? undefined : findFirst(game, finding, traces) }
}

function isOutside({ check }: Finding): boolean {
  return check === 'pure' || check === 'viewer'
}

function findFirst(
  game: Game,
  finding: Finding,
  traces: ReadonlyMap<string, Trace>,
): FirstWrite | undefined {
  const [nameA, nameB] = copyNames[finding.lane]
  if (isOutside(finding)) {
    // What was drawn and what was written to need not be the same copy.
    const found = findOutside(traces.get(nameB), finding.tick)
    return found ?? findOutside(traces.get(nameA), finding.tick)
  }
  const a = entriesAt(traces.get(nameA), finding.tick)
  if (finding.check === 'derived') return findStale(game, finding, a)
  return firstDifferent(a, entriesAt(traces.get(nameB), finding.tick))
}

type TraceSettings = { readonly callSites?: boolean; readonly keepFrom?: number }

function runTraced(
  trials: Trials,
  script: Script,
  change: LaneOptions,
  settings: (name: string) => TraceSettings,
): { readonly finding: Finding | undefined; readonly traces: ReadonlyMap<string, Trace> } {
  const traces = new Map<string, Trace>()
  const { resolve: given } = trials.options
  const resolve: { readonly resolve?: CallSiteResolver } =
    given === undefined ? {} : { resolve: given }
  const { finding } = trials.playClean(script, {
    ...change,
    simulation: (name) => {
      const trace = createTrace({ ...resolve, ...settings(name) })
      // Of copies that are made again and again, such as joiners, the last is the one.
      if (name !== 'reference' || !traces.has(name)) traces.set(name, trace)
      return { trace, hashSystems: true }
    },
  })
  return { finding, traces }
}

/** The number of the first entry that belongs to a tick, or follows it. */
function startOf(trace: Trace | undefined, tick: number): number {
  const entry = trace?.entries().find((each) => each.tick >= tick)
  return entry?.index ?? trace?.count ?? 0
}

function entriesAt(trace: Trace | undefined, tick: number): readonly TraceEntry[] {
  return trace?.entries().filter((each) => each.tick === tick && each.where !== 'outside') ?? []
}

function firstDifferent(
  a: readonly TraceEntry[],
  b: readonly TraceEntry[],
): FirstWrite | undefined {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]]
    if (left === undefined || right === undefined || keyOf(left) !== keyOf(right)) {
      const part = (left ?? right)?.part
      const near = a
        .slice(0, index)
        .findLast((each) => each.part === part && each.site !== undefined)
      return { a: left, b: right, near }
    }
  }
  return undefined
}

function keyOf({ kind, where, name, part, row, field, before, after }: TraceEntry): string {
  return JSON.stringify([kind, where, name, part, row, field, before, after])
}

/** The first write from outside of any tick. */
function findOutside(trace: Trace | undefined, tick: number): FirstWrite | undefined {
  const entries = trace?.entries() ?? []
  const b = entries.find((each) => each.where === 'outside' && each.tick >= tick - 1)
  return b === undefined ? undefined : { a: undefined, b }
}

function findStale(
  game: Game,
  { place, sides }: Finding,
  entries: readonly TraceEntry[],
): FirstWrite | undefined {
  const name = /^derived '(.*)'$/.exec(place ?? '')?.[1]
  const copy = sides?.[0].copy
  if (name === undefined || copy === undefined) return undefined
  return { a: undefined, b: findStaleWrite(game, name, copy, entries) }
}
