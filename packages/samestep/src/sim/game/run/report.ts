import { UsageError, WireError } from '../../../base/errors.ts'
import type { FoundMisfit } from '../../guard/cell-check.ts'
import type { CellMisfit } from '../../guard/cell-misfit.ts'
import type { Difference } from '../../state/part.ts'
import type { CallSite } from '../../trace/call-site.ts'
import type { SealedOrder, WrongInput } from './bundle.ts'

/** The result of one sealed order; the same on every machine that ran the tick. */
export interface OrderOutcome {
  readonly seat: number
  /** The issuer's own number for the order, if it has one. */
  readonly id: number | undefined
  /** The order's name; `undefined` if its bytes are not an order. */
  readonly type: string | undefined
  /**
   * `executed`, or why not: `refused` by the rules or by `validate`, `malformed` bytes, or `faulted` if the
   * game's code threw while executing it.
   */
  readonly result: 'executed' | 'refused' | 'malformed' | 'faulted'
  /** The reason as text for people; empty for executed orders. */
  readonly reason: string
  /** What `validate` or `apply` threw, if one of them did. */
  readonly error?: unknown
}

/**
 * Game code that threw or misbehaved, or an input that no honest client of the game sends. The tick
 * continues without it, in the same way on every machine. In development also a value that did not fit its
 * cell; reporting it does not affect the state. From debug level 2 on, also what the debug level found.
 */
export interface Fault {
  readonly tick: number
  readonly where: 'setup' | 'validate' | 'apply' | 'step' | 'derived' | 'input' | 'cell' | 'debug'
  /**
   * The system, order or derived value that failed, the field of the input, or a place such as `units.hp`.
   */
  readonly name: string
  /** The seat whose order or input it was, if any. */
  readonly seat: number | undefined
  readonly error: unknown
  /** With `where: 'cell'`: the row, the value written, the value kept, and the function that wrote it. */
  readonly cell?: CellMisfit
  /** With `where: 'debug'`: what a debug level found. */
  readonly finding?: DebugFinding
}

/** A finding of a debug level in a tick. */
export interface DebugFinding {
  /**
   * - `outside-write`: the state changed between two ticks;
   * - `two-results`: running the tick twice gave two different states;
   * - `impure`: `validate` or derived data wrote to the state;
   * - `derived`: derived data differs from what its own `recompute` returns;
   * - `save-differs`: saving and loading changed the state;
   * - `shadow-differs`: the tick depends on something that is not in snapshots.
   */
  readonly check:
    | 'outside-write'
    | 'two-results'
    | 'impure'
    | 'derived'
    | 'save-differs'
    | 'shadow-differs'
  /** The lowest level that finds it. */
  readonly level: 2 | 4
  /** The places that differ, with the values of the match and of the copy. Look at the first one first. */
  readonly differences: readonly Difference[]
  /** The function of the game that wrote there: `step 'move'`. Empty if unknown. */
  readonly writer: string
  /** The source line, if known. */
  readonly site: CallSite | undefined
}

/** The hash of the state after one system, if requested. */
export interface SystemHash {
  readonly system: string
  readonly lo: number
  readonly hi: number
}

/** What happened in one tick. Valid until the next one is stepped. */
export interface TickReport {
  /** The game's tick: a paused tick has the number of the last one that ran. */
  readonly tick: number
  /** The number of the sealed bundle, which also increases in a pause. */
  readonly matchTick: number
  readonly outcomes: readonly OrderOutcome[]
  readonly faults: readonly Fault[]
  /** Empty unless the simulation was created with `hashSystems`. */
  readonly systemHashes: readonly SystemHash[]
}

const none: readonly never[] = Object.freeze([])

/** Gathers a {@link TickReport}. A quiet tick, which is most of them, allocates nothing. */
export class ReportBuilder implements TickReport {
  tick = 0
  matchTick = 0
  outcomes: readonly OrderOutcome[] = none
  faults: readonly Fault[] = none
  systemHashes: readonly SystemHash[] = none

  begin(tick: number, matchTick: number): void {
    this.tick = tick
    this.matchTick = matchTick
    this.outcomes = none
    this.faults = none
    this.systemHashes = none
  }

  outcome(
    order: SealedOrder,
    type: string | undefined,
    result: OrderOutcome['result'],
    reason: string,
    error?: unknown,
  ): void {
    const why = error === undefined ? {} : { error }
    const outcome = { seat: order.seat, id: order.id, type, result, reason, ...why }
    this.outcomes = appended(this.outcomes, outcome)
  }

  fault(where: Fault['where'], name: string, error: unknown, seat?: number): void {
    this.faults = appended(this.faults, { tick: this.tick, where, name, seat, error })
  }

  /** A relay refuses such inputs: this one came from a modified client through a modified relay. */
  wrongInput({ seat, field }: WrongInput): void {
    const error = new WireError(
      'SS_WIRE_OUT_OF_RANGE',
      0,
      `Cannot use what seat ${seat} sent for input '${field}': it is not a valid value, so the field gets its default`,
    )
    this.fault('input', field, error, seat)
  }

  /** Misfits of setup are reported with the first tick, because there is no report before it. */
  misfit({ misfit, error }: FoundMisfit): void {
    const { part, field, writer } = misfit
    const tick = writer === 'setup' ? 0 : this.tick
    const name = `${part}.${field}`
    const fault = { tick, where: 'cell', name, seat: undefined, error, cell: misfit } as const
    this.faults = appended(this.faults, fault)
  }

  /** What an async function did before its first `await` has happened; the rest comes too late. */
  refusePromise(where: Fault['where'], name: string, result: unknown, seat?: number): void {
    if (typeof result !== 'object' || result === null || !('then' in result)) return
    const error = new UsageError(
      'SS_ASYNC_STEP',
      `Cannot wait for ${where} '${name}' to finish: it returned a promise, and a tick is over when its functions return; write it without async`,
    )
    this.fault(where, name, error, seat)
  }

  systemHash(system: string, lo: number, hi: number): void {
    this.systemHashes = appended(this.systemHashes, { system, lo, hi })
  }

  end(): TickReport {
    return this
  }
}

function appended<T>(list: readonly T[], item: T): readonly T[] {
  if (list === none) return [item]
  ;(list as T[]).push(item)
  return list
}
