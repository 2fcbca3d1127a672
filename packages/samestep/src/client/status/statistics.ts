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

/** What the line to the relay did (REL-16). Histograms are of the whole match, the rest of this link. */
export interface LineStatistics {
  /** Round trips, measured twice a second, and by how much each differed from the one before. */
  readonly roundTrips: HistogramView
  readonly jitter: HistogramView
  /** How much later than the earliest ones of late ticks came: of those that came together, the newest. */
  readonly lateness: HistogramView
  /** Messages and bytes of ticks, control and bulk; what was sent again, and what came late. */
  readonly lanes: LanesStats
  /** Bytes per second of now, with all heads: smoothed over about a second. */
  readonly sentPerSecond: number
  readonly receivedPerSecond: number
}

/** How much passes over the link of now. */
export interface LineRates {
  readonly sentPerSecond: number
  readonly receivedPerSecond: number
}

/** What an overlay shows of one client, all in one look. */
export interface ClientStatistics {
  readonly cursors: Cursors
  /** Round trip to the relay, its variation, and the share of packets lost: where known. */
  readonly rttMs: number | undefined
  readonly jitterMs: number | undefined
  readonly lossShare: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly packetsSent: number
  readonly packetsReceived: number
  /** What the line did, in more than averages. */
  readonly line: LineStatistics
  /** Ticks between making an input and executing it, and how long inputs are held back first. */
  readonly inputDelay: number
  readonly holdMs: number
  /** How early own inputs arrive at the relay, at the least; negative when late. */
  readonly marginMs: number | undefined
  /** Own inputs that came too late so far, and of the ticks of the last three seconds in percent. */
  readonly lateInputs: number
  readonly lateInputsPercent: number
  /** Ticks that wait to be run, how many are meant to, and how unevenly they come. */
  readonly bufferTicks: number
  readonly bufferTargetTicks: number
  readonly arrivalJitterMs: number
  /** What a tick costs as 95 % do not exceed it, and ticks and drawing of the time there is. */
  readonly tickMs: number
  readonly loadPercent: number
  /** From issuing an own order to running it: median and 95 %. */
  readonly orderMs: number
  readonly orderP95Ms: number
  /** How everybody fares, as the relay said last. */
  readonly match: MatchStats | undefined
  /** Machines that have different states, as the relay said last; `undefined` while all agree. */
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
