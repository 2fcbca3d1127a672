import type { ChannelStats } from './channel.ts'
import { LanesCounters } from './lane-stats.ts'

/** The counters of a channel, for the channel to write and everybody else to read as they grow. */
export class ChannelCounters implements ChannelStats {
  packetsSent = 0
  packetsReceived = 0
  bytesSent = 0
  bytesReceived = 0
  overheadBytes = 0
  messagesSent = 0
  messagesReceived = 0
  packetsLost = 0
  packetsResent = 0
  packetsDropped = 0
  rttMs: number | undefined = undefined
  rttVariationMs: number | undefined = undefined
  lossShare = 0
  readonly lanes = new LanesCounters()

  /** Nothing is known unless a channel says otherwise. */
  get queueMs(): number {
    return 0
  }
}
