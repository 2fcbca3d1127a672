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
      'A tick is over when its functions return; what comes later comes at another time on every machine. Do it within the tick, or keep the tick at which it is due in the state. What comes from outside belongs into an order.',
  },
  'mutated-options': {
    title: 'the match’s options are changed',
    advice:
      'Options are the same for everybody for the whole match, and are not saved: whoever joins late has them as they were given. Copy what changes into `state`.',
  },
  'kept-bytes': {
    title: 'a load that keeps the bytes it was given',
    advice:
      'The bytes belong to whoever loads, and may be loaded once more or overwritten. Copy what you keep: `bytes.slice()`.',
  },
  'live-save': {
    title: 'a save that hands out live memory',
    advice:
      'What save gives must stay as it is while the simulation goes on. Give a copy: `bytes.slice()`.',
  },
  'async-step': {
    title: 'a rule of the game is async',
    advice: 'Write it without async: a tick is over when its functions return.',
  },
  'table-full': {
    title: 'a table is full',
    advice:
      'Declare a larger maximum, or test table.count < table.rowsMax before add and do something sensible.',
  },
  'cell-misfit': {
    title: 'a value that does not fit its cell',
    advice:
      'A column keeps whole numbers of its type, without an error: 300 in a u8 becomes 44, 0.5 in a fixed becomes 0. Round and bound the value where it is written, write fixed.from(0.5) for a fixed-point half, mask what should go round (x & 0xff), or declare a wider type. A value outside a range, seat, bool or oneOf is kept, and no save with it can be loaded.',
  },
  'impure-validate': {
    title: 'validate writes or draws',
    advice:
      'validate only reads: interfaces ask it any number of times, and each machine as often as it likes. Move the write into apply or step.',
  },
  'viewer-leak': {
    title: 'the simulation reads what belongs to the viewer',
    advice:
      'Whose screen it is, what is selected, where the camera is and how often a frame is drawn must not reach setup, validate, apply or step. Pass it in an order.',
  },
  'view-random': {
    title: "drawing draws from the simulation's random numbers",
    advice:
      'Use CosmeticRandom for effects, or syncedCosmetic where all players should see the same. Do not keep `random` of a step for later.',
  },
  'view-write': {
    title: 'drawing writes to the state',
    advice:
      'Keep what only the screen needs in objects of the screen, and issue an order for everything else. Do not keep `state` of a step for later.',
  },
  'library-random': {
    title: 'randomness inside a package',
    advice:
      'A package draws by itself. Give it the simulation’s `random` if it takes a generator or a seed, call it only when drawing, or do without it.',
  },
  sort: {
    title: 'a comparator that contradicts itself',
    advice:
      'A comparator must decide every pair the same way round: `a.key - b.key || a.id - b.id`. One that never says 0, answers true or false, or draws lots, sorts differently on other engines.',
  },
  environment: {
    title: 'the machine that the game runs on',
    advice:
      'Environment variables, `navigator`, the number of processors, language and time zone are another thing for every player, also when a module reads them while it loads. What players should agree on belongs into the match’s `options`.',
  },
  'engine-texts': {
    title: 'a text of the engine',
    advice:
      'Engines say the same in other words. Do not keep `error.message` or `error.stack`, nor anything that follows from it; test for the case beforehand, or keep a code of your own.',
  },
  'module-state': {
    title: 'a variable outside the state, such as a cache in a module',
    advice:
      'A variable of a module outlives the match, is shared by all simulations of the process, and is not there for whoever joins. Move it into `state`, make it `derived`, or fill it before every use.',
  },
  'nan-bits': {
    title: 'the bits of a NaN',
    advice:
      'A NaN has many bit patterns and engines choose. Do not let it get there, or write a constant in place of every NaN in save and leaves.',
  },
  'impure-derived': {
    title: 'computing derived data writes to the state',
    advice: 'recompute only reads the state and gives its result back.',
  },
  'derived-leftovers': {
    title: 'derived data that keeps something of its last value',
    advice:
      'recompute is handed its last value to reuse the memory. Empty it first: whoever joins late has no last value.',
  },
  'stale-derived': {
    title: 'derived data that was not brought up to date',
    advice:
      'Some write changes what it follows from and does not tell it. Declare it without `refresh`, so that it is computed before every tick, or update it wherever its source is written.',
  },
  aliasing: {
    title: 'one object in two places of plain state',
    advice:
      'A save writes the object twice, and a load makes two objects of it, which then go their own ways. Keep it in one place, and its key or index in the other.',
  },
  'float-sequence': {
    title: 'floats that are added in another sequence',
    advice:
      'a + b + c depends on the sequence in its last bit. Go through rows or sorted ids, or add whole or fixed-point numbers, whose sum does not depend on it.',
  },
  'iteration-order': {
    title: 'a Map or Set that has another sequence after a reload',
    advice:
      'Save members in the sequence in which they are, and add them in that sequence when loading; or go through them sorted. Maps and Sets of a `plain` part do that by themselves.',
  },
  'missing-save': {
    title: 'something that save leaves out',
    advice:
      'Save and load everything that the future depends on, and hash it (leaves). If it can be computed from the rest, compute it in load.',
  },
  'unfaithful-save': {
    title: 'a save that does not give back what was there',
    advice: 'save, load and leaves of a custom part must agree: the same state, the same bytes.',
  },
  engine: {
    title: 'something that engines do differently',
    advice:
      'The same rules gave another state on another engine. Look for inexact functions of Math, texts of errors, the sequence of sort and keys, and features that one of them lacks.',
  },
  'not-canonical': {
    title: 'bytes that are not the canonical ones were accepted',
    advice: 'A field of your own must refuse in read whatever its write would not have written.',
  },
  allocation: {
    title: 'a tick allocates more than its bound',
    advice: 'Keep scratch arrays from tick to tick, and use tables in place of objects.',
  },
  'game-throws': {
    title: 'a rule of the game throws',
    advice:
      'The tick goes on without the rest of that function, on every machine alike. Test for the case that it did not expect; orders name what is gone, and come twice.',
  },
  unknown: {
    title: 'not clear',
    advice: 'Run the reproduction with a debugger at the line below; please tell us of it.',
  },
} as const satisfies { readonly [id: string]: CauseText }

/** The kinds of mistake that can be told apart. */
export type CauseId = keyof typeof causeTable
