import type { ChannelFactory } from '../../link/channel.ts'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Connection } from '../../transport/connection.ts'

/**
 * Makes the channel that a client speaks over a connection.
 *
 * Transports of datagrams bring their own channel. What speaks over those of another making is loaded
 * when the first one comes: a page that plays over WebSocket never carries it.
 */
export function clientChannel(connection: Connection): ChannelFactory | Promise<ChannelFactory> {
  const { kind } = connection
  if (connection.makeChannel !== undefined) {
    return (nowMs) => connection.makeChannel!('initiator', nowMs)
  }
  if (kind === 'stream') {
    return (nowMs) => new StreamChannel(nowMs, () => connection.backlogBytes)
  }
  return import('./channels.ts').then(({ channelFor }) => channelFor(connection, 'initiator'))
}
