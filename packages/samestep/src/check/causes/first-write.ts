/** What the first write that two sides do not share says: where, the two values, and the line. */

import { show } from '../../base/deep-diff.ts'
import type { Json } from '../../sim/schema/field.ts'
import type { CallSite } from '../../sim/trace/call-site.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import type { FirstWrite } from '../lanes/trace-pair.ts'
import { isOwn, tidy } from './game-site.ts'

/** A place in the state, with the values of both sides. */
export interface Place {
  /** The table, or another part of the state. */
  readonly part: string
  readonly row: number | undefined
  readonly field: string
  /** The two values, as text for people. */
  readonly values: readonly [string, string] | undefined
}

/** Entries whose values say nothing to a person: what was drawn, a hash. */
const valueless: ReadonlySet<TraceEntry['kind']> = new Set(['draw', 'digest'])

/** The place of the first write that differs, as each side has it. */
export function writtenPlace(first: FirstWrite | undefined): Place | undefined {
  const { a, b } = first ?? {}
  if (b?.where === 'outside') return placeOf(b, [show(b.before), show(b.after)])
  const entry = a ?? b
  if (entry === undefined || entry.kind === 'digest') return undefined
  if (a !== undefined && b !== undefined && isSamePlace(a, b)) {
    return valueless.has(a.kind) ? undefined : placeOf(a, [show(a.after), show(b.after)])
  }
  return placeOf(entry, [wroteText(a, entry), wroteText(b, entry)])
}

function isSamePlace(a: TraceEntry, b: TraceEntry): boolean {
  return a.kind === b.kind && a.part === b.part && a.row === b.row && a.field === b.field
}

function placeOf({ part, row, field }: TraceEntry, values: readonly [string, string]): Place {
  return { part, row, field, values }
}

/** What one side did where the other did something else. */
function wroteText(written: TraceEntry | undefined, asked: TraceEntry): string {
  if (written === undefined) return asked.kind === 'draw' ? 'not drawn' : 'not written'
  if (written.kind === 'draw') return 'draws a random number'
  if (isSamePlace(written, asked)) return show(written.after)
  const { part, row, field, after } = written
  return `writes ${part}.${field}${row === undefined ? '' : `, row ${row}`}: ${show(after)}`
}

/** The two values as they are; `undefined` when the two sides did not write to the same place. */
export function writtenValues(first: FirstWrite | undefined): readonly [Json, Json] | undefined {
  const { a, b } = first ?? {}
  if (a === undefined || b === undefined || valueless.has(a.kind)) return undefined
  return isSamePlace(a, b) ? [a.after, b.after] : undefined
}

/** The function of the game that made it. */
export function writingSystem(first: FirstWrite | undefined): string | undefined {
  const entry = first?.a ?? first?.b
  if (entry === undefined || entry.where === 'outside') return undefined
  return entry.where === 'step' ? entry.name : `${entry.where} '${entry.name}'`
}

/** The line that made it, if it is one of the game's. */
export function writingSite(first: FirstWrite | undefined): CallSite | undefined {
  for (const entry of [first?.b, first?.a, first?.near]) {
    if (entry?.site === undefined) continue
    const site = tidy(entry.site)
    if (!isOwn(site.file)) return site
  }
  return undefined
}
