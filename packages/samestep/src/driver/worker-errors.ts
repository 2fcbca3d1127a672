import type { UsageErrorCode } from '../base/errors.ts'
import { UsageError } from '../base/errors.ts'
import type { TickReport } from '../sim/game/report.ts'
import { JoinError } from './join-match.ts'

/** An error on its way to another thread, which would otherwise lose its class and its code. */
export type PackedError =
  | { readonly kind: 'usage'; readonly code: UsageErrorCode; readonly message: string }
  | { readonly kind: 'join'; readonly reason: string; readonly message: string }
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
    return { kind: 'join', reason: error.reason, message: error.message }
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
      return new JoinError(packed.reason, packed.message)
    case 'other': {
      const error = new Error(packed.message)
      error.name = packed.name
      if (packed.stack !== '') error.stack = packed.stack
      return error
    }
  }
}

/** A report whose faults can cross: anything can be thrown, and not everything can be cloned. */
export function packFaults(report: TickReport): TickReport {
  return mapFaults(report, packError)
}

/** The report again, with errors that are errors. */
export function unpackFaults(report: TickReport): TickReport {
  return mapFaults(report, (error) => unpackError(error as PackedError))
}

function mapFaults(report: TickReport, map: (error: unknown) => unknown): TickReport {
  if (report.faults.length === 0) return report
  const faults = report.faults.map((fault) => ({ ...fault, error: map(fault.error) }))
  return { ...report, faults }
}
