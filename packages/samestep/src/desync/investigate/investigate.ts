import type { InvestigateOptions } from './investigator.ts'
import { Investigator } from './investigator.ts'
import type { InvestigatedMatch } from './match-copy.ts'

/**
 * Answers the questions of a relay about a desync. This is the module to load when the first question
 * comes: nothing of it is needed before.
 */
export function investigate(match: InvestigatedMatch, options?: InvestigateOptions): Investigator {
  return new Investigator(match, options)
}
