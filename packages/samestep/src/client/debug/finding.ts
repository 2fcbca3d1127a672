import { callSiteText } from '../../base/call-site-text.ts'
import type { DebugFinding, Fault } from '../../sim/game/run/report.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { Difference } from '../../sim/state/part.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'

/** What a level found, before it is a fault. */
export interface Found {
  readonly check: DebugFinding['check']
  readonly level: DebugFinding['level']
  /** What happened, as the beginning of a sentence. */
  readonly what: string
  /** What to do about it. */
  readonly advice: string
  readonly differences?: readonly Difference[]
  /** The write that made the first of them, where one is known. */
  readonly write?: TraceEntry | undefined
  /** The function of the game, where no write says which. */
  readonly writer?: string
}

/** A fault that says tick, level, place and line. */
export function makeFault(simulation: Simulation, found: Found): Fault {
  const { check, level, what, advice, differences = [], write } = found
  const [first] = differences
  const writer = write === undefined ? (found.writer ?? '') : `${write.where} '${write.name}'`
  const where = first === undefined ? '' : `: ${placeOf(first)}`
  const others = differences.length > 1 ? ` and ${differences.length - 1} more` : ''
  const by = writer === '' ? '' : `, by ${writer}`
  const line = write?.site === undefined ? '' : ` at ${callSiteText(write.site)}`
  const error = new Error(`${what}${where}${others}${by}${line}; ${advice}`)
  error.name = 'DebugFinding'
  return {
    tick: simulation.tick,
    where: 'debug',
    name: first === undefined ? check : `${first.part}.${first.field}`,
    seat: undefined,
    error,
    finding: {
      check,
      level,
      differences,
      writer,
      site: write?.site,
    },
  }
}

function placeOf({ part, row, field, mine, theirs }: Difference): string {
  const cell = `${part}.${field}${row === undefined ? '' : `[${row}]`}`
  return `${cell} is ${JSON.stringify(mine)} here and ${JSON.stringify(theirs)} there`
}
