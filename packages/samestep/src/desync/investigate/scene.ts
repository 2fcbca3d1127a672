import type { KeptState } from '../recent/snapshot-ring.ts'
import type { InvestigatedMatch, MatchCopy } from './match-copy.ts'
import { Forgotten, runCopy, runNext } from './match-copy.ts'

/**
 * A bad tick, run again on the machine that ran it:
 *
 *     kept state ──► … ──► before ──bad tick──► after      is that what this machine had then?
 *        S                 B − 1                  B            yes: the code does it
 *                                                              no:  something else did
 *
 * If not, a state that the machine really had is looked for, the first one from the bad tick on, and the
 * re-run goes on to there: what differs between the two was not written by the ticks that were sealed.
 */
export interface Scene {
  readonly tick: number
  readonly fromTick: number
  /** The state before the bad tick, as the re-run has it. */
  readonly before: KeptState
  /** Whether the re-run gave what this machine had. */
  readonly isSame: boolean
  /** Whether the bad tick, run twice from one saved state, gave the same. */
  readonly isStable: boolean
  /** Whether it gave the same from a saved state as without a save and a load before it. */
  readonly isFaithful: boolean
  /** The re-run, as far as it was run. */
  readonly rerun: MatchCopy
  /** What this machine really had, where the re-run is not that. */
  readonly actual: MatchCopy | undefined
}

/** Runs the ticks up to a bad one again. */
export function* reenact(match: InvestigatedMatch, tick: number): Generator<undefined, Scene> {
  const { recent } = match
  const start = tick > 0 ? recent.states.newestUpTo(tick - 1) : undefined
  if (start === undefined) throw new Forgotten()
  const fromTick = start.tick
  const rerun = match.makeCopy()
  rerun.load(start)
  let isSame = true
  const compare = () => {
    isSame &&= hasOwnChain(match, rerun)
  }
  yield* runCopy(rerun, tick - 1, recent, compare)
  const before = rerun.save()
  runNext(rerun, recent)
  compare()
  // Now, before anybody else has a turn: what the tick left behind, such as a promise, may write later.
  const hash = rerun.simulation.syncHash()
  const actual = isSame ? undefined : match.makeCopy()
  actual?.load(recent.states.oldestFrom(tick) ?? match.saveNow())
  yield
  const again = hashFrom(match, before)
  const isFaithful = again === hash
  const isStable = isFaithful || hashFrom(match, before) === again
  if (actual !== undefined) yield* runCopy(rerun, actual.simulation.matchTick, recent)
  return { tick, fromTick, before, isSame, isStable, isFaithful, rerun, actual }
}

/** What the tick behind a state gives. */
function hashFrom(match: InvestigatedMatch, before: KeptState): string {
  const copy = match.makeCopy()
  copy.load(before)
  runNext(copy, match.recent)
  return copy.simulation.syncHash()
}

/** The copy whose state is what this machine had after a tick, as far as that is known. */
export function* examine(
  match: InvestigatedMatch,
  { isSame, rerun, actual }: Scene,
  tick: number,
): Generator<undefined, MatchCopy> {
  if (!isSame) {
    if (actual?.simulation.matchTick !== tick) throw new Forgotten()
    return actual
  }
  let isOwn = true
  yield* runCopy(rerun, tick, match.recent, () => {
    isOwn &&= hasOwnChain(match, rerun)
  })
  if (!isOwn || rerun.simulation.matchTick !== tick) throw new Forgotten()
  return rerun
}

const words = new Uint32Array(2)

/** Whether a copy has come to what the match had after the same tick. */
export function hasOwnChain(
  { recent }: InvestigatedMatch,
  { simulation, chain }: MatchCopy,
): boolean {
  if (!recent.chains.wordsAt(simulation.matchTick, words)) throw new Forgotten()
  return words[0] === chain[0] && words[1] === chain[1]
}
