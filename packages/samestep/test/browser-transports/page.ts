/** What runs inside the browser: bundled by the test, driven through `samestepPage`. */

import { joinMatch } from '../../src/driver/online/join-match.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { u16 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { dialOnBus, listenOnBus } from '../../src/transport/broadcast/broadcast.ts'
import { openBroadcastBus } from '../../src/transport/broadcast/bus.ts'
import type { Connection, ConnectionEnd } from '../../src/transport/connection.ts'
import { connectPeers } from '../../src/transport/webrtc/connect-peers.ts'
import { dialBest } from '../../src/transport/webrtc/dial-best.ts'
import { dialWebrtc } from '../../src/transport/webrtc/dial-webrtc.ts'
import type { SignallingHandler, SignallingPipe } from '../../src/transport/webrtc/signalling.ts'

/** A connection and what it heard. */
class Heard {
  readonly connection: Connection
  readonly packets: number[][] = []
  end: ConnectionEnd | undefined
  /** When each packet came back that was sent by {@link ping}. */
  onPacket: (bytes: Uint8Array) => void = () => {}

  constructor(connection: Connection) {
    this.connection = connection
    connection.open({
      handlePacket: (bytes) => {
        this.packets.push([...bytes])
        this.onPacket(bytes)
      },
      handleClosed: (end) => {
        this.end = end
      },
    })
  }
}

const heard = new Map<string, Heard>()

function keep(name: string, connection: Connection): object {
  heard.set(name, new Heard(connection))
  const { kind, transport, packetBytesMax, remote } = connection
  return { kind, transport, packetBytesMax, remote }
}

function of(name: string): Heard {
  const found = heard.get(name)
  if (found === undefined) throw new Error(`No connection ${name}`)
  return found
}

/** A pipe to the other page, carried by the test. */
declare function sendToOtherPage(bytes: number[]): Promise<void>

class TestPipe implements SignallingPipe {
  handler: SignallingHandler | undefined
  readonly #early: Uint8Array[] = []

  open(handler: SignallingHandler): void {
    this.handler = handler
    for (const bytes of this.#early) handler.handleMessage(bytes)
  }

  send(message: Uint8Array): void {
    void sendToOtherPage([...message])
  }

  close(): void {}

  receive(bytes: Uint8Array): void {
    if (this.handler === undefined) this.#early.push(bytes)
    else this.handler.handleMessage(bytes)
  }
}

const pipe = new TestPipe()

/** A game in which every order counts, so that a lost or doubled one shows. */
const counting = defineGame({
  id: 'counting',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 1 },
  state: { all: single({ orders: u16 }) },
  orders: { count: {} },
  step({ state, orders }) {
    state.all.orders += orders.length
  },
})

type CountingMatch = Awaited<ReturnType<typeof joinCounting>>
let playing: CountingMatch | undefined
const transports: (string | undefined)[] = []

function joinCounting(url: string) {
  return joinMatch(counting, { url, match: 'auto', name: 'Ada' })
}

const page = {
  /** Joins a match with nothing but the relay's address. Gives what carries it then. */
  async join(url: string): Promise<string | undefined> {
    playing = await joinCounting(url)
    playing.on('transport', ({ transport }) => transports.push(transport))
    return playing.transport
  },

  /** Issues orders; gives how many were executed, and what has carried the match so far. */
  async play(orders: number): Promise<object> {
    const match = playing
    if (match === undefined) throw new Error('Nothing was joined')
    const ends = await Promise.all(
      Array.from({ length: orders }, () => match.order('count', {}).settled),
    )
    const executed = ends.filter(({ result }) => result === 'executed').length
    return { executed, counted: match.simulation.state.all.orders, transports }
  },

  receiveSignal(bytes: number[]): void {
    pipe.receive(Uint8Array.from(bytes))
  },

  async connectPeers(name: string, side: 'initiator' | 'acceptor'): Promise<object> {
    return keep(name, await connectPeers(pipe, side))
  },

  async dialWebrtc(name: string, url: string): Promise<object> {
    return keep(name, await dialWebrtc(url)())
  },

  /** Dials WebRTC with a fallback that is only a name here. */
  async dialBest(url: string, patienceMs: number): Promise<object> {
    const told: string[] = []
    const fallback: Connection = { transport: 'fallback' } as Connection
    const dial = dialBest(
      [
        { name: 'webrtc', dial: dialWebrtc(url) },
        { name: 'websocket', dial: async () => fallback },
      ],
      { patienceMs, onFallback: ({ from, to, error }) => told.push(from, to, error.code) },
    )
    const { transport } = await dial()
    return { transport, told }
  },

  /** Keeps the first connection of a bus under `name`, the second under `name2`, and so on. */
  async listenOnBus(name: string, busName: string, seal: boolean): Promise<void> {
    let count = 0
    const accept = (connection: Connection): void => {
      count += 1
      keep(count === 1 ? name : `${name}${count}`, connection)
    }
    await listenOnBus(openBroadcastBus(busName), accept, { seal })
  },

  async dialOnBus(name: string, busName: string, seal: boolean): Promise<object> {
    return keep(name, await dialOnBus(openBroadcastBus(busName), { seal })())
  },

  send(name: string, bytes: number[]): void {
    of(name).connection.send(Uint8Array.from(bytes))
  },

  /** Sends numbered packets to somebody who echoes them, one after the other; gives the times. */
  async ping(name: string, count: number, size: number): Promise<number[]> {
    const { connection } = of(name)
    const times: number[] = []
    for (let number = 0; number < count; number++) {
      const packet = new Uint8Array(size).fill(0x80)
      packet[1] = number
      const sentMs = performance.now()
      await new Promise<void>((resolve) => {
        // Ticks may be lost: a lost one is sent again, as a game would.
        const timer = setInterval(() => connection.send(packet), 200)
        of(name).onPacket = (bytes) => {
          if (bytes[1] !== number) return
          clearInterval(timer)
          resolve()
        }
        connection.send(packet)
      })
      times.push(performance.now() - sentMs)
    }
    of(name).onPacket = () => {}
    return times
  },

  packets(name: string): number[][] {
    return of(name).packets
  },

  end(name: string): ConnectionEnd | undefined {
    return of(name).end
  },

  close(name: string, code: number, reason: string): void {
    of(name).connection.close(code, reason)
  },
}

/** What the test calls. */
export type Page = typeof page

Object.assign(globalThis, { samestepPage: page })
