import { traceBlockEntries } from '../../sim/limits.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { FleetingResult } from '../../sim/trace/host-watch.ts'
import { copyDate, isDate, isFleeting } from '../../sim/trace/host-watch.ts'
import type { Trace, TraceOptions } from '../../sim/trace/trace.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import { compareTraces } from '../../sim/trace/trace-search.ts'
import {
  type ProbeAsk,
  type ProbeEntry,
  probeFieldBytesMax,
  probeFileBytesMax,
  probeValueBytesMax,
} from '../../wire/messages/desync-probes.ts'
import { tellPath, tellText } from '../told-text.ts'
import type { InvestigatedMatch } from './match-copy.ts'
import { runNext } from './match-copy.ts'
import type { Scene } from './scene.ts'

/** Runs the bad tick once more, with its writes recorded. */
export function traceTick(
  match: InvestigatedMatch,
  { before }: Pick<Scene, 'before'>,
  options: TraceOptions,
): Trace {
  const trace = createTrace({ ...options, watchesHost: true, waitsForRestart: true })
  const copy = match.makeCopy(trace)
  copy.load(before)
  trace.restart()
  runNext(copy, match.recent)
  return trace
}

/** The whole tick without lines, which is fast: hashes over its blocks are all that is kept. */
export function traceBlocks(match: InvestigatedMatch, scene: Scene): Trace {
  return traceTick(match, scene, { callSites: false, entriesMax: traceBlockEntries })
}

/** One block of the tick, with the lines of its writes. */
export function traceBlock(
  match: InvestigatedMatch,
  scene: Scene,
  block: number,
  resolve: CallSiteResolver | undefined,
): Trace {
  return traceTick(match, scene, {
    keepFrom: block * traceBlockEntries,
    // What stands right behind a block's last write may be what is missing on the other side.
    entriesMax: 2 * traceBlockEntries,
    ...(resolve === undefined ? {} : { resolve }),
  })
}

/** Hashes over the first blocks of a trace; of those behind its end, over all of it. */
export function blockPrefixes(
  trace: Trace,
  { first, step, count }: ProbeAsk<'prefixes'>,
): number[] {
  const found: number[] = []
  for (let index = 0; index < count; index++) {
    const entries = Math.min((first + index * step) * traceBlockEntries, trace.count)
    trace.prefixWords(entries, words)
    found.push(...words)
  }
  return found
}

/** Hashes over all writes up to each one of a block. */
export function entryPrefixes(trace: Trace, block: number): number[] {
  const found: number[] = []
  const start = block * traceBlockEntries
  const end = Math.min(start + traceBlockEntries, trace.count)
  for (let entries = start + 1; entries <= end; entries++) {
    trace.prefixWords(entries, words)
    found.push(...words)
  }
  return found
}

/**
 * Why a tick that is run again does not give what the machine had, as far as trying shows:
 *
 * - what the clock or chance gave, if the tick is the same as soon as they give the same again, or
 *   another one as soon as they give something else;
 * - otherwise the first write that is not the same when the tick runs twice;
 * - `undefined` when it is the same each time, whatever they give.
 *
 * `known` is the tick as {@link traceBlocks} traced it, if that was done already.
 */
export function* findUnstable(
  match: InvestigatedMatch,
  scene: Scene,
  resolve: CallSiteResolver | undefined,
  known?: Trace,
): Generator<undefined, ProbeEntry | undefined> {
  // Finding lines takes seconds in a large tick. Most ticks are the same each time, and need none.
  if (yield* isSteady(match, scene, known)) return undefined
  const options = resolve === undefined ? {} : { resolve }
  const first = traceTick(match, scene, options)
  yield
  const { mine, theirs } = compareTraces(first, traceTick(match, scene, options))
  const entry = mine ?? theirs
  if (first.fleeting.length > 0) {
    const isUnstable = entry !== undefined
    const fleeting = isUnstable ? first.fleeting : first.fleeting.map(alter)
    const other = compareTraces(first, traceTick(match, scene, { ...options, fleeting }))
    const isSame = other.verdict.result === 'same'
    // The same once they give the same, or another one once they give something else.
    const asked = isSame === isUnstable ? callBefore(first, entry ?? other.mine) : undefined
    if (asked !== undefined) return tellEntry(asked)
  }
  return entry === undefined ? undefined : tellEntry(entry)
}

/** Whether a tick is the same when it runs twice, and asks neither the clock nor chance. */
function* isSteady(
  match: InvestigatedMatch,
  scene: Scene,
  known: Trace | undefined,
): Generator<undefined, boolean> {
  const first = known ?? traceBlocks(match, scene)
  yield
  if (first.fleeting.length > 0) return false
  const second = traceBlocks(match, scene)
  yield
  first.prefixWords(first.count, words)
  second.prefixWords(second.count, otherWords)
  return first.count === second.count && words.every((word, at) => word === otherWords[at])
}

/** The last call of the clock or chance before a write. */
function callBefore(trace: Trace, entry: TraceEntry | undefined): TraceEntry | undefined {
  for (let index = (entry?.index ?? trace.count) - 1; index >= 0; index--) {
    const before = trace.entry(index)
    if (before === undefined) return undefined
    if (before.kind === 'call' && isFleeting(before.field)) return before
  }
  return undefined
}

/** What another clock, or other chance, would have given. */
function alter({ name, value }: FleetingResult): FleetingResult {
  if (isDate(value)) return { name, value: copyDate(value, otherMs) }
  if (typeof value !== 'number') return { name, value }
  return { name, value: Math.abs(value) < 1 ? 1 - value : value + otherMs }
}

/** Far enough for days, hours and odd milliseconds to be others. */
const otherMs = 100_003_457

/** A write as it is told. */
export function tellEntry(entry: TraceEntry): ProbeEntry {
  const { kind, where, name, part, row, field, before, after, site } = entry
  const show = (value: unknown) => tellText(JSON.stringify(value) ?? '', probeValueBytesMax)
  return {
    kind,
    where,
    name: tellText(name, 64),
    part: tellText(part, probeFieldBytesMax),
    row,
    field: tellText(field, probeFieldBytesMax),
    before: show(before),
    after: show(after),
    site: site && {
      functionName: tellText(site.functionName, 64),
      file: tellPath(site.file, probeFileBytesMax),
      line: site.line,
      column: site.column,
    },
  }
}

const words = new Uint32Array(2)
const otherWords = new Uint32Array(2)
