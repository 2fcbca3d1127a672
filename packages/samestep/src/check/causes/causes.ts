/**
 * From what was seen to why it is so, and what to do. The rules are read from top to bottom and the
 * first that fits is the answer: experiments first (it differs only when the clock does), then what
 * the objects show, then what is left.
 */
import { causeTable } from '../../desync/doctor/cause-table.ts'
import { rules } from './cause-rules.ts'
import type { Cause, CauseId, Evidence } from './evidence.ts'

export { errorText } from '../error-text.ts'
export type { Cause, CauseId, Evidence } from './evidence.ts'
export { noEvidence } from './evidence.ts'

/** The likely cause. */
export function findCause(evidence: Evidence): Cause {
  for (const { id, fits } of rules) {
    const text = fits(evidence)
    if (text !== undefined) return { id, ...causeTable[id], evidence: text }
  }
  return { id: 'unknown', ...causeTable.unknown, evidence: 'no rule fits what was seen' }
}

/** Every cause that a check can identify, for documents and tests. */
export const causeIds: readonly CauseId[] = [...new Set(rules.map(({ id }) => id)), 'unknown']
