/** What is promised of every attack, whatever it does. */
import type { Outcome, Promised } from './attack.ts'

/** Ticks of an honest match: their p99 under attack, of that before it. */
export const tickFactorMax = 2

/** Descriptors more than before that are no leak: a log, a DNS socket, a file that is being opened. */
export const descriptorsSlack = 4

/** What differs between attacks. */
export interface CommonLimits {
  /** Memory more than before, at the peak, of all processes of the relay. */
  readonly growthMibMax: number
}

/** Whether the promises that all attacks share are kept. */
export function commonPromises(outcome: Outcome, limits: CommonLimits): Promised[] {
  const { before, meanwhile, after, idle, rest, loads, cuts, health, pages } = outcome
  const growth = Math.max(meanwhile.peakMib, after.peakMib) - before.peakMib
  const { growthMibMax } = limits
  const p99Max = before.p99 * tickFactorMax
  return [
    promise('the relay lives, and stops in order', outcome.isAlive && outcome.exitCode === 0),
    promise(`no fault is counted: ${outcome.faults ?? 'no answer'}`, outcome.faults === 0),
    promise(`no honest link is cut: ${cuts.join(', ') || 'none'}`, cuts.length === 0),
    promise(
      `tick p99 ${meanwhile.p99.toFixed(0)} ms is at most ${tickFactorMax} × ${before.p99.toFixed(0)} ms`,
      meanwhile.ticks > 0 && meanwhile.p99 <= p99Max,
    ),
    promise(
      `${growth.toFixed(0)} MiB more are at most ${growthMibMax}`,
      // A dead process has no memory, which is no merit.
      outcome.isAlive && growth <= growthMibMax,
    ),
    promise(`/health answers: ${health.failed} of ${health.asked} failed`, health.failed === 0),
    promise(`pages load: ${pages.failed} of ${pages.asked} failed`, pages.failed === 0),
    promise(
      `downloads work afterwards: ${loads.join(' ')}`,
      loads.every((status) => status === 200),
    ),
    promise(
      `links are free again: ${rest?.links ?? '?'} of ${idle.links} before`,
      rest !== undefined && rest.links <= idle.links,
    ),
    promise(
      `matches are over: ${rest?.matches ?? '?'} of ${idle.matches} before`,
      rest !== undefined && rest.matches <= idle.matches,
    ),
    promise(
      `descriptors are closed: ${rest?.descriptors ?? '?'} of ${idle.descriptors} before`,
      rest !== undefined && rest.descriptors <= idle.descriptors + descriptorsSlack,
    ),
  ]
}

/** One promise. */
export function promise(what: string, isKept: boolean): Promised {
  return { what, isKept }
}

/** Whether a player came in during the attack within `msMax`. */
export function joinPromise({ joinMs }: Outcome, msMax: number): Promised {
  const took = joinMs === undefined ? 'not at all' : `in ${joinMs.toFixed(0)} ms`
  return promise(
    `a player joins within ${msMax} ms: ${took}`,
    joinMs !== undefined && joinMs <= msMax,
  )
}
