/** How the lines of a relay's players are, in numbers that can be added up over processes. */
import type { HistogramView } from '../../base/histogram.ts'
import { Histogram } from '../../base/histogram.ts'
import type { LanesStats } from '../../link/lane-stats.ts'
import { addLanes, noLanes } from '../../link/lane-stats.ts'
import type { Session } from '../../relay/match/session.ts'

/** Traffic and latency of a relay's connections (REL-16). */
export interface LineNumbers {
  /** Messages and bytes since the start, by lane, without packet headers. */
  readonly lanes: LanesStats
  /** The current round-trip time of each connected player, and its variation where known. */
  readonly roundTrips: HistogramView
  readonly jitter: HistogramView
}

/** The numbers of some sessions, of which only connected players count. */
export function lineNumbersOf(lanes: LanesStats, sessions: Iterable<Session>): LineNumbers {
  const [roundTrips, jitter] = [new Histogram(), new Histogram()]
  for (const { seat, channel, rttMs } of sessions) {
    if (seat === undefined || channel === undefined) continue
    const { stats } = channel
    const roundTripMs = stats.rttMs ?? rttMs
    if (roundTripMs !== undefined) roundTrips.note(roundTripMs)
    if (stats.rttVariationMs !== undefined) jitter.note(stats.rttVariationMs)
  }
  return { lanes, roundTrips: roundTrips.view(), jitter: jitter.view() }
}

/** The sums of several. */
export function addLineNumbers(all: readonly LineNumbers[]): LineNumbers {
  const [roundTrips, jitter] = [new Histogram(), new Histogram()]
  let lanes = noLanes
  for (const one of all) {
    lanes = addLanes(lanes, one.lanes)
    roundTrips.add(one.roundTrips)
    jitter.add(one.jitter)
  }
  return { lanes, roundTrips: roundTrips.view(), jitter: jitter.view() }
}
