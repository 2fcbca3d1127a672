import type { ChannelStats } from '../channel.ts'
import { ChannelCounters } from '../channel-counters.ts'
import type { PathEstimator } from './path-estimator.ts'
import type { SentPackets } from './sent-packets.ts'

/** What a `DatagramChannel` counts: packets sent = acked + lost + in flight. */
export interface DatagramStats extends ChannelStats {
  readonly packetsAcked: number
  readonly packetsInFlight: number
}

/** The counters of one such channel, and what they say about its path. */
export class DatagramCounters extends ChannelCounters implements DatagramStats {
  packetsAcked = 0
  packetsInFlight = 0
  readonly #path: PathEstimator

  constructor(path: PathEstimator) {
    super()
    this.#path = path
  }

  /** A packet went out. */
  noteSent(size: number, payloadBytes: number): void {
    this.packetsSent++
    this.bytesSent += size
    this.overheadBytes += size - payloadBytes
  }

  /** The other side held an acknowledgement that came now for `heldMs`, of a packet from `sentAtMs`. */
  noteRoundTrip(sentAtMs: number, heldMs: number, nowMs: number): void {
    const sampleMs = nowMs - sentAtMs - heldMs
    // Rounding of the held time may leave a little less than nothing; anything below is a lie.
    if (sampleMs > -1) this.#path.handleSample(Math.max(sampleMs, 0), nowMs)
    this.rttMs = this.#path.rttMs
    this.rttVariationMs = this.#path.rttVariationMs
  }

  /** Some packets were acknowledged or lost. */
  noteVerdicts({ ackedCount, lostCount, inFlightCount }: SentPackets): void {
    this.#path.handleVerdicts(ackedCount - this.packetsAcked, lostCount - this.packetsLost)
    this.packetsAcked = ackedCount
    this.packetsLost = lostCount
    this.packetsInFlight = inFlightCount
    this.lossShare = this.#path.lossShare
  }

  override get queueMs(): number {
    return this.#path.queueMs
  }
}
