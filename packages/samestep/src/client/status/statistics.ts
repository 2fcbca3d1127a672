import type { HistogramView } from '../../base/histogram.ts'
import { emptyHistogram } from '../../base/histogram.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { ChannelStats } from '../../link/channel.ts'
import type { LanesStats } from '../../link/lane-stats.ts'
import { noLanes } from '../../link/lane-stats.ts'
import type { Cursors } from '../events.ts'
import { noCursors } from '../events.ts'
import type { TurnSender } from '../outbox/turn-sender.ts'
import type { TickPacer } from '../pacing/tick-pacer.ts'
import type { MissedInputs } from './missed-inputs.ts'
import type { MatchStats } from './room-view.ts'

/**
 * Figures of the connection to the relay (REL-16). Histograms cover the whole match, the rest the current
 * link.
 */
export interface LineStatistics {
  /** Round-trip times, measured twice a second, and how much each differed from the one before. */
  readonly roundTrips: HistogramView
  readonly jitter: HistogramView
  /**
   * How much later ticks arrived than the earliest recent ones; of ticks that arrived together, the newest
   * counts.
   */
  readonly lateness: HistogramView
  /** Messages and bytes of the lanes tick, control and bulk; how much was sent again or arrived late. */
  readonly lanes: LanesStats
  /** Bytes per second including all headers, smoothed over about a second. */
  readonly sentPerSecond: number
  readonly receivedPerSecond: number
}

/** How much passes over the link of now. */
export interface LineRates {
  readonly sentPerSecond: number
  readonly receivedPerSecond: number
}

/** Everything that an overlay shows about one client. */
export interface ClientStatistics {
  readonly cursors: Cursors
  /** Round-trip time to the relay, its variation and the packet loss, where known. */
  readonly rttMs: number | undefined
  readonly jitterMs: number | undefined
  readonly lossShare: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly packetsSent: number
  readonly packetsReceived: number
  /** Detailed figures of the connection. */
  readonly line: LineStatistics
  /** Ticks between making an input and executing it, and how long inputs are held before they are sent. */
  readonly inputDelay: number
  readonly holdMs: number
  /** The smallest margin by which this client's inputs reach the relay in time; negative if late. */
  readonly marginMs: number | undefined
  /**
   * This client's inputs that were too late: all so far, and in percent of the last three seconds' ticks.
   */
  readonly lateInputs: number
  readonly lateInputsPercent: number
  /** Ticks queued to run, the intended number of them, and how unevenly they arrive. */
  readonly bufferTicks: number
  readonly bufferTargetTicks: number
  readonly arrivalJitterMs: number
  /** The 95th percentile of a tick's cost, and the share of the time that ticks and drawing take. */
  readonly tickMs: number
  readonly loadPercent: number
  /** From issuing an order to executing it: median and 95th percentile. */
  readonly orderMs: number
  readonly orderP95Ms: number
  /** The latest figures of all players from the relay. */
  readonly match: MatchStats | undefined
  /** The latest desync reported by the relay; `undefined` while all machines agree. */
  readonly desync: DesyncReport | undefined
}

/** What is measured in a match that was launched. */
export interface MeasuredMatch {
  readonly cursors: Cursors
  readonly turns: Pick<
    TurnSender,
    'rttMs' | 'roundTrips' | 'jitter' | 'delay' | 'holdMs' | 'marginMs'
  >
  readonly missed: Pick<MissedInputs, 'total' | 'percent'>
  readonly pacer: TickPacer
  readonly inbox: { readonly readyCount: number }
  readonly orderWaits: { percentile(share: number): number }
}

/** What statistics are made of. */
export interface StatisticsSource {
  readonly running: MeasuredMatch | undefined
  readonly link: ChannelStats | undefined
  readonly rates: LineRates
  /** As the match is configured, for as long as it does not run. */
  readonly inputDelay: number
  readonly match: MatchStats | undefined
  readonly desync: DesyncReport | undefined
}

/** Puts them together. */
export function makeStatistics(source: StatisticsSource): ClientStatistics {
  const { running, link, rates } = source
  const { turns, pacer, missed, orderWaits } = running ?? {}
  return {
    cursors: running?.cursors ?? noCursors,
    rttMs: turns?.rttMs ?? link?.rttMs,
    jitterMs: link?.rttVariationMs,
    lossShare: link?.lossShare ?? 0,
    bytesSent: link?.bytesSent ?? 0,
    bytesReceived: link?.bytesReceived ?? 0,
    packetsSent: link?.packetsSent ?? 0,
    packetsReceived: link?.packetsReceived ?? 0,
    line: {
      roundTrips: turns?.roundTrips ?? emptyHistogram,
      jitter: turns?.jitter ?? emptyHistogram,
      lateness: pacer?.arrivals.lateness.view() ?? emptyHistogram,
      lanes: link?.lanes ?? noLanes,
      sentPerSecond: rates.sentPerSecond,
      receivedPerSecond: rates.receivedPerSecond,
    },
    inputDelay: turns?.delay ?? source.inputDelay,
    holdMs: turns?.holdMs ?? 0,
    marginMs: turns?.marginMs,
    lateInputs: missed?.total ?? 0,
    lateInputsPercent: missed?.percent ?? 0,
    bufferTicks: running?.inbox.readyCount ?? 0,
    bufferTargetTicks: pacer?.targetDepth ?? 0,
    arrivalJitterMs: pacer?.jitterMs ?? 0,
    tickMs: pacer?.load.tickMs ?? 0,
    loadPercent: pacer?.load.loadPercent ?? 0,
    orderMs: orderWaits?.percentile(0.5) ?? 0,
    orderP95Ms: orderWaits?.percentile(0.95) ?? 0,
    match: source.match,
    desync: source.desync,
  }
}
