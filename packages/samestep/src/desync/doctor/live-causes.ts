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
      'Compare texts with < and >, which go by code units everywhere, and sort ids instead of names. Use toLowerCase, String(value); leave Intl to the screen.',
  },
  math: {
    title: 'a function of Math that engines compute differently',
    advice:
      'Use dmath, which gives the same bits everywhere, or fixed-point numbers (`fixed`) with its own functions.',
  },
  unstable: {
    title: 'a tick that gives two results on one machine',
    advice:
      'The line below reads something that changes from one run to the next: chance, a clock, or a variable that the ticks themselves change. Use random and tick of the context, and keep everything else in state. `samestep check` finds most of these before a match does.',
  },
  'outside-state': {
    title: 'the simulation knows something that is not in its state',
    advice:
      'Look for what the system reads beside `state`: variables of a module, fields of an object, a closure, derived data with `refresh: "load"`. Put it into `state`, or derive it from the state.',
  },
  'outside-write': {
    title: 'a write from outside of the tick',
    advice:
      'Something changed the state between two ticks: a click handler, drawing code, a promise, a cheat. Write only in setup, apply and step, and issue an order for everything else. Or the step reads what is not in the state, such as a variable of a module that was another when the tick ran.',
  },
  'draws-differ': {
    title: 'a random number that only one machine draws',
    advice:
      'The machines took different branches before the draw. Look at the condition around it: what it reads beside the state, and in what sequence Maps and Sets were filled.',
  },
  'values-differ': {
    title: 'the same write with another value',
    advice:
      'Look at what the line reads beside the state: functions of Math that engines compute differently (use dmath), the time zone or language of the machine, a variable of a module, another build of the game.',
  },
  'paths-differ': {
    title: 'writes to different places',
    advice:
      'The machines took different branches, or went through a list in another sequence. Look at the conditions around the line: what they read beside the state, and in what sequence Maps and Sets were filled.',
  },
} as const satisfies { readonly [id: string]: CauseText }

/** A cause that a live match can tell. */
export type LiveCauseId = keyof typeof liveCauses
