import type { CheckFailure, CheckProgress, CheckResult } from '../check/index.ts'
import { checkTitles } from '../check/index.ts'

/** What a check found, for people and for scripts. */
export interface CheckReport extends Omit<CheckResult, 'failure'> {
  readonly ticksPerSecond: number
  /** Whether another process played the same matches. */
  readonly isElsewhereChecked: boolean
  readonly failure: (CheckFailure & { readonly file: string; readonly replay: string }) | undefined
}

/** One line of how far a check is. */
export function progressText(progress: CheckProgress, elapsedMs: number): string {
  const { stage, tick, ticks, match, orders, runs, items } = progress
  if (stage === 'shrinking')
    return `found something · making it small · run ${runs} · ${items} left`
  if (stage === 'diagnosing') return 'found something · looking for the line'
  return [
    `tick ${tick} of ${ticks}`,
    `match ${match}`,
    `${orders} orders`,
    `${perSecond(tick, elapsedMs)} ticks/s`,
  ].join(' · ')
}

/** The end of a check as data. */
export function makeReport(
  result: CheckResult,
  elapsedMs: number,
  more: Pick<CheckReport, 'failure' | 'isElsewhereChecked'>,
): CheckReport {
  const { failure } = more
  const ticksPerSecond = perSecond(result.ticks, elapsedMs)
  return { ...result, ok: failure === undefined, ticksPerSecond, ...more }
}

/** The end of a check for a reader. */
export function reportText(report: CheckReport): string {
  const { game, ticks, matches, seats, seed, ticksPerSecond, failure } = report
  const lines = [
    `${game}: ${ticks} ticks in ${matches} matches of ${seats} seats, seed ${seed}, ${ticksPerSecond} ticks per second`,
    ordersText(report),
    ...(report.allocationBytes === undefined
      ? []
      : [`a tick allocates about ${Math.round(report.allocationBytes)} bytes`]),
  ]
  if (failure !== undefined) return [...lines, '', ...failureLines(failure)].join('\n')
  const checks = report.checks.map((id) => `  ✓ ${checkTitles[id]}`)
  if (report.isElsewhereChecked) checks.push(`  ✓ ${checkTitles.elsewhere}`)
  return [...lines, '', ...checks, ...warningLines(report), '', 'Nothing differed.'].join('\n')
}

function ordersText({ orders }: CheckReport): string {
  const counts = Object.entries(orders).map(
    ([name, { issued, executed }]) => `${name} ${executed} of ${issued}`,
  )
  return counts.length === 0 ? 'no orders' : `orders carried out: ${counts.join(', ')}`
}

function failureLines(failure: NonNullable<CheckReport['failure']>): string[] {
  return [failure.text, `  file     ${failure.file}`, `  again    ${failure.replay}`]
}

/** What was asked of the machine without having made a difference yet. */
function warningLines({ warnings }: CheckReport): string[] {
  if (warnings.length === 0) return []
  return [
    '',
    'Not yet a difference, but it will be one on another machine if it reaches the state:',
    ...warnings.map(({ name, site }) => {
      const at = site === undefined ? '' : ` at ${site.file}:${site.line}`
      return `  ! ${name}${at}`
    }),
  ]
}

function perSecond(count: number, elapsedMs: number): number {
  return Math.round(count / Math.max(elapsedMs / 1_000, 0.001))
}
