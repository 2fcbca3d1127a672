import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import { compareTraces } from '../../sim/trace/trace-search.ts'
import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'
import type { InvestigatedMatch, MatchCopy } from './match-copy.ts'
import { runNext } from './match-copy.ts'
import type { Scene } from './scene.ts'
import { hasOwnChain } from './scene.ts'
import { tellEntry, traceTick } from './traces.ts'

/**
 * Whether ticks read what no saved state has: an object's field that its save leaves out, a Set whose
 * sequence a save does not keep, derived data that is not what the state gives. Whoever joins late has
 * none of it. It is tried out, by running the same ticks with and without a load before them:
 *
 *     S ─────────────────────────► B − 1 ──► B      what this machine had: it remembered
 *                 S' ──load──► ───────────► B'      something else: the load made it forget
 */
export interface BesideState {
  /** The first write of the bad tick that a save and a load before it change, if one can be named. */
  readonly entry: ProbeEntry | undefined
}

/** Looks for it. `undefined` where nothing of the kind shows. */
export function* findBeside(
  match: InvestigatedMatch,
  scene: Scene,
  resolve: CallSiteResolver | undefined,
): Generator<undefined, BesideState | undefined> {
  const { tick, fromTick, isStable, isFaithful, isSame } = scene
  if (!isStable || (isFaithful && isSame)) return undefined
  if (!isFaithful) return { entry: yield* findForgotten(match, fromTick, tick, resolve) }
  const from = earlierTick(match, scene)
  if (from === undefined || !(yield* remembers(match, from, tick))) return undefined
  return { entry: yield* findForgotten(match, from, tick, resolve) }
}

/** Ticks that are run for it at the most: the relay waits ten seconds for the answer. */
const ticksMax = 512

/** The furthest tick from which the ticks can be run without another load; 0 is the beginning. */
function earlierTick({ recent }: InvestigatedMatch, { tick, fromTick }: Scene): number | undefined {
  const { states, bundles } = recent
  if (fromTick > 0 && tick <= ticksMax && bundles.at(1) !== undefined) return 0
  const oldest = states.oldestFrom(Math.max(tick - ticksMax, bundles.oldestTick - 1))
  return oldest !== undefined && oldest.tick < fromTick ? oldest.tick : undefined
}

/** Puts a new copy to a tick of which the state is kept. Gives whether it is there. */
function begin({ recent }: InvestigatedMatch, copy: MatchCopy, tick: number): boolean {
  if (tick === 0) return true
  const state = recent.states.newestUpTo(tick)
  if (state?.tick !== tick) return false
  copy.load(state)
  return true
}

/** Whether ticks that are run from there on give what the match had, each of them. */
function* remembers(
  match: InvestigatedMatch,
  fromTick: number,
  toTick: number,
): Generator<undefined, boolean> {
  const { recent } = match
  const copy = match.makeCopy()
  if (!begin(match, copy, fromTick)) return false
  const { simulation } = copy
  for (let count = 1; simulation.matchTick < toTick; count++) {
    if (recent.bundles.at(simulation.matchTick + 1) === undefined) return false
    runNext(copy, recent)
    if (!isKnown(match, simulation.matchTick) || !hasOwnChain(match, copy)) return false
    if (count % ticksPerSlice !== 0) continue
    const hash = simulation.syncHash()
    yield
    // Something writes to it between ticks: then it is not the ticks that make the difference.
    if (simulation.syncHash() !== hash) return false
  }
  return true
}

function isKnown({ recent }: InvestigatedMatch, tick: number): boolean {
  return recent.chains.wordsAt(tick, words)
}

const words = new Uint32Array(2)

/** The first write of a tick that is another one after a save and a load. */
function* findForgotten(
  match: InvestigatedMatch,
  fromTick: number,
  toTick: number,
  resolve: CallSiteResolver | undefined,
): Generator<undefined, ProbeEntry | undefined> {
  const { recent } = match
  const options = resolve === undefined ? {} : { resolve }
  const trace = createTrace({ ...options, watchesHost: true, waitsForRestart: true })
  const copy = match.makeCopy(trace)
  if (!begin(match, copy, fromTick)) return undefined
  for (let count = 1; copy.simulation.matchTick < toTick - 1; count++) {
    const isKept = recent.bundles.at(copy.simulation.matchTick + 1) !== undefined
    if (!isKept || trace.skipped > writesMax) return undefined
    runNext(copy, recent)
    if (count % ticksPerSlice === 0) yield
  }
  const before = copy.save()
  trace.restart()
  runNext(copy, recent)
  const loaded = traceTick(match, { before }, options)
  const { mine, theirs } = compareTraces(trace, loaded)
  const entry = mine ?? theirs
  return entry && tellEntry(entry)
}

/** Ticks that are run in one go: some milliseconds of a large game. */
const ticksPerSlice = 8

/** Writes on the way to the tick: at 0.3 µs for each that a trace skips, 0.15 s of work. */
const writesMax = 500_000
