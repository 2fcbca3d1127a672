import { type Rule, RuleTester } from 'eslint'
import { describe, test } from 'vitest'
import { typescriptParser } from './typescript-parser.ts'

RuleTester.describe = describe
RuleTester.it = test
RuleTester.itOnly = test.only

/** A fault that a case must show: its message id, or more of it. */
export type Expected = string | RuleTester.TestCaseError

/** Code with faults. Without `output`, nothing is fixed. */
export type Invalid = {
  readonly code: string
  readonly output?: string
  readonly errors: readonly Expected[]
  readonly options?: readonly object[]
  readonly sourceType?: 'module' | 'script' | 'commonjs'
}

/** Code without faults. */
export type Valid = string | Omit<Invalid, 'errors' | 'output'>

/** What a rule must report, and what it must not. */
export type Cases = {
  readonly valid: readonly Valid[]
  readonly invalid: readonly Invalid[]
  /** Cases that only the TypeScript parser reads. */
  readonly typescript?: { readonly valid: readonly Valid[]; readonly invalid: readonly Invalid[] }
}

/** Runs the cases of a rule, with ESLint's own parser and with the one for TypeScript. */
export function testRule(name: string, rule: Rule.RuleModule, cases: Cases): void {
  const { valid, invalid, typescript } = cases
  describe("with ESLint's parser", () => {
    new RuleTester().run(name, rule, { valid: valid.map(toValid), invalid: invalid.map(toInvalid) })
  })
  describe('with the TypeScript parser', () => {
    new RuleTester({ languageOptions: { parser: typescriptParser } }).run(name, rule, {
      valid: [...valid, ...(typescript?.valid ?? [])].map(toValid),
      invalid: [...invalid, ...(typescript?.invalid ?? [])].map(toInvalid),
    })
  })
}

function toValid(entry: Valid): RuleTester.ValidTestCase {
  if (typeof entry === 'string') return { code: entry }
  const { code, options, sourceType } = entry
  return {
    code,
    ...(options === undefined ? {} : { options: [...options] }),
    ...(sourceType === undefined ? {} : { languageOptions: { sourceType } }),
  }
}

function toInvalid(entry: Invalid): RuleTester.InvalidTestCase {
  const errors = entry.errors.map((error) =>
    typeof error === 'string' ? { messageId: error } : error,
  )
  return { ...toValid(entry), output: entry.output ?? null, errors }
}
