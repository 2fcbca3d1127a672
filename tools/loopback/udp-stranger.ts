/** A UDP client from an address of one's choice, which can stop halfway. */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { UdpClient } from '../../packages/samestep/src/transport/udp/udp-client.ts'
import { parseUdpUrl } from '../../packages/samestep/src/transport/udp/udp-url.ts'
import { host } from './sockets.ts'

/** How long a handshake may take. */
const handshakeMsMax = 3_000

/** Somebody who has shaken hands and has not said anything yet. */
export interface UdpStranger {
  send(packet: Uint8Array): void
  /** Says goodbye. */
  close(): void
  /** Is gone without a word. */
  vanish(): void
}

/** A UDP socket at an address of the strangers. */
export async function bindFrom(localAddress: string): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.bind(0, localAddress, resolve))
  return socket
}

/** How somebody shakes hands badly. */
export interface HandshakeFlaws {
  /** Gives up after so long, wherever it stands; three seconds when left out. */
  readonly msMax?: number
  /** Changes each datagram before it is sent. */
  readonly mangle?: (datagram: Uint8Array) => Uint8Array
}

/** Shakes hands with a relay; `undefined` when that does not work in time. */
export async function shakeHands(
  url: string,
  localAddress: string,
  { msMax = handshakeMsMax, mangle = (datagram) => datagram }: HandshakeFlaws = {},
): Promise<UdpStranger | undefined> {
  const { port, key: serverKey } = parseUdpUrl(url)
  const socket = await bindFrom(localAddress)
  const options = {
    server: { address: host, port },
    protocol: 1,
    random: (count: number) => new Uint8Array(randomBytes(count)),
    ...(serverKey === undefined ? {} : { serverKey }),
  }
  const client = new UdpClient(options, performance.now())
  return new Promise((resolve) => {
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      clearInterval(timer)
      clearTimeout(patience)
      socket.close()
    }
    const drain = () => {
      for (let next = client.pollOutput(); next !== undefined; next = client.pollOutput()) {
        if (next.type === 'transmit') socket.send(mangle(next.bytes), port, host, () => {})
        else if (next.type === 'accepted') settle(true)
        else if (next.type === 'failed' || next.type === 'ended') settle(false)
      }
    }
    const settle = (isAccepted: boolean) => {
      clearTimeout(patience)
      if (!isAccepted) end()
      resolve(isAccepted ? stranger : undefined)
    }
    const stranger: UdpStranger = {
      send: (packet) => {
        client.send(packet, performance.now())
        if (!isOver) drain()
      },
      close: () => {
        client.close({ code: 4016, reason: '' }, performance.now())
        if (!isOver) drain()
        setTimeout(end, 500)
      },
      vanish: end,
    }
    const patience = setTimeout(() => settle(false), msMax)
    const timer = setInterval(() => {
      client.handleTime(performance.now())
      drain()
    }, 50)
    socket.on('message', (bytes, from) => {
      client.handleDatagram(bytes, { address: from.address, port: from.port }, performance.now())
      if (!isOver) drain()
    })
    drain()
  })
}
