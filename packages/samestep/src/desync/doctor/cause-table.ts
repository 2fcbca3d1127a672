import type { CauseText } from './live-causes.ts'
import { liveCauses } from './live-causes.ts'

/**
 * The one table of causes: what every kind of mistake is called, and what to do about it. `samestep check`
 * and the report of a desync in a match both tell from it. What speaks for a cause is judged where the
 * evidence is: in `check/causes/cause-rules.ts` from experiments, in `live-cause.ts` from what two machines said.
 *
 * A cause that only says what was seen (`values-differ`) is told where no other one is shown.
 */

/** Every cause that can be told. */
export const causeTable = {
  ...liveCauses,
  'async-write': {
    title: 'a write after the tick, from a promise or a timer',
    advice:
      'A tick is over when its functions return; anything later happens at a different time on every machine. Do it within the tick, or keep the tick at which it is due in the state. Pass external events in an order.',
  },
  'mutated-options': {
    title: 'the match’s options are changed',
    advice:
      'Options are the same for everybody for the whole match and are not saved: a late joiner has the original ones. Copy what changes into `state`.',
  },
  'kept-bytes': {
    title: 'a load that keeps the bytes it was given',
    advice:
      'The bytes belong to the caller, and may be loaded again or overwritten. Copy what you keep: `bytes.slice()`.',
  },
  'live-save': {
    title: 'a save that returns live memory',
    advice:
      'The result of save must not change while the simulation continues. Return a copy: `bytes.slice()`.',
  },
  'async-step': {
    title: 'a rule of the game is async',
    advice: 'Write it without async: a tick is over when its functions return.',
  },
  'table-full': {
    title: 'a table is full',
    advice:
      'Declare a larger maximum, or test table.count < table.rowsMax before add and handle that case.',
  },
  'cell-misfit': {
    title: 'a value that does not fit its cell',
    advice:
      'A column truncates to whole numbers of its type, without an error: 300 in a u8 becomes 44, 0.5 in a fixed becomes 0. Round and clamp the value where it is written, write fixed.from(0.5) for a fixed-point half, mask what should wrap (x & 0xff), or declare a wider type. A value outside a range, seat, bool or oneOf is kept, but a snapshot with it cannot be loaded.',
  },
  'impure-validate': {
    title: 'validate writes or draws',
    advice:
      'validate must only read: user interfaces call it any number of times, differently on each machine. Move the write into apply or step.',
  },
  'viewer-leak': {
    title: 'the simulation reads what belongs to the viewer',
    advice:
      'Whose screen it is, what is selected, where the camera is and how often a frame is drawn must not reach setup, validate, apply or step. Pass it in an order.',
  },
  'view-random': {
    title: "drawing draws from the simulation's random numbers",
    advice:
      'Use CosmeticRandom for effects, or syncedCosmetic if all players should see the same. Do not keep `random` of a step for later use.',
  },
  'view-write': {
    title: 'drawing writes to the state',
    advice:
      'Keep what only the screen needs outside the state, and issue an order for everything else. Do not keep `state` of a step for later use.',
  },
  'library-random': {
    title: 'randomness inside a package',
    advice:
      'A package uses its own random numbers. Pass it the simulation’s `random` if it takes a generator or a seed, call it only when drawing, or replace it.',
  },
  sort: {
    title: 'a comparator that contradicts itself',
    advice:
      'A comparator must decide every pair consistently: `a.key - b.key || a.id - b.id`. One that never returns 0, returns true or false, or is random sorts differently on other engines.',
  },
  environment: {
    title: 'the machine that the game runs on',
    advice:
      'Environment variables, `navigator`, the number of processors, language and time zone differ between players, also when a module reads them while it loads. Put what players should agree on into the match’s `options`.',
  },
  'engine-texts': {
    title: 'the wording of an engine error',
    advice:
      'Engines word the same error differently. Do not keep `error.message` or `error.stack`, or anything derived from them; test for the case beforehand, or keep your own code.',
  },
  'module-state': {
    title: 'a variable outside the state, such as a cache in a module',
    advice:
      'A module variable outlives the match, is shared by all simulations of the process, and is missing for late joiners. Move it into `state`, make it `derived`, or fill it before every use.',
  },
  'nan-bits': {
    title: 'the bits of a NaN',
    advice:
      'A NaN has many bit patterns, and engines choose freely. Avoid NaN in the state, or write a constant in place of every NaN in save and leaves.',
  },
  'impure-derived': {
    title: 'computing derived data writes to the state',
    advice: 'recompute must only read the state and return its result.',
  },
  'derived-leftovers': {
    title: 'derived data that keeps part of its last value',
    advice:
      'recompute gets its last value to reuse the memory. Clear it first: a late joiner has no last value.',
  },
  'stale-derived': {
    title: 'derived data that was not updated',
    advice:
      'A write changes its source without updating it. Declare it without `refresh`, so that it is computed before every tick, or update it wherever its source is written.',
  },
  aliasing: {
    title: 'one object in two places of plain state',
    advice:
      'A save writes the object twice, and a load makes two objects, which then diverge. Keep it in one place, and its key or index in the other.',
  },
  'float-sequence': {
    title: 'floats that are added in a different sequence',
    advice:
      'The last bit of a + b + c depends on the sequence. Iterate over rows or sorted ids, or add whole or fixed-point numbers, whose sum does not depend on it.',
  },
  'iteration-order': {
    title: 'a Map or Set whose sequence changes after a reload',
    advice:
      'Save members in their sequence, and add them in that sequence when loading; or iterate over them sorted. Maps and Sets of a `plain` part do this automatically.',
  },
  'missing-save': {
    title: 'something that save leaves out',
    advice:
      'Save and load everything that later ticks depend on, and hash it (leaves). If it can be computed from the rest, compute it in load.',
  },
  'unfaithful-save': {
    title: 'a save that does not restore the state',
    advice: 'save, load and leaves of a custom part must agree: the same state, the same bytes.',
  },
  engine: {
    title: 'something that engines do differently',
    advice:
      'The same rules gave a different state on another engine. Look for inexact Math functions, error texts, the sequence of sort and keys, and features that one of them lacks.',
  },
  'not-canonical': {
    title: 'bytes that are not canonical were accepted',
    advice: 'The read of a custom field must refuse everything that its write would not write.',
  },
  allocation: {
    title: 'a tick allocates more than its limit',
    advice: 'Reuse scratch arrays between ticks, and use tables instead of objects.',
  },
  'game-throws': {
    title: 'a rule of the game throws',
    advice:
      'The tick continues without the rest of that function, on every machine. Handle the case that it did not expect: an order may name something that no longer exists, or come twice.',
  },
  unknown: {
    title: 'not clear',
    advice: 'Run the reproduction with a debugger at the line below; please report it.',
  },
} as const satisfies { readonly [id: string]: CauseText }

/** The kinds of mistakes that can be distinguished. */
export type CauseId = keyof typeof causeTable
