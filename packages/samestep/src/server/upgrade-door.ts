/**
 * Takes requests for an upgrade, wherever their sockets come from: the port of this process, or
 * another process that listens for it.
 *
 *     upgrade ─► stopping? origin? ─┬─► /rtc   the door for WebRTC
 *                503       403      └─► /      WebSocket, with a guard of its own (404, 426, 429, 503)
 */
import { type IncomingMessage, Server, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Accept } from '../transport/connection.ts'
import {
  listenWebSocket,
  type WebSocketCounters,
  type WebSocketListener,
} from '../transport/node/websocket-server.ts'

/** A door for one more path. */
export interface SideDoor {
  /** Takes an upgrade, or returns false when it is for somebody else's path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
}

/** What the door is made with. */
export interface UpgradeDoorOptions {
  readonly mayConnect: (origin: string | undefined) => boolean
  readonly trustedProxies: readonly string[]
  readonly strangersPerAddress: number | undefined
}

/** A server for sockets that others accepted: it listens nowhere. */
class HandedServer extends Server {
  override address(): AddressInfo {
    return { address: '127.0.0.1', family: 'IPv4', port: 0 }
  }
}

/** See above. */
export class UpgradeDoor {
  /** Doors for other paths, asked first. */
  readonly sideDoors: SideDoor[] = []
  readonly #mayConnect: UpgradeDoorOptions['mayConnect']
  readonly #server: Server
  readonly #listener: WebSocketListener
  #wrongOrigins = 0
  #lateComers = 0
  #isStopping = false

  private constructor(
    mayConnect: UpgradeDoorOptions['mayConnect'],
    server: Server,
    listener: WebSocketListener,
  ) {
    this.#mayConnect = mayConnect
    this.#server = server
    this.#listener = listener
  }

  static async open(accept: Accept, options: UpgradeDoorOptions): Promise<UpgradeDoor> {
    const server = new HandedServer()
    const { trustedProxies, strangersPerAddress } = options
    const listener = await listenWebSocket(accept, {
      server,
      // Everything else is a mistake in somebody's address, better told than half working.
      path: '/',
      // Decided here already, for all doors alike.
      origins: 'any',
      trustedProxies,
      ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
    })
    return new UpgradeDoor(options.mayConnect, server, listener)
  }

  /** How many were turned away, by reason. */
  get refused(): Record<keyof WebSocketCounters['refused'] | 'stopping', number> {
    const { refused } = this.#listener.counters
    return { ...refused, origin: this.#wrongOrigins, stopping: this.#lateComers }
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#isStopping) {
      this.#lateComers += 1
      refuseUpgrade(socket, 503, 'the relay is going down')
    } else if (!this.#mayConnect(request.headers.origin)) {
      this.#wrongOrigins += 1
      refuseUpgrade(socket, 403, 'origin')
    } else if (!this.sideDoors.some((door) => door.handleUpgrade(request, socket, head))) {
      this.#server.emit('upgrade', request, socket, head)
    }
  }

  /** Takes nobody any more. */
  stop(): void {
    this.#isStopping = true
  }
}

/** Answers an upgrade in HTTP, and lets go. */
export function refuseUpgrade(socket: Duplex, status: number, why: string): void {
  const body = `${STATUS_CODES[status]}: ${why}\n`
  socket.on('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
