import type { ChannelStats } from '../channel.ts'
import { ChannelCounters } from '../channel-counters.ts'
import type { PathEstimator } from './path-estimator.ts'

/** What a `DatagramChannel` counts: packets sent = acked + lost + in flight. */
export interface DatagramStats extends ChannelStats {
  readonly packetsAcked: number
  readonly packetsInFlight: number
}

/** The counters of one such channel, and what its path says. */
export class DatagramCounters extends ChannelCounters implements DatagramStats {
  packetsAcked = 0
  packetsInFlight = 0
  readonly #path: PathEstimator

  constructor(path: PathEstimator) {
    super()
    this.#path = path
  }

  override get queueMs(): number {
    return this.#path.queueMs
  }
}
