/**
 * Figures out of noisy samples. Everything is a median: on a shared machine the mean belongs to
 * whoever else was running. Two contenders are compared round by round, so that a slow second
 * slows both and drops out of their ratio.
 */
import type { Figure, Target } from './types.ts'

/** The value below which `share` (0 to 1) of the samples lie, linear between neighbours. */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('Cannot take a quantile of no samples')
  const sorted = [...samples].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const low = sorted[below] ?? 0
  const high = sorted[below + 1] ?? low
  return low + (high - low) * (position - below)
}

/** The middle sample. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** Half the width of the middle half of the samples, as a share of the median: 0.02 is ±2 %. */
export function spread(samples: readonly number[]): number {
  const middle = median(samples)
  return middle === 0 ? 0 : (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle
}

/** A median, and the interval that holds the true one 95 times in 100. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number }

/** 1.96 standard deviations of a normal distribution hold 95 % of it. */
const deviationsOf95Percent = 1.96

/**
 * The median with its 95 % interval, from the ranks of the samples alone, so that it holds for
 * whatever shape the noise has. Below six samples the interval is all of them.
 */
export function estimate(samples: readonly number[]): Estimate {
  const sorted = [...samples].sort((a, b) => a - b)
  const reach = (deviationsOf95Percent * Math.sqrt(sorted.length)) / 2
  const lowRank = Math.max(0, Math.floor(sorted.length / 2 - reach))
  const highRank = Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + reach))
  const value = median(sorted)
  return { value, low: sorted[lowRank] ?? value, high: sorted[highRank] ?? value }
}

/** Time of one contender divided by time of another, round by round. */
export function pairedRatios(of: readonly number[], against: readonly number[]): number[] {
  if (of.length !== against.length) {
    throw new Error(`Cannot pair ${of.length} rounds with ${against.length}`)
  }
  return of.map((time, round) => time / (against[round] ?? 0))
}

/** What a limit says about a value. A value on the limit is within it. */
export function isWithin(
  value: number,
  limits: { readonly atMost?: number; readonly atLeast?: number },
): boolean {
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = limits
  return value <= atMost && value >= atLeast
}

/** A promised ratio, as it was measured. */
export type TargetResult = Target & { readonly ratio: Estimate; readonly isMet: boolean }

/** A promised figure, as it is. A figure without a limit is always within it. */
export type FigureResult = Figure & { readonly isMet: boolean }

/** Times of one call in nanoseconds, by contender; the same index is the same round. */
export type Rounds = { readonly [contender: string]: readonly number[] }

/** Checks every promised ratio by the median of its paired rounds. */
export function checkTargets(targets: readonly Target[], rounds: Rounds): TargetResult[] {
  return targets.map((target) => {
    const ratio = estimate(
      pairedRatios(roundsOf(rounds, target.of), roundsOf(rounds, target.against)),
    )
    return { ...target, ratio, isMet: isWithin(ratio.value, target) }
  })
}

/** Checks every promised figure. */
export function checkFigures(figures: readonly Figure[]): FigureResult[] {
  return figures.map((figure) => ({ ...figure, isMet: isWithin(figure.value, figure) }))
}

/** The rounds of one contender; a name that no contender has is a mistake in the suite. */
export function roundsOf(rounds: Rounds, name: string): readonly number[] {
  const times = rounds[name]
  if (times !== undefined) return times
  const known = Object.keys(rounds).join(', ')
  throw new Error(`Cannot compare with '${name}': the contenders are ${known}`)
}
