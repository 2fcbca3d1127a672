import type { InvestigatedMatch, MatchCopy } from '../../desync/investigate/match-copy.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import type { Difference } from '../../sim/state/part.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'

/**
 * Runs one tick once more with the line of every write, when something was found in it. Lines cost far
 * more than the writes themselves, so they are not looked for before.
 */
export class Retrace {
  readonly #match: Pick<InvestigatedMatch, 'makeCopy'>
  #copy: { readonly copy: MatchCopy; readonly trace: Trace } | undefined

  constructor(match: Pick<InvestigatedMatch, 'makeCopy'>) {
    this.#match = match
  }

  /** The last write of a tick to the place of a difference. */
  lastWriteTo(before: KeptState, bundle: Uint8Array, at: Difference): TraceEntry | undefined {
    const trace = this.#run(before, bundle)
    const isThere = ({ part, row, field }: Place) =>
      part === at.part && row === at.row && field === at.field
    const exact = trace.findLast(isThere)
    // Of a plain value, or a single, the path may be longer than the field.
    return exact ?? trace.findLast(({ part, row }) => part === at.part && row === at.row)
  }

  /** The first entry of a tick that is so. */
  first(
    before: KeptState,
    bundle: Uint8Array,
    isWanted: (place: Place) => boolean,
  ): TraceEntry | undefined {
    return this.#run(before, bundle).findFirst(isWanted)
  }

  #run(before: KeptState, bundle: Uint8Array): Trace {
    this.#copy ??= this.#make()
    const { copy, trace } = this.#copy
    copy.load(before)
    trace.restart()
    copy.run(bundle)
    return trace
  }

  #make(): { readonly copy: MatchCopy; readonly trace: Trace } {
    const trace = createTrace({ entriesMax, waitsForRestart: true })
    return { copy: this.#match.makeCopy(trace), trace }
  }
}

/** Writes of one tick of a very large game. They are kept only while something is looked for. */
const entriesMax = 2 ** 18

/** Where an entry of a trace wrote, and from where. */
export type Place = Pick<TraceEntry, 'kind' | 'where' | 'name' | 'part' | 'row' | 'field'>
