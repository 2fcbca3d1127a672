import { expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Connection } from '../../transport/connection.ts'
import { makeMemoryPair } from '../../transport/memory.ts'
import { channelFor } from './channels.ts'
import { clientChannel } from './client-channel.ts'

test('a stream is spoken to as a stream, datagrams as datagrams', () => {
  const [stream] = makeMemoryPair({ kind: 'stream' })
  const [datagram] = makeMemoryPair({ kind: 'datagram' })
  expect(channelFor(stream, 'initiator')(0).kind).toBe('stream')
  expect(channelFor(datagram, 'initiator')(0).kind).toBe('datagram')
})

test('a connection that makes its own channel is asked for it, with its side and the time', () => {
  const [plain] = makeMemoryPair()
  const asked: unknown[] = []
  const own = new StreamChannel(5)
  const connection: Connection = Object.assign(Object.create(plain) as Connection, {
    makeChannel: (side: string, nowMs: number) => {
      asked.push([side, nowMs])
      return own
    },
  })
  expect(channelFor(connection, 'acceptor')(5)).toBe(own)
  expect(asked).toEqual([['acceptor', 5]])
})

/** What one end of a connection says, damaged on its way to the other. */
function hearDamaged(transport: string): { heard: number; dropped: number } {
  const [memory] = makeMemoryPair({ kind: 'datagram' })
  const connection: Connection = Object.create(memory, {
    transport: { value: transport },
    makeChannel: { value: undefined },
  })
  const sender = channelFor(connection, 'initiator')(0)
  const receiver = channelFor(connection, 'acceptor')(0)
  sender.sendTick(Uint8Array.of(0x80, 1, 2, 3, 4, 5, 6, 7), 0)
  const packet = sender.pollPacket()!.slice()
  packet[packet.length - 3]! ^= 0x10
  receiver.handlePacket(packet, 0)
  return { heard: receiver.pollMessage() ? 1 : 0, dropped: receiver.stats.packetsDropped }
}

test('damage is noticed by a checksum where nothing below notices it', () => {
  expect(hearDamaged('memory')).toEqual({ heard: 0, dropped: 1 })
})

test('packets that are authenticated below carry no checksum of ours', () => {
  const sizeOver = (transport: string): number => {
    const [memory] = makeMemoryPair({ kind: 'datagram' })
    const connection: Connection = Object.create(memory, {
      transport: { value: transport },
      makeChannel: { value: undefined },
    })
    const channel = channelFor(connection, 'initiator')(0)
    channel.sendTick(Uint8Array.of(0x80, 1, 2, 3), 0)
    return channel.pollPacket()!.length
  }
  expect(sizeOver('udp')).toBeLessThan(sizeOver('memory'))
})

test('a client is given what speaks over foreign datagrams when it is loaded', async () => {
  const [stream] = makeMemoryPair({ kind: 'stream' })
  const [memory] = makeMemoryPair({ kind: 'datagram' })
  const foreign: Connection = Object.create(memory, { makeChannel: { value: undefined } })
  expect(clientChannel(foreign)).toBeInstanceOf(Promise)
  expect((await clientChannel(foreign))(0).kind).toBe('datagram')
  for (const connection of [stream, memory]) {
    expect(clientChannel(connection)).toBeInstanceOf(Function)
    expect((await clientChannel(connection))(0).kind).toBe(connection.kind)
  }
})
