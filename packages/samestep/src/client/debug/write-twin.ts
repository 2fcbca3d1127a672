import type { MatchCopy } from '../../desync/investigate/match-copy.ts'
import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { Trace } from '../../sim/trace/trace.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import { DerivedCheck } from './derived-check.ts'
import { makeFault } from './finding.ts'
import type { Place, Retrace } from './retrace.ts'
import type { WatchedMatch } from './tick-watcher.ts'

/**
 * Level 2: a second simulation that runs every tick along with the match, with every write recorded.
 *
 *     match   ─ tick 7 ─●──────── between ticks ───────●─ tick 8 ─●
 *     twin    ─ tick 7 ─●                                tick 8 ─●
 *                       └ the same state?  still the same? ┘     └ the same state?
 *
 * - A match that has changed between two ticks was written to from outside.
 * - A tick that gives two results reads what is not in the state.
 * - A write by a function that may only read stands in the trace.
 *
 * After a finding the twin takes the match's state: each is told once.
 */
export class WriteTwin {
  readonly #match: WatchedMatch
  readonly #retrace: Retrace
  readonly #trace: Trace
  readonly #twin: MatchCopy
  readonly #derived: DerivedCheck
  /** Writes by functions that may only read, so far. */
  #impureCount = 0

  constructor(match: WatchedMatch, retrace: Retrace) {
    this.#match = match
    this.#retrace = retrace
    this.#trace = createTrace({ callSites: false })
    this.#twin = match.inner.makeCopy(this.#trace)
    this.#derived = new DerivedCheck(match)
    this.reload()
  }

  /** The writes of the last ticks, oldest first, without their lines. */
  writes(): readonly TraceEntry[] {
    return this.#trace.entries()
  }

  /** Takes the state of the match as it is. */
  reload(): void {
    this.#twin.load(this.#match.inner.saveNow())
    this.#derived.restart()
  }

  /** Before a tick: nobody may have written since the last one. Gives whether somebody has. */
  handleDue(): boolean {
    const { simulation } = this.#match
    const then = simulation.syncHashAt(simulation.matchTick)
    if (then === undefined || simulation.syncHash() === then) return false
    this.#match.tell(
      makeFault(simulation, {
        check: 'outside-write',
        level: 2,
        what: 'Cannot explain the state by ticks alone: it has changed since the last one',
        advice:
          'look for writes from event handlers, drawing code and promises; the state may change in ticks only',
        differences: diffStates(simulation, this.#twin.simulation),
      }),
    )
    this.reload()
    return true
  }

  handleRan(before: KeptState, bundle: Uint8Array): void {
    const { simulation } = this.#match
    this.#twin.run(bundle)
    this.#findImpure(before, bundle)
    if (simulation.syncHashAt(simulation.matchTick) !== this.#twin.simulation.syncHash()) {
      this.#tellUnstable(before, bundle)
      this.reload()
      return
    }
    this.#derived.run(this.#twin.simulation)
  }

  #tellUnstable(before: KeptState, bundle: Uint8Array): void {
    const { simulation } = this.#match
    const differences = diffStates(simulation, this.#twin.simulation)
    const [first] = differences
    const write = first && this.#retrace.lastWriteTo(before, bundle, first)
    this.#match.tell(
      makeFault(simulation, {
        check: 'two-results',
        level: 2,
        what: 'Cannot get the same result twice: this tick, run a second time, gave another state',
        advice:
          'look for random numbers, clocks and variables outside the state in what this line reads',
        differences,
        write,
      }),
    )
  }

  #findImpure(before: KeptState, bundle: Uint8Array): void {
    const count = this.#trace.countBy('validate') + this.#trace.countBy('derived')
    if (count === this.#impureCount) return
    this.#impureCount = count
    const write = this.#retrace.first(before, bundle, isImpure)
    if (write === undefined) return
    const { part, row, field, before: mine, after: theirs } = write
    this.#match.tell(
      makeFault(this.#match.simulation, {
        check: 'impure',
        level: 2,
        what: `Cannot let ${write.where} '${write.name}' write: it may only read`,
        advice: 'write in apply or in a system',
        differences: [{ part, row, field, mine, theirs }],
        write,
      }),
    )
  }
}

/** A draw is a write as well: it moves its stream. */
function isImpure({ where }: Place): boolean {
  return where === 'validate' || where === 'derived'
}
