import { tickMs } from './drill-game.ts'
import type { ClientRecord, StageResult } from './stage.ts'

/** How evenly somebody's ticks run: what the time between two differs from the time it should be. */
export interface Evenness {
  readonly meanMs: number
  readonly p99Ms: number
}

/** Evenness in a span of time, against the times at which the ticks were sealed. */
export function evennessOf(
  { sealedMs }: StageResult,
  { ranMs }: ClientRecord,
  fromMs: number,
  toMs: number,
): Evenness {
  const errors: number[] = []
  for (let tick = 2; tick < ranMs.length; tick++) {
    const [before, at] = [ranMs[tick - 1], ranMs[tick]]
    if (before === undefined || at === undefined || at < fromMs || at >= toMs) continue
    const due = (sealedMs[tick] as number) - (sealedMs[tick - 1] as number)
    errors.push(Math.abs(at - before - due))
  }
  return { meanMs: meanOf(errors), p99Ms: quantileOf(errors, 0.99) }
}

/** What orders took, beyond what light and cables take. */
export interface OrderFigures {
  readonly count: number
  /** From the hand to the screen. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** From the hand until the sealed tick is back, without the way up and down: in ticks. */
  readonly mostExtraTicks: number
  /** How long the tick then waits in the buffer and for the next picture. */
  readonly bufferP99Ms: number
}

/** Figures of orders that were issued in a span of time in which the line does not change. */
export function ordersOf(record: ClientRecord, fromMs: number, toMs: number): OrderFigures {
  const waits: number[] = []
  const extras: number[] = []
  const buffers: number[] = []
  for (const { issuedMs, latencyMs, tick, ranMs } of record.orders) {
    if (issuedMs < fromMs || issuedMs >= toMs || ranMs < 0) continue
    const cameMs = record.cameMs[tick] as number
    waits.push(ranMs - issuedMs)
    extras.push((cameMs - issuedMs - 2 * latencyMs) / tickMs)
    buffers.push(ranMs - cameMs)
  }
  return {
    count: waits.length,
    p50Ms: quantileOf(waits, 0.5),
    p99Ms: quantileOf(waits, 0.99),
    mostExtraTicks: Math.max(...extras),
    bufferP99Ms: quantileOf(buffers, 0.99),
  }
}

/** The states that a player was shown in a span of time, each once, in sequence. */
export function statesOf(
  { timesMs }: StageResult,
  { samples }: ClientRecord,
  fromMs: number,
  toMs: number,
): string[] {
  const names = samples.flatMap(({ state }, index) => {
    const at = timesMs[index] as number
    return at >= fromMs && at < toMs ? [state.name] : []
  })
  return names.filter((name, index) => name !== names[index - 1])
}

/** When a player was first shown a state after some time; `Infinity` for never. */
export function firstMs(
  { timesMs }: StageResult,
  { samples }: ClientRecord,
  state: string,
  afterMs: number,
): number {
  const index = samples.findIndex(
    (sample, at) => (timesMs[at] as number) > afterMs && sample.state.name === state,
  )
  return timesMs[index] ?? Number.POSITIVE_INFINITY
}

/** The value that a share of all does not exceed; 0 of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
}
