/** A kind of mistake, as a person reads it. */
export interface CauseText {
  /** In a few words. */
  readonly title: string
  readonly advice: string
}

/**
 * The causes that a desync between two machines can be shown to have. They stand apart from the rest of
 * the doctor's table because a relay is in every bundle that plays locally, and a check is not.
 */
export const liveCauses = {
  random: {
    title: 'randomness that is not the simulation’s',
    advice: 'Use `random` of the context instead: it is saved, hashed and the same everywhere.',
  },
  clock: {
    title: 'the wall clock',
    advice: 'Count ticks instead: `tick` of the context is the only time that all machines share.',
  },
  zone: {
    title: 'the time zone',
    advice:
      'Do not read dates in the simulation. A calendar in the game is a count of ticks in the state.',
  },
  locale: {
    title: 'the machine’s language',
    advice:
      'Compare texts with < and >, which compare code units everywhere, and sort ids instead of names. Use toLowerCase and String(value); use Intl only for display.',
  },
  math: {
    title: 'a Math function that engines compute differently',
    advice:
      'Use dmath, which gives the same bits everywhere, or fixed-point numbers (`fixed`) and their functions.',
  },
  unstable: {
    title: 'a tick that gives two results on one machine',
    advice:
      'The line below reads something that changes from one run to the next: a random number, a clock, or a variable that the ticks themselves change. Use random and tick of the context, and keep everything else in state. `samestep check` finds most of these before a match does.',
  },
  'outside-state': {
    title: 'the simulation uses something that is not in its state',
    advice:
      'Look for what the system reads besides `state`: module variables, fields of an object, a closure, derived data with `refresh: "load"`. Put it into `state`, or derive it from the state.',
  },
  'outside-write': {
    title: 'a write from outside the tick',
    advice:
      'Something changed the state between two ticks: a click handler, drawing code, a promise, a cheat. Write only in setup, apply and step, and issue an order for everything else. Or the step reads something that is not in the state, such as a module variable that had another value when the tick ran.',
  },
  'draws-differ': {
    title: 'a random number that only one machine draws',
    advice:
      'The machines took different branches before the draw. Look at the condition around it: what it reads besides the state, and in what sequence Maps and Sets were filled.',
  },
  'values-differ': {
    title: 'the same write with another value',
    advice:
      'Look at what the line reads besides the state: Math functions that engines compute differently (use dmath), the time zone or language of the machine, a module variable, another build of the game.',
  },
  'paths-differ': {
    title: 'writes to different places',
    advice:
      'The machines took different branches, or iterated over a list in a different sequence. Look at the conditions around the line: what they read besides the state, and in what sequence Maps and Sets were filled.',
  },
} as const satisfies { readonly [id: string]: CauseText }

/** A cause that a live match can tell. */
export type LiveCauseId = keyof typeof liveCauses
