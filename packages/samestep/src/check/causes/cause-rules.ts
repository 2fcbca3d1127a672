/** What speaks for each kind of mistake. How it is called and what to do stands in the doctor's table. */
import { UsageError } from '../../base/errors.ts'
import type { Json } from '../../sim/schema/field.ts'
import { errorText } from '../error-text.ts'
import type { CheckId } from '../lanes/lane.ts'
import type { Factor } from '../machine/machine-state.ts'
import type { CauseId, Evidence } from './evidence.ts'

/** One kind of mistake, and how it is told. */
export type Rule = {
  readonly id: CauseId
  /** The evidence in words, where the rule fits. */
  readonly fits: (evidence: Evidence) => string | undefined
}

/** One check and nothing else decides. */
const byCheck =
  (check: CheckId, text: string) =>
  (evidence: Evidence): string | undefined =>
    evidence.check === check ? text : undefined

const byCode =
  (code: string, text: string) =>
  ({ error }: Evidence): string | undefined =>
    error instanceof UsageError && error.code === code ? text : undefined

const byFactor =
  (factor: Factor, what: string) =>
  (evidence: Evidence): string | undefined =>
    evidence.factor === factor
      ? `two copies differ as soon as ${what} differs, and in nothing else${evidence.called === undefined ? '' : `; the game calls ${evidence.called}`}`
      : undefined

/** Two sums of the same numbers in another sequence are this near to each other. */
const nearness = 1e-9

function isNearFloat(values: readonly [Json, Json] | undefined): boolean {
  const [a, b] = values ?? []
  if (typeof a !== 'number' || typeof b !== 'number') return false
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return false
  return a !== b && Math.abs(a - b) <= nearness * Math.max(Math.abs(a), Math.abs(b))
}

const reloads: ReadonlySet<CheckId> = new Set(['bytes', 'reload', 'rejoin', 'full', 'order'])

/** The sentence about variables that were seen to change. */
function variablesText({ variables }: Evidence): string {
  if (variables.length === 0) return ''
  const names = variables.slice(0, variablesMax).map((name) => `'${name}'`)
  const more = variables.length > variablesMax ? ` and ${variables.length - variablesMax} more` : ''
  const are = variables.length === 1 ? 'is a variable' : 'are variables'
  return `; ${names.join(', ')}${more} ${are} of a module that the match changes`
}

const variablesMax = 4

