import type { CheckId } from '../../check/index.ts'

/** What the command line of `check` says. */
export type CheckFlags = {
  readonly ticks?: number
  readonly match?: number
  readonly long?: number
  readonly seats?: number
  readonly seed?: number
  readonly only?: readonly CheckId[]
  readonly skip?: readonly CheckId[]
  readonly allocationMax?: number
  readonly export?: string
  readonly replay?: string
  readonly out?: string
  readonly elsewhere?: string
  readonly engines?: true
  readonly limit?: number
  readonly here?: true
  readonly json?: true
}
