import type { PairFinding } from './search/pair-finding.ts'

/** Why machines went apart, as far as the evidence shows. */
export type DesyncCauseId =
  /** The bad tick, run twice on one machine, gives two results. */
  | 'unstable'
  /** The machine's own code does not give the state that it had: something else wrote to it. */
  | 'outside-write'
  /** From the same state, one machine drew more random numbers than the other. */
  | 'draws-differ'
  /** From the same state, the same line wrote another value. */
  | 'values-differ'
  /** From the same state, the machines wrote to different places. */
  | 'paths-differ'
  | 'unknown'

/** A cause in words. */
export interface DesyncCause {
  readonly id: DesyncCauseId
  /** What was seen. */
  readonly text: string
  readonly advice: string
}

/**
 * Judges what was found. It never says more than that: what a machine could not show is not guessed.
 * `names` are what the two sides are called in the text.
 */
export function findCause(
  finding: PairFinding,
  names: readonly [string, string],
): DesyncCause | undefined {
  const { tick, reruns, write, areWritesSame } = finding
  for (const side of [0, 1] as const) {
    const rerun = reruns[side]
    if (rerun === undefined || rerun.isSame) continue
    const name = names[side]
    if (!rerun.isStable) {
      const text = `Tick ${tick}, run twice on the machine of ${name}, gave two results.`
      return { id: 'unstable', text, advice: unstableAdvice }
    }
    const like = areWritesSame ? ' and gave the writes of the other side' : ''
    const text = `Tick ${tick}, run again on the machine of ${name}, did not give the state that it had${like}.`
    return { id: 'outside-write', text, advice: outsideAdvice }
  }
  if (write === undefined) return undefined
  const [a, b] = write.sides
  const isDraw = a?.kind === 'draw' || b?.kind === 'draw'
  if (isDraw && (a?.kind !== b?.kind || a?.field !== b?.field)) {
    const [who] = a?.kind === 'draw' ? names : [names[1]]
    const text = `In tick ${tick} the machine of ${who} draws a random number where the other does not.`
    return { id: 'draws-differ', text, advice: pathsAdvice }
  }
  const isSamePlace =
    a !== undefined && b !== undefined && placeOf(a) === placeOf(b) && a.before === b.before
  if (isSamePlace) {
    const text = `From the same state, both machines write ${a.part}.${a.field} in tick ${tick}, and write other values.`
    return { id: 'values-differ', text, advice: valuesAdvice }
  }
  const text = `From the same state, the machines write to different places in tick ${tick}.`
  return { id: 'paths-differ', text, advice: pathsAdvice }
}

function placeOf({
  kind,
  part,
  row,
  field,
}: {
  readonly kind: string
  readonly part: string
  readonly row: number | undefined
  readonly field: string
}): string {
  return JSON.stringify([kind, part, row, field])
}

const unstableAdvice =
  'The line below reads something that changes from one run to the next: chance, a clock, or a variable that the ticks themselves change. Use random and tick of the context, and keep everything else in state. `samestep check` finds most of these before a match does.'

const outsideAdvice =
  'Something changed the state between two ticks: a click handler, drawing code, a promise, a cheat. Write only in setup, apply and step, and issue an order for everything else. Or the step reads what is not in the state, such as a variable of a module that was another when the tick ran.'

const valuesAdvice =
  'Look at what the line reads beside the state: functions of Math that engines compute differently (use dmath), the time zone or language of the machine, a variable of a module, another build of the game.'

const pathsAdvice =
  'The machines took different branches, or went through a list in another sequence. Look at the conditions around the line: what they read beside the state, and in what sequence Maps and Sets were filled.'