/** All of them, from the most certain to what is left. */
export const rules: readonly Rule[] = [
  {
    id: 'async-write',
    fits: byCheck('async', 'the state was another one after callbacks of the tick had run'),
  },
  {
    id: 'mutated-options',
    fits: ({ areOptionsChanged }) =>
      areOptionsChanged ? 'the options are not what the match was started with' : undefined,
  },
  {
    id: 'kept-bytes',
    fits: ({ memory }) =>
      memory === 'kept'
        ? 'the state changed when the bytes that had been loaded were overwritten'
        : undefined,
  },
  {
    id: 'live-save',
    fits: ({ memory }) =>
      memory === 'live'
        ? 'the state changed when the bytes that save gave were overwritten'
        : undefined,
  },
  {
    id: 'async-step',
    fits: byCode('SS_ASYNC_STEP', 'the function returned a promise'),
  },
  {
    id: 'table-full',
    fits: byCode('SS_TABLE_FULL', 'add was called when all rows lived'),
  },
  {
    id: 'cell-misfit',
    fits: ({ check, error }) =>
      check === 'cells' && error instanceof Error ? error.message : undefined,
  },
  {
    id: 'impure-validate',
    fits: byCheck('pure', 'the state was another one after validate had been asked'),
  },
  {
    id: 'viewer-leak',
    fits: ({ isViewer }) =>
      isViewer
        ? 'two copies differ as soon as another seat is drawn, and in nothing else'
        : undefined,
  },
  {
    id: 'view-random',
    fits: ({ check, part }) =>
      check === 'viewer' && part === '#random'
        ? 'a random stream had been drawn from after drawing'
        : undefined,
  },
  {
    id: 'view-write',
    fits: ({ check, error }) =>
      check === 'viewer' && (error === undefined || isReadonlyError(error))
        ? 'the state was another one after drawing'
        : undefined,
  },
  {
    id: 'library-random',
    fits: (evidence) =>
      evidence.isInPackage ? byFactor('random', 'what Math.random says')(evidence) : undefined,
  },
  {
    id: 'random',
    fits: byFactor('random', 'what Math.random says'),
  },
  {
    id: 'clock',
    fits: byFactor('clock', 'the time'),
  },
  {
    id: 'zone',
    fits: byFactor('zone', 'the time zone'),
  },
  {
    id: 'locale',
    fits: byFactor('locale', 'the language'),
  },
  {
    id: 'math',
    fits: byFactor('math', 'the last bit of Math.sin and its like'),
  },
  {
    id: 'sort',
    fits: byFactor('sort', 'the algorithm of sort'),
  },
  {
    id: 'environment',
    fits: byFactor('environment', 'what the machine says of itself'),
  },
  {
    id: 'engine-texts',
    fits: byFactor('texts', 'the wording of the engine’s errors'),
  },
  {
    id: 'module-state',
    fits: (evidence) =>
      evidence.isModule
        ? `copies with fresh modules continue differently${variablesText(evidence)}`
        : undefined,
  },
  {
    id: 'nan-bits',
    fits: byCheck('nan', 'the hash changed when only the bits of a NaN did'),
  },
  {
    id: 'impure-derived',
    fits: ({ check, hidden }) =>
      check === 'derived' && hidden.length === 0
        ? 'the state was another one after recompute'
        : undefined,
  },
  {
    id: 'derived-leftovers',
    fits: ({ check, isLeftover }) =>
      (check === 'derived' || reloads.has(check)) && isLeftover
        ? 'recompute gives something else when it is handed its last value'
        : undefined,
  },
  {
    id: 'stale-derived',
    fits: byCheck('derived', 'what the rules kept is not what its own recompute gives'),
  },
  {
    id: 'aliasing',
    fits: ({ check, alias }) =>
      reloads.has(check) && alias !== undefined
        ? `${alias[0]} and ${alias[1]} are one and the same object`
        : undefined,
  },
  {
    id: 'float-sequence',
    fits: ({ check, values }) =>
      (reloads.has(check) || check === 'later') && isNearFloat(values)
        ? 'the two values agree in all but their last bits'
        : undefined,
  },
  {
    id: 'iteration-order',
    fits: ({ hidden }) =>
      hidden.some(({ kind }) => kind === 'sequence')
        ? 'the same members came back in another sequence'
        : undefined,
  },
  {
    id: 'missing-save',
    fits: ({ check, hidden }) =>
      reloads.has(check) && hidden.length > 0
        ? 'an object of the game is not what it was after save and load'
        : undefined,
  },
  {
    id: 'unfaithful-save',
    fits: byCheck('bytes', 'saving again gave other bytes, or loading gave another state'),
  },
  {
    id: 'outside-state',
    fits: ({ check }) =>
      reloads.has(check) ? 'a copy with the same state went on differently' : undefined,
  },
  {
    id: 'module-state',
    fits: (evidence) =>
      evidence.check === 'later' || evidence.check === 'twin'
        ? `the same match in the same process was another one the second time${variablesText(evidence)}`
        : undefined,
  },
  {
    id: 'environment',
    fits: byCheck('elsewhere', 'another process, with another language and zone, disagrees'),
  },
  {
    id: 'engine',
    fits: byCheck('engines', 'another engine, which played the same match, disagrees'),
  },
  {
    id: 'not-canonical',
    fits: byCheck('canonical', 'reading and writing gave other bytes'),
  },
  {
    id: 'allocation',
    fits: byCheck('allocation', 'measured over the last ticks'),
  },
  {
    id: 'game-throws',
    fits: ({ error }) => (error === undefined ? undefined : errorText(error)),
  },
]

function isReadonlyError(error: unknown): boolean {
  return error instanceof UsageError && error.code === 'SS_READONLY_VIEW'
}
