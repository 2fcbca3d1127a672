import { isDevelopment } from '../../base/environment.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { DesyncVerdict } from '../../desync/verdict.ts'

/** A desync in a sentence: where, and who agrees with whom. */
export function describeDesync(report: DesyncReport): string {
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
