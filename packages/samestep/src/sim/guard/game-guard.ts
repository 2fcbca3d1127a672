import { UsageError } from '../../base/errors.ts'
import type { Difference, PartDeclarations, StatePart } from '../state/part.ts'
import type { State } from '../state/state.ts'
import type { CodePlace, CodeWatch } from './code-watch.ts'
import { placeText } from './code-watch.ts'
import type { HostRule } from './host-rules.ts'
import { HostTraps } from './host-traps.ts'
import { LeafShadow } from './leaf-shadow.ts'

/** Who may know the line that wrote to the state from outside: a trace. */
export interface OutsideWitness {
  /** `poke (main.ts:12:3)`, or `undefined` when it was not seen. */
  lastOutsideSite(): string | undefined
}

/** Changes from outside that a message lists: enough to see which code it was. */
const differencesMax = 4

/** One for all simulations, because the functions that it replaces are there once. */
let sharedTraps: HostTraps | undefined

/** Guards that have game code running, outermost first: a mistake inside all of them is told to all. */
const running: GameGuard[] = []

/**
 * Makes nondeterminism loud while a game is being written. Three mistakes are caught:
 *
 * - game code calls something that differs between machines: it throws at the call, naming it and what
 *   to use instead;
 * - something writes to the state between two ticks: named by a copy of the state after each tick;
 * - a simulation is stepped from inside its own step.
 *
 * An ordinary error of game code is a fault in the report and the same on every machine. These are not,
 * so `step` throws them, even if game code has swallowed them; but only when the tick is complete, so
 * that whoever goes on finds everything in its place.
 */
export class GameGuard implements CodeWatch {
  readonly #state: State<PartDeclarations>
  readonly #game: string
  readonly #witness: OutsideWitness | undefined
  readonly #traps: HostTraps
  readonly #shadow: LeafShadow
  readonly #refuse = (name: string, rule: HostRule): never => this.#refuseCall(name, rule)
  #hasShadow = false
  #isRunning = false
  #tick = 0
  #place: CodePlace = { where: 'setup', name: 'setup' }
  #problem: UsageError | undefined

  constructor(state: State<PartDeclarations>, game: string, witness?: OutsideWitness) {
    sharedTraps ??= new HostTraps()
    this.#traps = sharedTraps
    this.#state = state
    this.#game = game
    this.#witness = witness
    this.#shadow = new LeafShadow(state.memory)
  }

  begin(tick: number): void {
    if (this.#isRunning) {
      this.#problem ??= new UsageError(
        'SS_WRONG_TICK',
        `Cannot run tick ${tick} of '${this.#game}' from inside ${placeText(this.#place)}: tick ${this.#tick} is not over; step it from outside`,
      )
      throw this.#problem
    }
    this.#isRunning = true
    if (this.#hasShadow) this.#checkOutside()
    this.#tick = tick
    this.#traps.open()
  }

  enter(where: CodePlace['where'], name: string): void {
    this.#place = { where, name }
    running.push(this)
    this.#traps.enter(this.#refuse)
  }

  leave(): void {
    this.#traps.leave()
    running.pop()
  }

  end(): void {
    this.#traps.close()
    this.#isRunning = false
    this.#keepShadow()
    const problem = this.#problem
    this.#problem = undefined
    if (problem !== undefined) throw problem
  }

  loaded(): void {
    this.#hasShadow = false
  }

  #refuseCall(name: string, rule: HostRule): never {
    const error = new UsageError(
      'SS_NONDETERMINISTIC',
      `Cannot call ${name} in ${placeText(this.#place)} of '${this.#game}' at tick ${this.#tick}: ${rule.why}; ${rule.instead(name.slice(name.lastIndexOf('.') + 1))}`,
    )
    for (const guard of running) guard.#problem ??= error
    throw error
  }

  #keepShadow(): void {
    try {
      for (const part of this.#state.parts) this.#shadow.capture(part)
      this.#hasShadow = true
    } catch {
      // A plain value that does not fit its field: the tick itself has said so already.
      this.#hasShadow = false
    }
  }

  #checkOutside(): void {
    const found: string[] = []
    for (const part of this.#state.parts) {
      try {
        this.#shadow.compare(part, (label, before, after) => {
          found.push(...explain(part, label, before, after))
        })
      } catch {
        found.push(`${part.name} holds something that does not fit its field`)
      }
    }
    if (found.length === 0) return
    const more = found.length > differencesMax ? `, and ${found.length - differencesMax} more` : ''
    const site = this.#witness?.lastOutsideSite()
    const hint =
      site === undefined ? 'give the simulation a trace to see the line' : `the line is ${site}`
    this.#problem = new UsageError(
      'SS_OUTSIDE_WRITE',
      `Cannot write to the state of '${this.#game}' from outside a tick: since tick ${this.#tick}, ${found.slice(0, differencesMax).join(', ')}${more}; change it in step or apply, and issue an order for it (${hint})`,
    )
  }
}

function explain(
  part: StatePart,
  label: string,
  before: Uint8Array,
  after: Uint8Array,
): readonly string[] {
  const [, column = '', block = '0'] = label.split('/')
  const differences = part.explainLeaf(column, Number(block), before, after)
  // Only the sign of a zero, or which NaN it is: no value of the state, but a write all the same.
  if (differences.length === 0) return [`${part.name}.${column} was written`]
  return differences.map((difference) => differenceText(part, difference))
}

function differenceText(part: StatePart, difference: Difference): string {
  const { row, field, mine, theirs } = difference
  if (field === '#life') return `row ${row} of ${part.name} was added or removed`
  const place = row === undefined || part.kind === 'single' ? field : `${field}[${row}]`
  return `${part.name}.${place} went from ${JSON.stringify(mine)} to ${JSON.stringify(theirs)}`
}
