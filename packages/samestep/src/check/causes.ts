/**
 * From what was seen to why it is so, and what to do. The rules are read from top to bottom and the
 * first that fits is the answer: experiments first (it differs only when the clock does), then what
 * the objects show, then what is left.
 */
import { rules } from './cause-rules.ts'
import type { Cause, CauseId, Evidence } from './evidence.ts'

export { errorText } from './error-text.ts'
export type { Cause, CauseId, Evidence } from './evidence.ts'
export { noEvidence } from './evidence.ts'

const unknownCause: Omit<Cause, 'evidence'> = {
  id: 'unknown',
  title: 'not clear',
  advice: 'Run the reproduction with a debugger at the line below; please tell us of it.',
}

/** The likely cause. */
export function findCause(evidence: Evidence): Cause {
  for (const { id, title, advice, fits } of rules) {
    const text = fits(evidence)
    if (text !== undefined) return { id, title, advice, evidence: text }
  }
  return { ...unknownCause, evidence: 'no rule fits what was seen' }
}

/** Every cause that can be told, for documents and tests. */
export const causeIds: readonly CauseId[] = [...new Set(rules.map(({ id }) => id)), 'unknown']
