import type { Game } from '../sim/game/define-game.ts'
import type { Diagnosis } from './diagnose.ts'
import { diagnose } from './diagnose.ts'
import { failureText } from './failure-text.ts'
import type { Finding, LaneId } from './lane.ts'
import type { LaneOptions } from './lane-world.ts'
import { checkScript } from './match-check.ts'
import type { Reproduction } from './reproduction.ts'
import { makeReproduction } from './reproduction.ts'
import type { Script } from './script.ts'
import { shrinkScript } from './shrink-script.ts'

/** A check that failed, explained. */
export interface CheckFailure extends Diagnosis {
  /** The first bad tick of the match in which it was found. */
  readonly foundAtTick: number
  /** More for a person. */
  readonly detail: string
  readonly reproduction: Reproduction
  /** False when playing the script again, in this process, did not show the same. */
  readonly isReproduced: boolean
  /** All of it, as lines for a person. */
  readonly text: string
}

/** How a finding is explained. */
export interface ExplainOptions {
  readonly lanes: LaneOptions
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
  const lanes: LaneOptions = { ...options.lanes, lanes: new Set<LaneId>([found.lane]) }
  const shrunk = needsNewProcess(found, lanes)
    ? { script: whole, finding: undefined, runs: 0 }
    : shrinkScript(whole, {
        run: (script) => sameFinding(checkScript(game, script, lanes), found),
        runsMax: options.shrink ? undefined : 1,
        onRun: (runs, items) => options.onRun?.('shrinking', runs, items),
      })
  options.onRun?.('diagnosing', shrunk.runs, shrunk.script.items.length)
  const finding = shrunk.finding ?? found
  const diagnosis = diagnose(game, shrunk.script, finding, lanes)
  const reproduction = makeReproduction(game, shrunk.script, diagnosis.check, found.lane)
  return assemble(diagnosis, finding, found, reproduction, shrunk.finding !== undefined)
}

/**
 * What is in variables of modules is no longer new after the first time: a script that was made small
 * by trying would show something in this process, and nothing in the next.
 */
function needsNewProcess({ lane }: Finding, { fresh }: LaneOptions): boolean {
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
