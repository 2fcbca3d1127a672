import { isDevelopment } from '../../base/environment.ts'
import type { Desync } from '../../client/status/play-state.ts'

/** A desync in a sentence: where, and who agrees with whom. */
export function describeDesync({ tick, agreedTick, groups, isSpectator }: Desync): string {
  if (isSpectator) {
    return `Desync: this spectator's state differs from that of every player at tick ${tick} or before`
  }
  const where = agreedTick === tick - 1 ? `at tick ${tick}` : `at tick ${tick} or before`
  const isApart = agreedTick !== undefined && agreedTick < tick - 1
  const since = isApart ? `; they last agreed at tick ${agreedTick}` : ''
  const who = groups.map((seats) => `${seats.length === 1 ? 'seat' : 'seats'} ${seats.join(', ')}`)
  return `Desync: machines differ ${where}${since}. Who agrees with whom: ${who.join(' | ')}`
}

/** Writes a desync to the console, in development: a determinism bug that nobody sees is not fixed. */
export function warnOfDesync(desync: Desync): void {
  const { console } = globalThis as { console?: { warn(text: string): void } }
  if (isDevelopment()) console?.warn(describeDesync(desync))
}
