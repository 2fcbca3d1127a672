import type { UsageErrorCode } from '../../base/errors.ts'
import { UsageError } from '../../base/errors.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { TickReport } from '../../sim/game/run/report.ts'
import type { AnyEvent } from '../match/match.ts'
import type { JoinFailure } from '../online/join-error.ts'
import { JoinError } from '../online/join-error.ts'

/** An error on its way to another thread, which would otherwise lose its class and its code. */
export type PackedError =
  | { readonly kind: 'usage'; readonly code: UsageErrorCode; readonly message: string }
  | {
      readonly kind: 'join'
      readonly reason: JoinFailure
      readonly message: string
      readonly cause?: PackedError
    }
  | {
      readonly kind: 'other'
      readonly name: string
      readonly message: string
      readonly stack: string
    }

/** Packs whatever was thrown. */
export function packError(error: unknown): PackedError {
  if (error instanceof UsageError) {
    return { kind: 'usage', code: error.code, message: error.message }
  }
  if (error instanceof JoinError) {
    const { reason, message, cause } = error
    const why = cause === undefined ? {} : { cause: packError(cause) }
    return { kind: 'join', reason, message, ...why }
  }
  if (!(error instanceof Error)) {
    return { kind: 'other', name: 'Error', message: String(error), stack: '' }
  }
  const { name, message, stack = '' } = error
  return { kind: 'other', name, message, stack }
}

/** Makes the error again, of its class where that is one of ours. */
export function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'usage':
      return new UsageError(packed.code, packed.message)
    case 'join':
      return new JoinError(
        packed.reason,
        packed.message,
        packed.cause === undefined ? undefined : unpackError(packed.cause),
      )
    case 'other': {
      const error = new Error(packed.message)
      error.name = packed.name
      if (packed.stack !== '') error.stack = packed.stack
      return error
    }
  }
}

/** An event that can cross: anything can be thrown, and not everything can be cloned. */
export function packEvent(event: AnyEvent): AnyEvent {
  return mapErrors(event, packError)
}

/** The event again, with errors that are errors. */
export function unpackEvent(event: AnyEvent): AnyEvent {
  return mapErrors(event, (error) => unpackError(error as PackedError))
}

/** The end of an order, as an event. */
export function packEnd(end: OrderEnd): OrderEnd {
  return withError(end, packError)
}

/** The end again, with an error that is one. */
export function unpackEnd(end: OrderEnd): OrderEnd {
  return withError(end, (error) => unpackError(error as PackedError))
}

function mapErrors(event: AnyEvent, map: (error: unknown) => unknown): AnyEvent {
  switch (event.name) {
    case 'tick':
      return { name: 'tick', value: mapReport(event.value, map) }
    case 'fault':
      return { name: 'fault', value: { ...event.value, error: map(event.value.error) } }
    case 'closed':
      return { name: 'closed', value: withError(event.value, map) }
    default:
      return event
  }
}

function mapReport(report: TickReport, map: (error: unknown) => unknown): TickReport {
  const { faults, outcomes } = report
  return {
    ...report,
    faults: faults.map((fault) => ({ ...fault, error: map(fault.error) })),
    outcomes: outcomes.map((outcome) => withError(outcome, map)),
  }
}

function withError<T extends object>(value: T, map: (error: unknown) => unknown): T {
  if (!('error' in value)) return value
  return { ...value, error: map(value.error) }
}
