import type { Game } from '../sim/game/definition/define-game.ts'
import type { Diagnosis } from './causes/diagnose.ts'
import { diagnose } from './causes/diagnose.ts'
import type { GameGraphs } from './causes/game-graphs.ts'
import { Trials } from './causes/trials.ts'
import type { CheckFailure } from './failure-text.ts'
import { failureText } from './failure-text.ts'
import type { Finding, LaneId } from './lanes/lane.ts'
import type { LaneOptions } from './lanes/lane-world.ts'
import type { Reproduction } from './scripts/reproduction.ts'
import { makeReproduction } from './scripts/reproduction.ts'
import type { Script } from './scripts/script.ts'
import { shrinkScript } from './scripts/shrink-script.ts'

/** How a finding is explained. */
export interface ExplainOptions {
  readonly lanes: LaneOptions
  readonly graphs?: GameGraphs | undefined
  readonly shrink: boolean
  readonly onRun?: (stage: 'shrinking' | 'diagnosing', runs: number, items: number) => void
}

/** Makes a finding's script small, and finds out what it comes down to. */
export function explainFinding(
  game: Game,
  whole: Script,
  found: Finding,
  options: ExplainOptions,
): CheckFailure {
  const together = new Trials(game, options.lanes, options.graphs)
  const alone = together.with({ lanes: new Set<LaneId>([found.lane]) })
  const isModule = found.lane !== 'later' && needsOtherLanes(alone, whole, found)
  const trials = isModule ? together : alone
  const small = isModule ? undefined : shrink(trials, whole, found, options)
  const script = small?.script ?? whole
  options.onRun?.('diagnosing', small?.runs ?? 0, script.items.length)
  const shown = small === undefined ? again(trials, whole, found, 0).finding : small.finding
  const diagnosis = diagnose(trials, script, shown ?? found, isModule)
  const lane = isModule ? 'all' : found.lane
  const reproduction = makeReproduction(game, script, diagnosis.check, lane)
  return assemble(diagnosis, shown ?? found, found, reproduction, shown !== undefined)
}

/**
 * Whether a finding does not come again on modules of its own, with its lane alone. Then it is what
 * the other lanes left behind in variables of modules.
 */
function needsOtherLanes(alone: Trials, whole: Script, found: Finding): boolean {
  if (alone.graphs === undefined) return false
  return sameFinding(alone.playClean(whole).finding, found) === undefined
}

type Small = {
  readonly script: Script
  readonly finding: Finding | undefined
  readonly runs: number
}

/** The smallest script that shows the finding on modules of its own. */
function shrink(trials: Trials, whole: Script, found: Finding, options: ExplainOptions): Small {
  if (needsNewModules(found, trials.options)) return again(trials, whole, found, 0)
  const small = shrinkScript(whole, {
    run: (script) => sameFinding(trials.play(script).finding, found),
    runsMax: options.shrink ? undefined : 1,
    onRun: (runs, items) => options.onRun?.('shrinking', runs, items),
  })
  if (trials.graphs === undefined) return small
  const clean = again(trials, small.script, found, small.runs)
  return clean.finding === undefined ? again(trials, whole, found, small.runs) : clean
}

function again(trials: Trials, script: Script, found: Finding, runs: number): Small {
  if (trials.graphs === undefined) return { script, finding: undefined, runs }
  return { script, finding: sameFinding(trials.playClean(script).finding, found), runs }
}

/**
 * What is in variables of modules is no longer new after the first time: a script that was made small
 * by trying would show something in this process, and nothing in the next.
 */
function needsNewModules({ lane }: Finding, { fresh }: LaneOptions): boolean {
  return lane === 'later' || (lane === 'rejoin' && fresh !== undefined)
}

/** Keeps a finding if it is of the same check, and throws the same where it throws. */
function sameFinding(finding: Finding | undefined, found: Finding): Finding | undefined {
  if (finding?.check !== found.check) return undefined
  return nameOf(finding.error) === nameOf(found.error) ? finding : undefined
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return `${error.name} ${(error as { readonly code?: string }).code ?? ''}`
}

function assemble(
  diagnosis: Diagnosis,
  { detail }: Finding,
  found: Finding,
  reproduction: Reproduction,
  isReproduced: boolean,
): CheckFailure {
  const failure = {
    ...diagnosis,
    foundAtTick: found.tick,
    detail,
    reproduction,
    isReproduced,
  }
  return { ...failure, text: failureText(failure) }
}
