import type { ChannelFactory } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Connection } from '../../transport/connection.ts'

/** Makes the channel that speaks over a connection: its own, or the one for its kind. */
export function channelFor(connection: Connection, side: LinkSide): ChannelFactory {
  return (nowMs) => {
    if (connection.makeChannel !== undefined) return connection.makeChannel(side, nowMs)
    if (connection.kind === 'stream') {
      return new StreamChannel(nowMs, () => connection.backlogBytes)
    }
    // A connection is one conversation. Where packets are authenticated, a checksum proves nothing.
    const checksum = connection.transport !== 'udp'
    return new DatagramChannel({ epoch: 0, side, checksum }, nowMs)
  }
}
