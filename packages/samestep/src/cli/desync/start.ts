import type { DesyncFile, DesyncSide, StateOutcome } from '../../desync/report-file.ts'
import { namesOf } from '../../desync/seat-names.ts'

/** From where the bad tick of a report can be run again. */
export type Start =
  | { readonly kind: 'record'; readonly fromTick: 0; readonly text: string }
  | {
      readonly kind: 'state'
      readonly fromTick: number
      /** Whose state it is: an index into `sides`. */
      readonly side: number
      readonly text: string
    }
  | { readonly kind: 'none'; readonly why: string }

/** Where to begin, or what is missing. */
export function startOf({ sides, record, tick }: DesyncFile): Start {
  if (tick === 0) return { kind: 'none', why: 'the machines already differ after setup' }
  const side = sides.findIndex(({ state }) => state !== undefined)
  if (side < 0 && record?.firstTick === 1) {
    return { kind: 'record', fromTick: 0, text: 'the setup of the match' }
  }
  const { state, seats, stateOutcome } = (sides[side] ?? sides[0] ?? {}) as Partial<DesyncSide>
  if (state === undefined) {
    const why = `it has no state from before the tick, because ${whyNot(stateOutcome)}`
    return { kind: 'none', why }
  }
  if (record === undefined || record.firstTick > state.tick + 1) {
    return { kind: 'none', why: `bundles are missing from tick ${state.tick + 1} on` }
  }
  const text = `the state of ${namesOf(seats ?? [])} after tick ${state.tick}`
  return { kind: 'state', fromTick: state.tick, side, text }
}

function whyNot(outcome: StateOutcome | undefined): string {
  switch (outcome) {
    case 'forgotten':
      return 'no machine still had one (raise advanced.desyncMemoryBytes of joinMatch)'
    case 'too-large':
      return 'it is too large for a report'
    case 'no-answer':
      return 'nobody sent one in time'
    default:
      return 'nobody was connected to ask'
  }
}
