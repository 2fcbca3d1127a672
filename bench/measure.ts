/**
 * Runs one suite: warm up, calibrate, then rounds.
 *
 *     round 1   A B C
 *     round 2   B C A        one sample of each contender per round, in rotating sequence,
 *     round 3   C A B        so that a slow second hits all of them alike
 */
import { setImmediate } from 'node:timers/promises'
import { type Load, loadBetween, markLoad } from './load.ts'
import {
  checkFigures,
  checkTargets,
  type Estimate,
  estimate,
  type FigureResult,
  median,
  pairedRatios,
  type Rounds,
  roundsOf,
  spread,
  type TargetResult,
} from './stats.ts'
import type { Contender, Suite } from './types.ts'

/** How long to measure. */
export type Effort = {
  /** Running each contender before anything is measured, so that the compiler has settled. */
  readonly warmUpMs: number
  /** All rounds of a suite together, if the contenders are fast enough for `roundsMin`. */
  readonly budgetMs: number
  readonly roundsMin: number
  readonly roundsMax: number
  /** One sample: long against the clock's own step and cost, short against a scheduler's slice. */
  readonly sampleMs: number
}

/** For figures to quote: about 4 s per suite. */
export const fullEffort: Effort = {
  warmUpMs: 300,
  budgetMs: 3000,
  roundsMin: 15,
  roundsMax: 301,
  sampleMs: 1.5,
}

/** For a look: about 1 s per suite. */
export const quickEffort: Effort = {
  warmUpMs: 80,
  budgetMs: 400,
  roundsMin: 7,
  roundsMax: 61,
  sampleMs: 1,
}

/** What one contender took. */
export type ContenderResult = {
  readonly name: string
  /** Median time of one call, in nanoseconds. */
  readonly nsPerCall: number
  /** Half the middle half of the samples, as a share of the median. */
  readonly spread: number
  /** Time relative to the baseline's, from paired rounds. */
  readonly ratio: Estimate
  /** Calls in one sample. */
  readonly callsPerSample: number
}

/** One table of the bench, filled. */
export type SuiteResult = {
  readonly name: string
  readonly work: string
  readonly baseline: string
  readonly rounds: number
  readonly contenders: readonly ContenderResult[]
  readonly targets: readonly TargetResult[]
  readonly figures: readonly FigureResult[]
  readonly load: Load
}

/** Keeps results alive, so that the compiler cannot drop the work behind them. */
let kept: unknown

/**
 * Times `calls` calls, in milliseconds.
 *
 * One loop for all contenders, on purpose: it has seen so many functions that the compiler inlines
 * none of them, and so cannot move a contender's work out of the loop.
 */
function timeCalls(contender: Contender, calls: number): number {
  const startMs = performance.now()
  for (let call = 0; call < calls; call++) kept = contender()
  return performance.now() - startMs
}

/** Shows the loop above enough functions that it inlines none, before the first real one. */
function seasonLoop(): void {
  const decoys: readonly Contender[] = [
    () => 1,
    () => 'a',
    () => null,
    () => [],
    () => kept,
    () => 2.5,
  ]
  for (let turn = 0; turn < 2_000; turn++) for (const decoy of decoys) timeCalls(decoy, 10)
}

/** The number of calls that fill one sample. Call it after warming up. */
function calibrate(contender: Contender, sampleMs: number): number {
  let calls = 1
  for (;;) {
    const tookMs = timeCalls(contender, calls)
    if (tookMs >= sampleMs) return calls
    // Aim a little above, but never trust a single quick sample further than a factor of eight.
    const wanted = tookMs > 0 ? (calls * sampleMs * 1.2) / tookMs : Number.POSITIVE_INFINITY
    calls = Math.max(calls + 1, Math.ceil(Math.min(calls * 8, wanted)))
  }
}

/** Measures one suite. `onProgress` hears the share that is done, between rounds. */
export async function measureSuite(
  suite: Suite,
  effort: Effort,
  onProgress: (share: number) => void = () => {},
): Promise<SuiteResult> {
  const prepared = await suite.prepare()
  try {
    const entries = Object.entries(prepared.contenders)
    refuseMistakes(suite, entries)
    seasonLoop()
    for (const [, contender] of entries) {
      const untilMs = performance.now() + effort.warmUpMs
      do timeCalls(contender, 1)
      while (performance.now() < untilMs)
    }
    const calls = entries.map(([, contender]) => calibrate(contender, effort.sampleMs))
    const before = markLoad()
    const rounds = await runRounds(entries, calls, effort, onProgress)
    const load = loadBetween(before, markLoad())
    const baseline = roundsOf(rounds, suite.baseline)
    return {
      name: suite.name,
      work: suite.work,
      baseline: suite.baseline,
      rounds: baseline.length,
      contenders: entries.map(([name], index) => {
        const times = roundsOf(rounds, name)
        return {
          name,
          nsPerCall: median(times),
          spread: spread(times),
          ratio: estimate(pairedRatios(times, baseline)),
          callsPerSample: calls[index] ?? 1,
        }
      }),
      targets: checkTargets(suite.targets ?? [], rounds),
      figures: checkFigures(prepared.figures ?? []),
      load,
    }
  } finally {
    prepared.close?.()
  }
}

/** Finds what would waste the measurement, before it begins. */
function refuseMistakes(suite: Suite, entries: readonly (readonly [string, Contender])[]): void {
  const once: Rounds = Object.fromEntries(entries.map(([name]) => [name, [1]]))
  roundsOf(once, suite.baseline)
  checkTargets(suite.targets ?? [], once)
  for (const [name, contender] of entries) {
    if (contender() instanceof Promise) {
      throw new Error(`Cannot time '${name}': it returns a promise; time the synchronous part`)
    }
  }
}

async function runRounds(
  entries: readonly (readonly [string, Contender])[],
  calls: readonly number[],
  effort: Effort,
  onProgress: (share: number) => void,
): Promise<Rounds> {
  const times = entries.map((): number[] => [])
  const startMs = performance.now()
  for (let round = 0; round < effort.roundsMax; round++) {
    const spentMs = performance.now() - startMs
    if (round >= effort.roundsMin && spentMs >= effort.budgetMs) break
    for (let turn = 0; turn < entries.length; turn++) {
      const index = (round + turn) % entries.length
      const count = calls[index] ?? 1
      const tookMs = timeCalls(entries[index]?.[1] ?? (() => undefined), count)
      times[index]?.push((tookMs * 1e6) / count)
    }
    const byTime = Math.min(spentMs / effort.budgetMs, (round + 1) / effort.roundsMin)
    onProgress(Math.max(byTime, (round + 1) / effort.roundsMax))
    // Lets the progress leave this process; the collector gets its chance too.
    await setImmediate()
  }
  return Object.fromEntries(entries.map(([name], index) => [name, times[index] ?? []]))
}
