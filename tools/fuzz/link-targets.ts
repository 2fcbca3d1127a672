/** The link's packets, alone and in a conversation. */
import { DatagramChannel } from '../../packages/samestep/src/link/datagram/datagram-channel.ts'
import { partKinds } from '../../packages/samestep/src/link/datagram/packet-format.ts'
import { PacketReader } from '../../packages/samestep/src/link/datagram/packet-reader.ts'
import { PacketWriter } from '../../packages/samestep/src/link/datagram/packet-writer.ts'
import { StreamChannel } from '../../packages/samestep/src/link/stream/stream-channel.ts'
import type { FuzzTarget } from './fuzzer.ts'

const reader = new PacketReader()
const writer = new PacketWriter()

/** What refuses without an error is made to speak the fuzzer's language. */
class Refused extends Error {
  override readonly name = 'WireError'
}

function recodePacket(bytes: Uint8Array): Uint8Array {
  if (!reader.read(bytes, undefined)) throw new Refused()
  writer.begin(reader.epoch, reader.number)
  if (reader.hasAck) writer.acknowledge(reader.ack, reader.mask, reader.heldMs)
  for (let index = 0; index < reader.partCount; index++) {
    const kind = reader.partKind[index]
    const number = reader.partNumber[index]!
    if (kind === partKinds.close) writer.close(number)
    else if (kind === partKinds.ping) writer.ping()
    else {
      const lane = kind === partKinds.control ? 'control' : 'bulk'
      const isLast = reader.partIsLast[index] === 1
      writer.segment(lane, number, isLast, bytes, reader.partStart[index]!, reader.partEnd[index]!)
    }
  }
  if (reader.tickStart < reader.tickEnd) {
    writer.tick(bytes.subarray(reader.tickStart, reader.tickEnd))
  }
  return writer.finish(undefined)
}

const options = { epoch: 7, checksum: false } as const

/** Packets of a real conversation, from the side that began. */
function recordPackets(): Uint8Array[] {
  const here = new DatagramChannel({ ...options, side: 'initiator' }, 0)
  const there = new DatagramChannel({ ...options, side: 'acceptor' }, 0)
  const packets: Uint8Array[] = []
  const message = Uint8Array.from({ length: 40 }, (_, index) => index)
  for (let nowMs = 0; nowMs < 400; nowMs += 33) {
    here.handleTime(nowMs)
    there.handleTime(nowMs)
    if (nowMs === 33) here.sendControl(message, nowMs)
    if (nowMs === 66) here.sendBulk(new Uint8Array(700), nowMs)
    if (nowMs === 330) here.close(4016, nowMs)
    here.sendTick(message.subarray(0, 3), nowMs)
    there.sendTick(message.subarray(0, 2), nowMs)
    for (let packet = here.pollPacket(); packet; packet = here.pollPacket()) {
      packets.push(packet)
      // Some are lost, so that acknowledgements have gaps and segments come twice.
      if (packets.length % 4 !== 0) there.handlePacket(packet, nowMs)
    }
    for (let packet = there.pollPacket(); packet; packet = there.pollPacket()) {
      here.handlePacket(packet, nowMs)
    }
  }
  return packets
}

/** Packets one behind the other, each with its length in front, as one input. */
function joinPackets(packets: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(
    packets.flatMap((packet) => [packet.length & 0xff, packet.length >>> 8, ...packet]),
  )
}

type AnyChannel = Pick<
  DatagramChannel,
  'handlePacket' | 'handleTime' | 'pollMessage' | 'pollPacket' | 'wakeAtMs'
>

/** Feeds an input to one channel, packet by packet, with time going on between them. */
function feed(channel: AnyChannel, bytes: Uint8Array): undefined {
  let nowMs = 0
  for (let at = 0; at + 2 <= bytes.length; ) {
    const length = bytes[at]! | (bytes[at + 1]! << 8)
    const packet = bytes.slice(at + 2, at + 2 + length)
    at += 2 + length
    nowMs += 10 + (length & 31)
    channel.handlePacket(packet, nowMs)
    if (channel.wakeAtMs() <= nowMs) channel.handleTime(nowMs)
    while (channel.pollMessage() !== undefined) {}
    while (channel.pollPacket() !== undefined) {}
  }
  return undefined
}

/** A channel's own rings and windows, which every run of it makes anew. */
const channelBytes = 262_144

/** All targets of the link. */
export function linkTargets(): FuzzTarget[] {
  const packets = recordPackets()
  return [
    {
      name: 'link/packet',
      seeds: packets,
      run: recodePacket,
      allocationMax: (length) => 4_096 + 8 * length,
    },
    {
      name: 'link/datagram-channel',
      seeds: [joinPackets(packets.slice(0, 3)), joinPackets(packets)],
      run: (bytes) => feed(new DatagramChannel({ ...options, side: 'acceptor' }, 0), bytes),
      allocationMax: (length) => channelBytes + 64 * length,
    },
    {
      name: 'link/stream-channel',
      seeds: [
        joinPackets([Uint8Array.of(1, 2), Uint8Array.of(0x80, 1, 0), Uint8Array.of(0x3f, 1, 2)]),
      ],
      run: (bytes) => feed(new StreamChannel(0), bytes),
      allocationMax: (length) => channelBytes + 64 * length,
    },
  ]
}
