/** The doors of the relay under test, and the ways to them. */
import type { AddressInfo } from 'node:net'
import {
  dialOnBus,
  listenOnBus,
  openBroadcastBus,
} from '../../packages/samestep/src/transport/broadcast/index.ts'
import type { Accept, Dial } from '../../packages/samestep/src/transport/connection.ts'
import { listenInMemory } from '../../packages/samestep/src/transport/memory.ts'
import { makeGuardedServer } from '../../packages/samestep/src/transport/node/http-server.ts'
import { listenWebSocket } from '../../packages/samestep/src/transport/node/websocket-server.ts'
import { dialUdp, listenUdp } from '../../packages/samestep/src/transport/udp/index.ts'
import { dialWebrtc } from '../../packages/samestep/src/transport/webrtc/index.ts'
import {
  loadNativePeers,
  openRtcDoor,
} from '../../packages/samestep/src/transport/webrtc/node/index.ts'
import { makeNodeSocket } from '../../packages/samestep/src/transport/webrtc/testing/rtc-stage.ts'
import { dialWebSocket } from '../../packages/samestep/src/transport/websocket-client.ts'

/** What connects processes. */
export type FarWay = 'websocket' | 'udp' | 'webrtc'

/** Where each of them is. */
export type Addresses = { readonly [way in FarWay]: string }

/** What only works inside of one process. */
export type NearWay = 'memory' | 'broadcast'

/** The relay's doors. */
export interface Doors {
  readonly addresses: Addresses
  readonly near: { readonly [way in NearWay]: Dial }
  close(): Promise<void>
}

/** All players come from one address, and all at once: what guards against that is in the way. */
const strangersPerAddress = 1_000

const host = '127.0.0.1'

/** Opens every door there is. */
export async function openDoors(accept: Accept): Promise<Doors> {
  const server = makeGuardedServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  // As `samestep relay` has it.
  const turbo = true
  const websocket = await listenWebSocket(accept, { server, path: '/', strangersPerAddress, turbo })
  const rtc = await openRtcDoor(accept, { bindAddress: host, strangersPerAddress })
  rtc.attach(server)
  const udp = await listenUdp(accept)
  const memory = listenInMemory(accept, { kind: 'datagram' })
  const bus = `soak ${process.pid}`
  const [near, far] = [openBroadcastBus(bus), openBroadcastBus(bus)]
  const listener = await listenOnBus(far, accept)
  const url = `ws://${host}:${(server.address() as AddressInfo).port}`
  return {
    addresses: { websocket: url, udp: udp.url, webrtc: url },
    near: { memory: memory.dial, broadcast: dialOnBus(near, { to: listener.id }) },
    async close() {
      await Promise.all([websocket.close(), rtc.close(), udp.close(), memory.close()])
      await listener.close()
      near.close()
      far.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The way to a door of another process. */
export async function dialFar(way: FarWay, addresses: Addresses): Promise<Dial> {
  const url = addresses[way]
  if (way === 'websocket') return dialWebSocket(url)
  if (way === 'udp') return dialUdp(url)
  const makePeer = await loadNativePeers({ bindAddress: host })
  return dialWebrtc(url, { makePeer, makeSocket: makeNodeSocket })
}
