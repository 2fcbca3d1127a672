import { UsageError } from '../../base/errors.ts'
import type { SealedOrder } from './bundle.ts'

/** What became of one sealed order. The same on every machine that ran the tick. */
export interface OrderOutcome {
  readonly seat: number
  /** The issuer's own number for it, where the order carried one. */
  readonly id: number | undefined
  /** The order's name; `undefined` when its bytes are not an order at all. */
  readonly type: string | undefined
  /**
   * `executed`, or why not: `refused` by the rules or by `validate`, `malformed` bytes, or `faulted`:
   * the game's own code threw while it was carried out.
   */
  readonly result: 'executed' | 'refused' | 'malformed' | 'faulted'
  /** For a person; empty for executed orders. */
  readonly reason: string
}

/** Game code that threw or misbehaved. The tick goes on without it, everywhere in the same way. */
export interface Fault {
  readonly tick: number
  readonly where: 'validate' | 'apply' | 'step' | 'derived'
  /** The system, order or derived value that failed. */
  readonly name: string
  readonly error: unknown
}

/** The hash of the state after one system, when asked for. */
export interface SystemHash {
  readonly system: string
  readonly lo: number
  readonly hi: number
}

/** What happened in one tick. Valid until the next one is stepped. */
export interface TickReport {
  readonly tick: number
  readonly outcomes: readonly OrderOutcome[]
  readonly faults: readonly Fault[]
  /** Empty unless the simulation was made with `hashSystems`. */
  readonly systemHashes: readonly SystemHash[]
}

const none: readonly never[] = Object.freeze([])

/** Gathers a {@link TickReport}. A quiet tick, which is most of them, allocates nothing. */
export class ReportBuilder implements TickReport {
  tick = 0
  outcomes: readonly OrderOutcome[] = none
  faults: readonly Fault[] = none
  systemHashes: readonly SystemHash[] = none

  begin(tick: number): void {
    this.tick = tick
    this.outcomes = none
    this.faults = none
    this.systemHashes = none
  }

  outcome(
    order: SealedOrder,
    type: string | undefined,
    result: OrderOutcome['result'],
    reason: string,
  ): void {
    const outcome = { seat: order.seat, id: order.id, type, result, reason }
    this.outcomes = appended(this.outcomes, outcome)
  }

  fault(where: Fault['where'], name: string, error: unknown): void {
    this.faults = appended(this.faults, { tick: this.tick, where, name, error })
  }

  /** What an async function did before its first await has happened; the rest never will in time. */
  refusePromise(where: Fault['where'], name: string, result: unknown): void {
    if (typeof result !== 'object' || result === null || !('then' in result)) return
    const error = new UsageError(
      'SS_ASYNC_STEP',
      `Cannot wait for ${where} '${name}' to finish: it returned a promise, and a tick is over when its functions return; write it without async`,
    )
    this.fault(where, name, error)
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
