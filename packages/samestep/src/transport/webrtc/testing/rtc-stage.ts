import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import type { Accept, Connection, Dial } from '../../connection.ts'
import { until } from '../../testing/recorder.ts'
import { dialWebrtc } from '../dial-webrtc.ts'
import { loadNativePeers } from '../node/native-peer.ts'
import type { RtcDoor, RtcDoorOptions } from '../node/rtc-signalling.ts'
import { openRtcDoor } from '../node/rtc-signalling.ts'
import type { PlainSocket } from '../web-socket-pipe.ts'

/** The `ws` package in the place of the browser's WebSocket. */
export function makeNodeSocket(url: string, protocol: string): PlainSocket {
  return new WebSocket(url, protocol) as unknown as PlainSocket
}

/** A UDP port that was free a moment ago. */
export async function findUdpPort(): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(resolve))
  return port
}

/** How a stage is opened. */
export interface RtcStageOptions extends RtcDoorOptions {
  /** Whoever takes the connections; they are only kept when left out. */
  readonly accept?: Accept
}

/** A relay's HTTP server with a door for WebRTC on loopback, and a way to dial it. */
export class RtcStage {
  readonly door: RtcDoor
  readonly url: string
  readonly accepted: Connection[]
  readonly dial: Dial
  readonly #close: () => Promise<void>
  readonly #dialed: Connection[] = []

  private constructor(
    door: RtcDoor,
    url: string,
    accepted: Connection[],
    dial: Dial,
    close: () => Promise<void>,
  ) {
    this.door = door
    this.url = url
    this.accepted = accepted
    this.dial = async (signal) => {
      const connection = await dial(signal)
      this.#dialed.push(connection)
      return connection
    }
    this.#close = close
  }

  static async open({ accept, ...options }: RtcStageOptions = {}): Promise<RtcStage> {
    const accepted: Connection[] = []
    const door = await openRtcDoor(accept ?? ((connection) => accepted.push(connection)), {
      bindAddress: '127.0.0.1',
      ...options,
    })
    const server = createServer((_request, response) => response.writeHead(404).end())
    door.attach(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const makePeer = await loadNativePeers({ bindAddress: '127.0.0.1' })
    const dial = dialWebrtc(url, { makePeer, makeSocket: makeNodeSocket })
    const close = async (): Promise<void> => {
      await door.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    return new RtcStage(door, url, accepted, dial, close)
  }

  /** Both ends of a new connection. */
  async openPair(): Promise<{ readonly dialed: Connection; readonly accepted: Connection }> {
    const count = this.accepted.length
    const dialed = await this.dial()
    await until(() => this.accepted.length > count, 'the accepted end')
    return { dialed, accepted: this.accepted.at(-1)! }
  }

  /** Ends everything: native peers that stay open would keep the process alive. */
  async dispose(): Promise<void> {
    for (const connection of [...this.accepted, ...this.#dialed]) connection.close(1000, '')
    await this.#close()
    await until(() => this.door.openCount === 0, 'the end of all peers')
  }
}
