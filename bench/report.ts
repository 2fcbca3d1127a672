import { styleText } from 'node:util'
import { describeBusy } from './load.ts'
import type { SuiteResult } from './measure.ts'

type Style = Parameters<typeof styleText>[0]

/** Colours a text; or leaves it alone, where nobody sees colours. */
export type Paint = (style: Style, text: string) => string

/** For pipes and files. */
export const plain: Paint = (_style, text) => text

/** For terminals. */
export const coloured: Paint = (style, text) => styleText(style, text)

const units: readonly (readonly [limitNs: number, unit: string])[] = [
  [1e3, 'ns'],
  [1e6, 'µs'],
  [1e9, 'ms'],
  [Number.POSITIVE_INFINITY, 's'],
]

/** A time with three digits that mean something: `41.2 µs`. */
export function formatTime(ns: number): string {
  const index = units.findIndex(([limitNs]) => ns < limitNs)
  const [, unit] = units[index] ?? [0, 's']
  return `${formatNumber(ns / 1e3 ** index)} ${unit}`
}

/** Three significant digits, without an exponent. */
export function formatNumber(value: number): string {
  const digits = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)))
  return value.toFixed(Math.min(6, Math.max(0, 2 - digits)))
}

/** One suite as a table, with its targets and figures below. */
export function formatSuite(result: SuiteResult, paint: Paint): string {
  const width = Math.max(...result.contenders.map(({ name }) => name.length))
  const rows = result.contenders.map((contender) => {
    const { name, nsPerCall, spread, ratio } = contender
    const isBaseline = name === result.baseline
    const interval = isBaseline
      ? 'baseline'
      : `${formatNumber(ratio.low)} to ${formatNumber(ratio.high)}`
    return [
      `  ${name.padEnd(width)}`,
      formatTime(nsPerCall).padStart(10),
      paint('dim', `±${(spread * 100).toFixed(1)} %`.padStart(9)),
      paint(isBaseline ? 'dim' : 'bold', `${formatNumber(ratio.value)}×`.padStart(8)),
      paint('dim', ` ${interval}`),
    ].join(' ')
  })
  const targets = result.targets.map((target) => {
    const { of, against, ratio, isMet } = target
    return `  ${mark(isMet, paint)} ${of} takes ${formatNumber(ratio.value)}× the time of ${against}${formatLimits(target)}`
  })
  const figures = result.figures.map((figure) => {
    const { name, value, unit, isMet } = figure
    const hasLimit = figure.atMost !== undefined || figure.atLeast !== undefined
    const sign = hasLimit ? mark(isMet, paint) : '·'
    return `  ${sign} ${name}: ${formatFigure(value)} ${unit}${formatLimits(figure)}`
  })
  const heading = `${paint('bold', result.name)}  ${result.work}  ${paint('dim', `(${result.rounds} rounds)`)}`
  return [heading, ...rows, ...targets, ...figures].join('\n')
}

/** Counts are exact; everything else gets three digits. */
function formatFigure(value: number): string {
  return Number.isInteger(value) ? String(value) : formatNumber(value)
}

function mark(isMet: boolean, paint: Paint): string {
  return isMet ? paint('green', '✓') : paint('red', '✗')
}

function formatLimits(limits: { readonly atMost?: number; readonly atLeast?: number }): string {
  const { atMost, atLeast } = limits
  if (atMost === undefined && atLeast === undefined) return ''
  const parts = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  return ` (promised: ${parts.join(', ')})`
}

/** How many promises were kept, in all suites. */
export function countPromises(results: readonly SuiteResult[]): { kept: number; missed: number } {
  const promises = results.flatMap(({ targets, figures }) => [...targets, ...figures])
  const limited = promises.filter(({ atMost, atLeast }) => (atMost ?? atLeast) !== undefined)
  const kept = limited.filter(({ isMet }) => isMet).length
  return { kept, missed: limited.length - kept }
}

/** The last lines: promises, and whether the machine was quiet enough to believe them. */
export function formatSummary(results: readonly SuiteResult[], paint: Paint): string {
  const { kept, missed } = countPromises(results)
  const count = `${kept} promises kept, ${missed} missed`
  const busiest = results
    .filter(({ load }) => describeBusy(load) !== undefined)
    .sort((a, b) => b.load.otherCores - a.load.otherCores)[0]
  const busy = busiest === undefined ? undefined : describeBusy(busiest.load)
  const lines = [paint(missed > 0 ? 'red' : 'green', count)]
  if (busy !== undefined) lines.push(paint('yellow', busy))
  return lines.join('\n')
}
