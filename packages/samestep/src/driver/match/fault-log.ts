import type { Fault } from '../../sim/game/run/report.ts'

/** A fault of the game. `count` is the number of faults of this kind so far, including this one. */
export interface MatchFault extends Fault {
  readonly count: number
}

/**
 * Counts the faults of a match, by where they happened. In development the first of each kind is shown
 * on the console with its stack, and then the tenth, the hundredth and so on: a step that throws does so
 * in every tick, and nobody reads thirty lines per second.
 */
export class FaultLog {
  readonly #counts = new Map<string, number>()
  readonly #print: ((text: string, error: unknown) => void) | undefined

  /** Without `print`, nothing is shown. */
  constructor(print: ((text: string, error: unknown) => void) | undefined) {
    this.#print = print
  }

  note(fault: Fault): MatchFault {
    const writer = fault.cell?.writer ?? fault.finding?.check ?? ''
    const kind = `${fault.where} ${fault.name} ${writer}`
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    if (isPowerOfTen(count)) this.#print?.(describeFault(fault, count), fault.error)
    return { ...fault, count }
  }
}

/** A sentence for the console: where, when, whose order, and how often. */
export function describeFault({ where, name, tick, seat, error }: Fault, count = 1): string {
  const what = where === name ? where : `${where} '${name}'`
  const whose = seat === undefined || seat < 0 ? '' : `, for an order of seat ${seat}`
  const often = count === 1 ? '' : `, for the ${count}th time`
  // Nothing was thrown: the message is the whole story.
  if (where === 'input' || where === 'cell' || where === 'debug') {
    return `[samestep] ${error instanceof Error ? error.message : String(error)} (tick ${tick}${often})`
  }
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const then = where === 'setup' ? 'the match cannot be played' : 'the match continues without it'
  return `[samestep] ${what} threw at tick ${tick}${whose}${often}; ${then}. ${why}`
}

function isPowerOfTen(count: number): boolean {
  return /^10*$/.test(String(count))
}
