/**
 * Many plans, one after the other. A single storm proves little; a batch says how much was simulated,
 * what of the interesting things happened in it, and stops with the plan that broke something.
 *
 *     seeds × profiles ─► turn ─► plan ─► run ─┬─► one in fifty: run again, the trace must be the same (I-22)
 *                                              └─► outcome ─► tally: time, events, coverage, failures
 */
import type { Game } from '../sim/game/definition/define-game.ts'
import type { Profile } from './engine/plan.ts'
import type { CoverageReport } from './engine/sometimes.ts'
import { Sometimes } from './engine/sometimes.ts'
import { Violation } from './engine/violation.ts'
import type { StormPlan, StormPlanOptions } from './plan/storm-plan.ts'
import { makeStormPlan } from './plan/storm-plan.ts'
import type { StormResult } from './run-storm.ts'
import { runStormPlan } from './run-storm.ts'

/** The options of a batch. */
export interface BatchOptions {
  /** The game to play. Defaults to a small built-in one. */
  readonly game?: Game
  /** The seeds, in sequence; each is used for one plan. Defaults to 1, 2, 3 and so on. */
  readonly seeds?: Iterable<number>
  /** The profiles to alternate between, by weight. Defaults to all but `longhaul`. */
  readonly profiles?: readonly Profile[]
  /** What all plans have in common. */
  readonly plan?: StormPlanOptions
  /** The maximum number of plans. No limit by default. */
  readonly plansMax?: number
  /** Called before every plan: true ends the batch. Use it for a time limit. */
  readonly isOver?: () => boolean
  /** How many failing plans end the batch, since one bug usually breaks many. Defaults to 1. */
  readonly failuresMax?: number
  /** One of this many plans is run twice (I-22). Defaults to 50. */
  readonly rerunEvery?: number
  readonly onProgress?: (progress: BatchProgress) => void
}

/** The progress of a batch. */
export interface BatchProgress {
  readonly plans: number
  /** The virtual time of all plans together. */
  readonly virtualMs: number
  readonly events: number
  /** Ticks sealed by the relays. */
  readonly sealedTicks: number
  readonly coverage: CoverageReport
  readonly failures: number
}

/** A plan that broke an invariant. */
export interface BatchFailure {
  readonly plan: StormPlan
  readonly violation: Violation
}

/** The result of a batch. */
export interface BatchResult extends Omit<BatchProgress, 'failures'> {
  /** Plans that were run a second time, with the same trace. */
  readonly reruns: number
  readonly failures: readonly BatchFailure[]
}

/**
 * Situations that a batch of some size must reach at least once; otherwise its coverage has a gap.
 * Attackers of kind `traveller` are not among those that are disconnected: what they send is late or early,
 * and is ignored.
 */
export const sometimesExpected: readonly string[] = [
  'ticks shared a packet',
  'ticks were stretched',
  'inputs were held back',
  'a client vanished',
  'order executed',
  'order refused',
  'order refused by the relay',
  'order lost',
  'order resent and deduplicated',
  'input missed',
  'link lost',
  'a client was too slow',
  'a client caught up from far behind',
  'a client left',
  'a spectator joined late',
  'a bundle travelled in parts',
  'attacker garbage was closed',
  'attacker replayer was closed',
  'attacker flooder was closed',
  'attacker stranger was closed',
  'attacker hash-liar was closed',
  'attacker ticket-thief was closed',
  'a thief was asked for a proof',
  'a field was flipped',
  'a desync was told',
  'a flip was located',
  'a flip was traced',
  'a liar about hashes was told apart',
  'attacker input-forger was closed',
  'attacker act-flooder was closed',
  'attacker spoofer was closed',
  'attacker token-forger was closed',
  'a lag switch was flagged',
  'the input delay was raised',
  'the input delay was lowered',
  'a match was paused and resumed',
  'a pause ended by itself',
  'a vote passed',
  'a vote failed',
  'a launch was aborted',
  'launched from a lobby',
  'the owner moved',
  'a session moved to udp',
  'a session moved to home',
  'a bot moved',
  'an order of a bot was sealed',
  'a hidden client came back',
  'lag protection slowed a match down',
  'a half-open link was closed',
  'a wish was denied',
  'a strike',
  'a player joined late',
  'attacker turn-flooder was closed',
  'attacker reconnect-cycler was closed',
  'attacker bomb-sender was closed',
  'attacker text-forger was closed',
  'outsider name-forger was refused',
  'a match maker was refused',
  'the relay was full',
  'a bad token was refused',
  'one identity came twice',
  'an answer about a join came late',
  'a link could not be opened',
  'a state was poisoned',
  'a donor stalled',
  'a sleeper came back to his seat',
  'a sleeper came anew',
  'a sleeper was told that his seat is gone',
]

/**
 * How often a profile's turn comes. The sunny one is for mistakes that need no fault at all, which
 * are rare; `longhaul` plans are sixty times as long as the others and must be asked for.
 */
const weights: { readonly [P in Profile]: number } = {
  sunny: 1,
  desync: 1,
  lagswitch: 1,
  flood: 2,
  hidden: 1,
  slow: 1,
  churn: 3,
  stormy: 3,
  'relay-crash': 2,
  byzantine: 2,
  boundary: 2,
  swizzle: 1,
  longhaul: 1,
  radioactive: 1,
}

/** The default profiles of a batch. */
export const defaultProfiles: readonly Profile[] = [
  'stormy',
  'boundary',
  'byzantine',
  'radioactive',
  'swizzle',
  'churn',
  'relay-crash',
  'flood',
  'slow',
  'hidden',
  'lagswitch',
  'sunny',
]

