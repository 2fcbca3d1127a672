/**
 * Every way to a relay that this process can open, each as a door and a dial: memory, both kinds;
 * WebSocket, UDP and WebRTC over loopback; and the bus between threads.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dialOnBus, listenOnBus, openBroadcastBus } from '../../src/transport/broadcast/index.ts'
import type { Accept, Dial } from '../../src/transport/connection.ts'
import { listenInMemory } from '../../src/transport/memory.ts'
import { listenWebSocket } from '../../src/transport/node/websocket-server.ts'
import { dialUdp, listenUdp } from '../../src/transport/udp/index.ts'
import { dialWebrtc } from '../../src/transport/webrtc/index.ts'
import { loadNativePeers, openRtcDoor } from '../../src/transport/webrtc/node/index.ts'
import { makeNodeSocket } from '../../src/transport/webrtc/testing/rtc-stage.ts'
import { dialWebSocket } from '../../src/transport/websocket-client.ts'

/** A door to a relay, and the way to it. */
export interface Carrier {
  /** What connections of it say that they are. */
  readonly transport: string
  readonly dial: Dial
  close(): Promise<void>
}

/** Opens a door behind which connections are accepted. */
export type OpenCarrier = (accept: Accept) => Promise<Carrier>

const openMemory =
  (kind: 'stream' | 'datagram'): OpenCarrier =>
  async (accept) => {
    const door = listenInMemory(accept, { kind })
    return { transport: 'memory', dial: door.dial, close: () => door.close() }
  }

const openWebSocket =
  (turbo: boolean): OpenCarrier =>
  async (accept) => {
    const door = await listenWebSocket(accept, { turbo })
    return { transport: 'websocket', dial: dialWebSocket(door.url), close: () => door.close() }
  }

const openUdp: OpenCarrier = async (accept) => {
  const door = await listenUdp(accept)
  return { transport: 'udp', dial: dialUdp(door.url), close: () => door.close() }
}

const openWebrtc: OpenCarrier = async (accept) => {
  const bindAddress = '127.0.0.1'
  const door = await openRtcDoor(accept, { bindAddress })
  const server = createServer((_request, response) => response.writeHead(404).end())
  door.attach(server)
  await new Promise<void>((resolve) => server.listen(0, bindAddress, resolve))
  const url = `ws://${bindAddress}:${(server.address() as AddressInfo).port}`
  const makePeer = await loadNativePeers({ bindAddress })
  return {
    transport: 'webrtc',
    dial: dialWebrtc(url, { makePeer, makeSocket: makeNodeSocket }),
    async close() {
      await door.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let busCount = 0

const openBroadcast: OpenCarrier = async (accept) => {
  const name = `carrier ${process.pid} ${++busCount}`
  const [near, far] = [openBroadcastBus(name), openBroadcastBus(name)]
  const door = await listenOnBus(far, accept)
  return {
    transport: 'broadcast',
    dial: dialOnBus(near, { to: door.id }),
    async close() {
      await door.close()
      near.close()
      far.close()
    },
  }
}

/** By name, the one that all others are compared with first. */
export const carriers: { readonly [name: string]: OpenCarrier } = {
  'memory, stream': openMemory('stream'),
  'memory, datagram': openMemory('datagram'),
  websocket: openWebSocket(false),
  'websocket, turbo': openWebSocket(true),
  udp: openUdp,
  webrtc: openWebrtc,
  broadcast: openBroadcast,
}
