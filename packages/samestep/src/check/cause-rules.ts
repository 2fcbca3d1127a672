/** The kinds of mistake one by one: their names, what speaks for them, and what to do. */
import { UsageError } from '../base/errors.ts'
import type { Json } from '../sim/schema/field.ts'
import { errorText } from './error-text.ts'
import type { CauseId, Evidence } from './evidence.ts'
import type { CheckId } from './lane.ts'
import type { Factor } from './machine-state.ts'

/** One kind of mistake, and how it is told. */
export type Rule = {
  readonly id: CauseId
  readonly title: string
  readonly advice: string
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

const moduleTitle = 'a variable outside the state, such as a cache in a module'
const moduleAdvice =
  'A variable of a module outlives the match, is shared by all simulations of the process, and is not there for whoever joins. Move it into `state`, make it `derived`, or fill it before every use.'

const environmentAdvice =
  'Environment variables, `navigator`, the number of processors, language and time zone are another thing for every player, also when a module reads them while it loads. What players should agree on belongs into the match’s `options`.'

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
    title: 'a write after the tick, from a promise or a timer',
    advice:
      'A tick is over when its functions return; what comes later comes at another time on every machine. Do it within the tick, or keep the tick at which it is due in the state. What comes from outside belongs into an order.',
    fits: byCheck('async', 'the state was another one after callbacks of the tick had run'),
  },
  {
    id: 'mutated-options',
    title: 'the match’s options are changed',
    advice:
      'Options are the same for everybody for the whole match, and are not saved: whoever joins late has them as they were given. Copy what changes into `state`.',
    fits: ({ areOptionsChanged }) =>
      areOptionsChanged ? 'the options are not what the match was started with' : undefined,
  },
  {
    id: 'kept-bytes',
    title: 'a load that keeps the bytes it was given',
    advice:
      'The bytes belong to whoever loads, and may be loaded once more or overwritten. Copy what you keep: `bytes.slice()`.',
    fits: ({ memory }) =>
      memory === 'kept'
        ? 'the state changed when the bytes that had been loaded were overwritten'
        : undefined,
  },
  {
    id: 'live-save',
    title: 'a save that hands out live memory',
    advice:
      'What save gives must stay as it is while the simulation goes on. Give a copy: `bytes.slice()`.',
    fits: ({ memory }) =>
      memory === 'live'
        ? 'the state changed when the bytes that save gave were overwritten'
        : undefined,
  },
  {
    id: 'async-step',
    title: 'a rule of the game is async',
    advice: 'Write it without async: a tick is over when its functions return.',
    fits: byCode('SS_ASYNC_STEP', 'the function returned a promise'),
  },
  {
    id: 'table-full',
    title: 'a table is full',
    advice:
      'Declare a larger maximum, or test table.count < table.rowsMax before add and do something sensible.',
    fits: byCode('SS_TABLE_FULL', 'add was called when all rows lived'),
  },
  {
    id: 'cell-misfit',
    title: 'a value that does not fit its cell',
    advice:
      'A column keeps whole numbers of its type, without an error: 300 in a u8 becomes 44, 0.5 in a fixed becomes 0. Round and bound the value where it is written, write fixed.from(0.5) for a fixed-point half, mask what should go round (x & 0xff), or declare a wider type. A value outside a range, seat, bool or oneOf is kept, and no save with it can be loaded.',
    fits: ({ check, error }) =>
      check === 'cells' && error instanceof Error ? error.message : undefined,
  },
  {
    id: 'impure-validate',
    title: 'validate writes or draws',
    advice:
      'validate only reads: interfaces ask it any number of times, and each machine as often as it likes. Move the write into apply or step.',
    fits: byCheck('pure', 'the state was another one after validate had been asked'),
  },
  {
    id: 'viewer-leak',
    title: 'the simulation reads what belongs to the viewer',
    advice:
      'Whose screen it is, what is selected, where the camera is and how often a frame is drawn must not reach setup, validate, apply or step. Pass it in an order.',
    fits: ({ isViewer }) =>
      isViewer
        ? 'two copies differ as soon as another seat is drawn, and in nothing else'
        : undefined,
  },
  {
    id: 'view-random',
    title: "drawing draws from the simulation's random numbers",
    advice:
      'Use CosmeticRandom for effects, or syncedCosmetic where all players should see the same. Do not keep `random` of a step for later.',
    fits: ({ check, part }) =>
      check === 'viewer' && part === '#random'
        ? 'a random stream had been drawn from after drawing'
        : undefined,
  },
  {
    id: 'view-write',
    title: 'drawing writes to the state',
    advice:
      'Keep what only the screen needs in objects of the screen, and issue an order for everything else. Do not keep `state` of a step for later.',
    fits: ({ check, error }) =>
      check === 'viewer' && (error === undefined || isReadonlyError(error))
        ? 'the state was another one after drawing'
        : undefined,
  },
  {
    id: 'library-random',
    title: 'randomness inside a package',
    advice:
      'A package draws by itself. Give it the simulation’s `random` if it takes a generator or a seed, call it only when drawing, or do without it.',
    fits: (evidence) =>
      evidence.isInPackage ? byFactor('random', 'what Math.random says')(evidence) : undefined,
  },
  {
    id: 'random',
    title: 'randomness that is not the simulation’s',
    advice: 'Use `random` of the context instead: it is saved, hashed and the same everywhere.',
    fits: byFactor('random', 'what Math.random says'),
  },
  {
    id: 'clock',
    title: 'the wall clock',
    advice: 'Count ticks instead: `tick` of the context is the only time that all machines share.',
    fits: byFactor('clock', 'the time'),
  },
  {
    id: 'zone',
    title: 'the time zone',
    advice:
      'Do not read dates in the simulation. A calendar in the game is a count of ticks in the state.',
    fits: byFactor('zone', 'the time zone'),
  },
  {
    id: 'locale',
    title: 'the machine’s language',
    advice:
      'Compare texts with < and >, which go by code units everywhere, and sort ids instead of names. Use toLowerCase, String(value); leave Intl to the screen.',
    fits: byFactor('locale', 'the language'),
  },
  {
    id: 'math',
    title: 'a function of Math that engines compute differently',
    advice:
      'Use dmath, which gives the same bits everywhere, or fixed-point numbers (`fixed`) with its own functions.',
    fits: byFactor('math', 'the last bit of Math.sin and its like'),
  },
  {
    id: 'sort',
    title: 'a comparator that contradicts itself',
    advice:
      'A comparator must decide every pair the same way round: `a.key - b.key || a.id - b.id`. One that never says 0, answers true or false, or draws lots, sorts differently on other engines.',
    fits: byFactor('sort', 'the algorithm of sort'),
  },
  {
    id: 'environment',
    title: 'the machine that the game runs on',
    advice: environmentAdvice,
    fits: byFactor('environment', 'what the machine says of itself'),
  },
  {
    id: 'engine-texts',
    title: 'a text of the engine',
    advice:
      'Engines say the same in other words. Do not keep `error.message` or `error.stack`, nor anything that follows from it; test for the case beforehand, or keep a code of your own.',
    fits: byFactor('texts', 'the wording of the engine’s errors'),
  },
  {
    id: 'module-state',
    title: moduleTitle,
    advice: moduleAdvice,
    fits: (evidence) =>
      evidence.isModule
        ? `copies whose modules nobody else has used go on otherwise${variablesText(evidence)}`
        : undefined,
  },
  {
    id: 'nan-bits',
    title: 'the bits of a NaN',
    advice:
      'A NaN has many bit patterns and engines choose. Do not let it get there, or write a constant in place of every NaN in save and leaves.',
    fits: byCheck('nan', 'the hash changed when only the bits of a NaN did'),
  },
  {
    id: 'impure-derived',
    title: 'computing derived data writes to the state',
    advice: 'recompute only reads the state and gives its result back.',
    fits: ({ check, hidden }) =>
      check === 'derived' && hidden.length === 0
        ? 'the state was another one after recompute'
        : undefined,
  },
  {
    id: 'derived-leftovers',
    title: 'derived data that keeps something of its last value',
    advice:
      'recompute is handed its last value to reuse the memory. Empty it first: whoever joins late has no last value.',
    fits: ({ check, isLeftover }) =>
      (check === 'derived' || reloads.has(check)) && isLeftover
        ? 'recompute gives something else when it is handed its last value'
        : undefined,
  },
  {
    id: 'stale-derived',
    title: 'derived data that was not brought up to date',
    advice:
      'Some write changes what it follows from and does not tell it. Declare it without `refresh`, so that it is computed before every tick, or update it wherever its source is written.',
    fits: byCheck('derived', 'what the rules kept is not what its own recompute gives'),
  },
  {
    id: 'aliasing',
    title: 'one object in two places of plain state',
    advice:
      'A save writes the object twice, and a load makes two objects of it, which then go their own ways. Keep it in one place, and its key or index in the other.',
    fits: ({ check, alias }) =>
      reloads.has(check) && alias !== undefined
        ? `${alias[0]} and ${alias[1]} are one and the same object`
        : undefined,
  },
  {
    id: 'float-sequence',
    title: 'floats that are added in another sequence',
    advice:
      'a + b + c depends on the sequence in its last bit. Go through rows or sorted ids, or add whole or fixed-point numbers, whose sum does not depend on it.',
    fits: ({ check, values }) =>
      (reloads.has(check) || check === 'later') && isNearFloat(values)
        ? 'the two values agree in all but their last bits'
        : undefined,
  },
  {
    id: 'iteration-order',
    title: 'a Map or Set that has another sequence after a reload',
    advice:
      'Save members in the sequence in which they are, and add them in that sequence when loading; or go through them sorted. Maps and Sets of a `plain` part do that by themselves.',
    fits: ({ hidden }) =>
      hidden.some(({ kind }) => kind === 'sequence')
        ? 'the same members came back in another sequence'
        : undefined,
  },
  {
    id: 'missing-save',
    title: 'something that save leaves out',
    advice:
      'Save and load everything that the future depends on, and hash it (leaves). If it can be computed from the rest, compute it in load.',
    fits: ({ check, hidden }) =>
      reloads.has(check) && hidden.length > 0
        ? 'an object of the game is not what it was after save and load'
        : undefined,
  },
  {
    id: 'unfaithful-save',
    title: 'a save that does not give back what was there',
    advice: 'save, load and leaves of a custom part must agree: the same state, the same bytes.',
    fits: byCheck('bytes', 'saving again gave other bytes, or loading gave another state'),
  },
  {
    id: 'outside-state',
    title: 'the simulation knows something that is not in its state',
    advice:
      'Look for what the system reads beside `state`: variables of a module, fields of an object, a closure, derived data with `refresh: "load"`. Put it into `state`, or derive it from the state.',
    fits: ({ check }) =>
      reloads.has(check) ? 'a copy with the same state went on differently' : undefined,
  },
  {
    id: 'module-state',
    title: moduleTitle,
    advice: moduleAdvice,
    fits: (evidence) =>
      evidence.check === 'later' || evidence.check === 'twin'
        ? `the same match in the same process was another one the second time${variablesText(evidence)}`
        : undefined,
  },
  {
    id: 'environment',
    title: 'something of the process or the machine',
    advice: environmentAdvice,
    fits: byCheck('elsewhere', 'another process, with another language and zone, disagrees'),
  },
  {
    id: 'engine',
    title: 'something that engines do differently',
    advice:
      'The same rules gave another state on another engine. Look for inexact functions of Math, texts of errors, the sequence of sort and keys, and features that one of them lacks.',
    fits: byCheck('engines', 'another engine, which played the same match, disagrees'),
  },
  {
    id: 'not-canonical',
    title: 'bytes that are not the canonical ones were accepted',
    advice: 'A field of your own must refuse in read whatever its write would not have written.',
    fits: byCheck('canonical', 'reading and writing gave other bytes'),
  },
  {
    id: 'allocation',
    title: 'a tick allocates more than its bound',
    advice: 'Keep scratch arrays from tick to tick, and use tables in place of objects.',
    fits: byCheck('allocation', 'measured over the last ticks'),
  },
  {
    id: 'game-throws',
    title: 'a rule of the game throws',
    advice:
      'The tick goes on without the rest of that function, on every machine alike. Test for the case that it did not expect; orders name what is gone, and come twice.',
    fits: ({ error }) => (error === undefined ? undefined : errorText(error)),
  },
]

function isReadonlyError(error: unknown): boolean {
  return error instanceof UsageError && error.code === 'SS_READONLY_VIEW'
}
