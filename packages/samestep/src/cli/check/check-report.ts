import { UsageError } from '../../base/errors.ts'
import { errorText } from '../../check/causes/causes.ts'
import { siteOfError, siteText } from '../../check/causes/game-site.ts'
import type { CheckFailure, CheckId, CheckProgress, CheckResult } from '../../check/index.ts'
import { checkTitles } from '../../check/index.ts'
import { SetupError } from '../../check/lanes/copy.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import { LoadError } from '../game/load-game.ts'

/** A failure and its reproduction; neither file nor command when it does not show again. */
export type SavedFailure = CheckFailure & {
  readonly file: string | undefined
  readonly replay: string | undefined
}

/** What a check found, for people and for scripts. */
export interface CheckReport extends Omit<CheckResult, 'failure'> {
  readonly ticksPerSecond: number
  /** Checks that were made beside those of this process. */
  readonly alsoChecked: readonly CheckId[]
  /** What was not looked at, and what it would take. */
  readonly notChecked: readonly string[]
  /** `file` is where its reproduction was written, `replay` how to play it again. */
  readonly failure: SavedFailure | undefined
}

/** One line of how far a check is. */
export function progressText(progress: CheckProgress, elapsedMs: number): string {
  const { stage, tick, ticks, match, orders, runs, items } = progress
  if (stage === 'shrinking') return `found something · shrinking · run ${runs} · ${items} left`
  if (stage === 'diagnosing') return 'found something · looking for the line'
  return [
    stage === 'long' ? `long match · tick ${tick} of ${ticks}` : `tick ${tick} of ${ticks}`,
    `match ${match}`,
    `${orders} orders`,
    `${perSecond(tick, elapsedMs)} ticks/s`,
  ].join(' · ')
}

/** The end of a check as data. */
export function makeReport(
  result: CheckResult,
  elapsedMs: number,
  more: Pick<CheckReport, 'failure' | 'alsoChecked' | 'notChecked'>,
): CheckReport {
  const { failure } = more
  const ticksPerSecond = perSecond(result.ticks + result.longTicks, elapsedMs)
  return { ...result, ok: failure === undefined, ticksPerSecond, ...more }
}

/** The end of a check for a reader. */
export function reportText(report: CheckReport): string {
  const { game, ticks, matches, seats, seed, ticksPerSecond, failure } = report
  const lines = [
    `${game}: ${ticks} ticks in ${matches} matches of ${seats} seats, seed ${seed}, ${ticksPerSecond} ticks per second`,
    ...(report.longTicks === 0
      ? []
      : [`one of the matches is long: ${report.longTicks} ticks more`]),
    ordersText(report),
    ...(report.allocationBytes === undefined
      ? []
      : [`a tick allocates about ${Math.round(report.allocationBytes)} bytes`]),
  ]
  if (failure !== undefined) return [...lines, '', ...failureLines(failure)].join('\n')
  const made = [...report.checks, ...report.alsoChecked]
  const checks = made.map((id) => `  ✓ ${checkTitles[id]}`)
  return [
    ...lines,
    '',
    ...checks,
    ...idleLines(report),
    ...warningLines(report),
    '',
    'Nothing differed.',
  ].join('\n')
}

/** What was not looked at is not passed. */
function idleLines({ idle, notChecked }: CheckReport): string[] {
  const lines = (Object.entries(idle) as [CheckId, string][]).map(
    ([id, why]) => `  – not checked: ${checkTitles[id]} (${why})`,
  )
  return [...lines, ...notChecked.map((what) => `  – not checked: ${what}`)]
}

function ordersText({ orders }: CheckReport): string {
  const counts = Object.entries(orders).map(
    ([name, { issued, executed }]) => `${name} ${executed} of ${issued}`,
  )
  return counts.length === 0 ? 'no orders' : `orders carried out: ${counts.join(', ')}`
}

function failureLines(failure: NonNullable<CheckReport['failure']>): string[] {
  if (failure.file === undefined) return [failure.text]
  return [failure.text, `  file     ${failure.file}`, `  again    ${failure.replay}`]
}

/** What was asked of the machine without having made a difference yet. */
function warningLines({ warnings }: CheckReport): string[] {
  if (warnings.length === 0) return []
  return [
    '',
    'No difference yet, but there will be one on another machine if this reaches the state:',
    ...warnings.map(({ name, site }) => {
      const at = site === undefined ? '' : ` at ${siteText(site)}`
      return `  ! ${name}${at}`
    }),
  ]
}

function perSecond(count: number, elapsedMs: number): number {
  return Math.round(count / Math.max(elapsedMs / 1_000, 0.001))
}

/** Says why a game cannot be checked: a sentence, the line, and valid JSON for scripts. */
export function printProblem(
  gameFile: string,
  error: unknown,
  isJson: boolean,
  resolve: CallSiteResolver | undefined,
): void {
  const source = error instanceof SetupError ? error.cause : error
  const place = error instanceof LoadError ? error.site : siteOfError(source, resolve)
  // A mistake on the command line has no line in any game.
  const site = place?.file.includes('/node_modules/') === true ? undefined : place
  const isOurs = error instanceof UsageError || error instanceof SetupError
  const message = isOurs ? error.message : `Cannot check ${gameFile}: ${errorText(error)}`
  if (isJson) {
    const code = error instanceof UsageError ? error.code : 'SS_BAD_ARGUMENT'
    const place =
      site === undefined ? {} : { file: site.file, line: site.line, column: site.column }
    const problem = { ok: false, error: { code, message, ...place } }
    process.stdout.write(`${JSON.stringify(problem, undefined, 2)}\n`)
    return
  }
  const isSaid = site === undefined || error instanceof LoadError
  process.stderr.write(`${message}${isSaid ? '' : `\n  at ${siteText(site)}`}\n`)
}