/** Runs plans until time or seeds are used up, or enough of them have failed. */
export function runBatch(options: BatchOptions = {}): BatchResult {
  const steps = runBatchSteps(options)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** The same, one plan at a time: whoever takes the steps can do something else between them. */
export function* runBatchSteps(
  options: BatchOptions = {},
): Generator<BatchProgress, BatchResult, void> {
  const tally = new BatchTally(options)
  for (const turn of batchTurns(options)) {
    if (options.isOver?.() === true) break
    const progress = tally.add(playTurn(turn, options))
    options.onProgress?.(progress)
    yield progress
    if (tally.isFull) break
  }
  return tally.result()
}

/** One plan of a batch. It is made of this and the options that all plans have in common. */
export interface BatchTurn {
  /** Numbers the plans of a batch from 0. */
  readonly index: number
  readonly seed: number
  readonly profile: Profile
}

/** What became of a plan. */
export interface TurnOutcome {
  readonly turn: BatchTurn
  readonly virtualMs: number
  readonly events: number
  readonly sealedTicks: number
  readonly counts: CoverageReport['counts']
  /** Whether it was run a second time (I-22). */
  readonly isRerun: boolean
  readonly violation: Violation | undefined
}

/** The plans of a batch, one after the other. */
export function* batchTurns({
  seeds = seedsFrom(1),
  profiles = defaultProfiles,
  plansMax = Number.POSITIVE_INFINITY,
}: BatchOptions): Generator<BatchTurn> {
  const turns = takeTurns(profiles)
  let index = 0
  for (const seed of seeds) {
    if (index >= plansMax) return
    yield { index, seed, profile: turns[index % turns.length] as Profile }
    index += 1
  }
}

/** What every plan of a batch needs. */
export type TurnOptions = Pick<BatchOptions, 'game' | 'plan' | 'rerunEvery'>

/** Runs the plan of a turn, and some of them twice. */
export function playTurn(turn: BatchTurn, options: TurnOptions): TurnOutcome {
  const { rerunEvery = 50, game } = options
  const run = () => runStormPlan(planOf(turn, options), game === undefined ? {} : { game })
  const result = run()
  const isRerun = result.violation === undefined && turn.index % rerunEvery === 0
  const violation = result.violation ?? (isRerun ? compareRuns(result, run()) : undefined)
  const { virtualMs, events, sealedTicks, coverage } = result
  return { turn, virtualMs, events, sealedTicks, counts: coverage.counts, isRerun, violation }
}

function planOf({ seed, profile }: BatchTurn, { game, plan }: TurnOptions): StormPlan {
  const seats = game === undefined ? {} : { seatsMin: game.seats.min, seatsMax: game.seats.max }
  return makeStormPlan(seed, profile, { ...seats, ...plan })
}

function compareRuns(first: StormResult, second: StormResult): Violation | undefined {
  if (first.traceHash === second.traceHash) return undefined
  const place = { atMs: first.virtualMs, node: undefined }
  const traces = `${first.traceHash}, then ${second.traceHash}`
  return new Violation('I-22', place, `The same plan ran in two ways: ${traces}`)
}

/**
 * Profiles in the sequence of their turns, spread so that a batch that is cut short has met each of
 * them: every profile once, then those of weight 2 and more, and so on.
 */
export function takeTurns(profiles: readonly Profile[]): Profile[] {
  const turns: Profile[] = []
  for (let round = 1; profiles.some((profile) => weights[profile] >= round); round++) {
    turns.push(...profiles.filter((profile) => weights[profile] >= round))
  }
  return turns
}

/** An endless sequence of seeds, starting with `first`. */
export function* seedsFrom(first: number): Generator<number> {
  for (let seed = first; ; seed++) yield seed
}

/** Adds up what became of the plans of a batch, whoever ran them. */
export class BatchTally {
  readonly #options: BatchOptions
  readonly #coverage = new Sometimes(sometimesExpected)
  readonly #failures: { readonly turn: BatchTurn; readonly violation: Violation }[] = []
  #plans = 0
  #reruns = 0
  #virtualMs = 0
  #events = 0
  #sealedTicks = 0

  constructor(options: BatchOptions) {
    this.#options = options
  }

  /** Whether so many plans have failed that the batch ends. */
  get isFull(): boolean {
    return this.#failures.length >= (this.#options.failuresMax ?? 1)
  }

  add(outcome: TurnOutcome): BatchProgress {
    const { turn, violation } = outcome
    this.#coverage.merge(outcome.counts)
    this.#virtualMs += outcome.virtualMs
    this.#events += outcome.events
    this.#sealedTicks += outcome.sealedTicks
    this.#plans += 1
    if (outcome.isRerun) this.#reruns += 1
    if (violation !== undefined) this.#failures.push({ turn, violation })
    return { ...this.#sums(), failures: this.#failures.length }
  }

  /** All failures are in the sequence of their plans, in whatever sequence they were added. */
  result(): BatchResult {
    const failures = this.#failures
      .toSorted((a, b) => a.turn.index - b.turn.index)
      .map(({ turn, violation }) => ({ plan: planOf(turn, this.#options), violation }))
    return { ...this.#sums(), reruns: this.#reruns, failures }
  }

  #sums(): Omit<BatchProgress, 'failures'> {
    return {
      plans: this.#plans,
      virtualMs: this.#virtualMs,
      events: this.#events,
      sealedTicks: this.#sealedTicks,
      coverage: this.#coverage.report(),
    }
  }
}
