import { callSiteText } from '../../base/call-site-text.ts'
import { isDevelopment } from '../../base/environment.ts'
import type { DesyncPlace, DesyncReport, DesyncWrite } from '../../desync/report.ts'
import { namesOf } from '../../desync/seat-names.ts'
import type { DesyncVerdict } from '../../desync/verdict.ts'

/** A desync in some lines: where, who agrees with whom, and what is known of the reason. */
export function describeDesync(report: DesyncReport): string {
  return [headline(report), ...found(report)].join('\n')
}

function headline(report: DesyncReport): string {
  const { tick, agreedTick, groups, verdict, isSpectator } = report
  if (isSpectator) {
    return `Desync: this spectator's state differs from that of every player at tick ${tick} or before`
  }
  const where = agreedTick === tick - 1 ? `at tick ${tick}` : `at tick ${tick} or before`
  const isApart = agreedTick !== undefined && agreedTick < tick - 1
  const since = isApart ? `; they last agreed at tick ${agreedTick}` : ''
  const who = groups.map((seats) => `${seats.length === 1 ? 'seat' : 'seats'} ${seats.join(', ')}`)
  return `Desync: machines differ ${where}${since}. Who agrees with whom: ${who.join(' | ')}${blame(verdict)}`
}

/** What was found out since it was told first. */
function found({ place, writes, cause }: DesyncReport): string[] {
  const lines: string[] = []
  if (place !== undefined) lines.push(`  ${placeLine(place)}`)
  for (const write of writes) {
    const where = write.site === undefined ? '' : ` at ${callSiteText(write.site)}`
    lines.push(`  ${namesOf(write.seats)}: ${write.system}${where}${whatOf(write)}`)
  }
  if (cause !== undefined) lines.push(`  ${cause.text} ${cause.advice}`)
  return lines
}

/** What a line does; values are not always told. */
function whatOf({ kind, field, value }: DesyncWrite): string {
  if (kind !== 'call') return value === '' ? '' : ` writes ${value}`
  // What the clock and chance give is another thing each time, and never told.
  const gives = value === '' || value === 'null' ? '' : `, which gives ${value}`
  return ` calls ${field}${gives}`
}

function placeLine({ part, row, field, values }: DesyncPlace): string {
  const where = `${part}.${field}${row === undefined ? '' : `, row ${row}`}`
  const shown = values.map(({ seats, value }) => `${value} on ${namesOf(seats)}`)
  return shown.length === 0 ? `${where} differs` : `${where} is ${shown.join(', ')}`
}

/** Whom counting blames. */
function blame(verdict: DesyncVerdict): string {
  if (verdict.kind === 'undecided') return '; no majority, so nobody is blamed'
  const [noun, verb] = verdict.seats.length === 1 ? ['seat', 'differs'] : ['seats', 'differ']
  return `; ${noun} ${verdict.seats.join(', ')} ${verb} from the majority`
}

/** Writes a desync to the console, in development: a determinism bug that nobody sees is not fixed. */
export function warnOfDesync(desync: DesyncReport): void {
  const { console } = globalThis as { console?: { warn(text: string): void } }
  if (isDevelopment()) console?.warn(describeDesync(desync))
}
