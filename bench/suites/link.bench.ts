import type { Channel } from '../../packages/samestep/src/link/channel.ts'
import { DatagramChannel } from '../../packages/samestep/src/link/datagram/datagram-channel.ts'
import { StreamChannel } from '../../packages/samestep/src/link/stream/stream-channel.ts'
import type { Contender, Figure, Suite } from '../types.ts'

/** A typical tick of a match with a few orders; the first byte is that of `RelayBundles`. */
const message = Uint8Array.from({ length: 40 }, (_, at) => (at === 0 ? 0x80 : (at * 37) & 0xff))

/** Between two packets of one direction at 30 ticks per second, both directions interleaved. */
const stepMs = 1000 / 60

/** Packets after which the path is known and the mask of acknowledgements is full. */
const warmUpPackets = 200

type Pair = readonly [Channel, Channel]

function datagramPair(checksum: boolean): Pair {
  return [
    new DatagramChannel({ epoch: 1, side: 'initiator', checksum }, 0),
    new DatagramChannel({ epoch: 1, side: 'acceptor', checksum }, 0),
  ]
}

/** Sends one tick in one direction, the next one in the other, so that each acknowledges the last. */
function tickTo(pair: Pair): Contender {
  let nowMs = 0
  let turn = 0
  return () => {
    nowMs += stepMs
    turn ^= 1
    const from = pair[turn as 0 | 1]
    const to = pair[(turn ^ 1) as 0 | 1]
    from.sendTick(message, nowMs)
    for (let packet = from.pollPacket(); packet; packet = from.pollPacket()) {
      to.handlePacket(packet, nowMs)
    }
    return to.pollMessage()?.bytes.length
  }
}

function overheadOf(name: string, pair: Pair, atMost: number): Figure {
  const tick = tickTo(pair)
  for (let count = 0; count < warmUpPackets; count++) tick()
  const { overheadBytes, packetsSent } = pair[0].stats
  const before = { overheadBytes, packetsSent }
  for (let count = 0; count < warmUpPackets; count++) tick()
  const { stats } = pair[0]
  const bytes = stats.overheadBytes - before.overheadBytes
  const value = bytes / (stats.packetsSent - before.packetsSent)
  return { name, value, unit: 'bytes', atMost }
}

/** What the link layer adds to a tick, in time and in bytes. */
export const suites: readonly Suite[] = [
  {
    name: 'link-tick',
    work: `one tick message of ${message.length} bytes sent and received, acknowledged by the next`,
    baseline: 'stream',
    prepare: () => ({
      contenders: {
        stream: tickTo([new StreamChannel(0), new StreamChannel(0)]),
        'datagram, no checksum': tickTo(datagramPair(false)),
        'datagram, checksum': tickTo(datagramPair(true)),
      },
      figures: [
        overheadOf('stream overhead per tick', [new StreamChannel(0), new StreamChannel(0)], 0),
        // The aim: ten bytes, and four of checksum where the transport has none of its own.
        overheadOf('datagram overhead per tick, no checksum', datagramPair(false), 10),
        overheadOf('datagram overhead per tick, checksum', datagramPair(true), 14),
      ],
    }),
  },
]
