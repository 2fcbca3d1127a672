/**
 * Takes requests for an upgrade, wherever their sockets come from: the port of this process, or
 * another process that listens for it.
 *
 *     upgrade ─► stopping? full? origin? ─┬─► /rtc   the door for WebRTC
 *                503       503   403      └─► /      WebSocket, with a guard of its own
 *                                                    (404, 426, 429, 503)
 */
import { type IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Accept } from '../../transport/connection.ts'
import type { FaultListener } from '../../transport/entrance.ts'
import { answerRaw } from '../../transport/node/raw-answer.ts'
import type { ConnectionLedger } from '../../transport/node/upgrade-guard.ts'
import {
  listenWebSocket,
  type WebSocketCounters,
  type WebSocketListener,
} from '../../transport/node/websocket-server.ts'

/** A door for one more path. */
export interface SideDoor {
  /** Takes an upgrade, or returns false when it is for somebody else's path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
}

/** Why the door itself turns somebody away. */
type DoorRefusal = 'stopping' | 'connections-max'

/** What the door is made with. */
export interface UpgradeDoorOptions {
  readonly mayConnect: (origin: string | undefined) => boolean
  readonly trustedProxies: readonly string[]
  readonly strangersPerAddress: number | undefined
  /** Upgraded connections at once, of all doors. As many as come when left out. */
  readonly connectionsMax?: number
  /** Counts WebSockets by address. Nobody counts when left out. */
  readonly ledger?: ConnectionLedger
  /** Hears of errors of ours that one connection was closed for. */
  readonly onFault?: FaultListener
  /** See `WebSocketListenOptions`. */
  readonly turbo?: boolean
}

/** A server for sockets that others accepted: it listens nowhere. */
class HandedServer extends Server {
  override address(): AddressInfo {
    return { address: '127.0.0.1', family: 'IPv4', port: 0 }
  }
}

/** Accepts or refuses WebSocket upgrades. */
export class UpgradeDoor {
  /** Doors for other paths, asked first. */
  readonly sideDoors: SideDoor[] = []
  readonly #mayConnect: UpgradeDoorOptions['mayConnect']
  readonly #connectionsMax: number
  readonly #server: Server
  readonly #listener: WebSocketListener
  /** Connections that are open, or being turned away. */
  #open = 0
  #wrongOrigins = 0
  #lateComers = 0
  #tooMany = 0
  #isStopping = false

  private constructor(options: UpgradeDoorOptions, server: Server, listener: WebSocketListener) {
    this.#mayConnect = options.mayConnect
    this.#connectionsMax = options.connectionsMax ?? Number.POSITIVE_INFINITY
    this.#server = server
    this.#listener = listener
  }

  static async open(accept: Accept, options: UpgradeDoorOptions): Promise<UpgradeDoor> {
    const server = new HandedServer()
    const { trustedProxies, strangersPerAddress, ledger, onFault, turbo } = options
    const listener = await listenWebSocket(accept, {
      server,
      // Everything else is a mistake in somebody's address, better told than half working.
      path: '/',
      // Decided here already, for all doors alike.
      origins: 'any',
      trustedProxies,
      ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
      ...(ledger === undefined ? {} : { ledger }),
      ...(onFault === undefined ? {} : { onFault }),
      ...(turbo === undefined ? {} : { turbo }),
    })
    return new UpgradeDoor(options, server, listener)
  }

  /** How many were turned away, by reason. */
  get refused(): Record<keyof WebSocketCounters['refused'] | DoorRefusal, number> {
    const { refused } = this.#listener.counters
    return {
      ...refused,
      origin: this.#wrongOrigins,
      stopping: this.#lateComers,
      'connections-max': this.#tooMany,
    }
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#isStopping) {
      this.#lateComers += 1
      refuseUpgrade(socket, 503, 'the relay is going down')
    } else if (this.#open >= this.#connectionsMax) {
      this.#tooMany += 1
      refuseUpgrade(socket, 503, 'connections-max')
    } else if (!this.#mayConnect(request.headers.origin)) {
      this.#wrongOrigins += 1
      refuseUpgrade(socket, 403, 'origin')
    } else {
      this.#open += 1
      socket.once('close', () => {
        this.#open -= 1
      })
      if (this.sideDoors.some((door) => door.handleUpgrade(request, socket, head))) return
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
  answerRaw(socket, status, why)
}
