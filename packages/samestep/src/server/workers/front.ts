/** The TCP port of a relay: requests for pages are answered here, upgrades go to the crew. */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { UsageError } from '../../base/errors.ts'
import type { FaultListener } from '../../transport/entrance.ts'
import { isLoopback } from '../../transport/node/address-block.ts'
import { makeGuardedServer } from '../../transport/node/http-server.ts'
import { Lobby } from '../../transport/node/lobby.ts'
import { readTls, tlsNotices } from '../../transport/node/tls-files.ts'
import { requestsPerAddressMax } from '../../transport/node/websocket-limits.ts'
import type { ConnectionRoom } from '../file-limit.ts'
import type { RelayServerOptions } from '../relay-server.ts'

/**
 * Connections that the kernel keeps until they are taken, as far as it allows. Node's 511 are full
 * within a burst, and whoever knocks then is only heard a second later; 4096 are taken in a quarter.
 */
const backlogMax = 4_096

/** How often the log tells of connections that were dropped. */
const dropNoteMs = 10_000

/** What the front is made with. */
export interface FrontOptions {
  readonly options: RelayServerOptions
  readonly log: Logger
  readonly onRequest: RequestListener
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** How many connections there may be. */
  readonly room: ConnectionRoom
  /** Hears of errors of ours that one connection was closed for. */
  readonly onFault: FaultListener
}

/** Listens at the TCP port, answers pages, and passes upgrades on. */
export class Front {
  readonly host: string
  readonly port: number
  readonly #server: Server
  readonly #options: RelayServerOptions
  readonly #sockets = new Set<Socket>()
  readonly #drops: Drops
  /** One for all sockets: of what a flood of them leaves behind, closures would be the larger part. */
  readonly #onClose: (this: Socket) => void
  #hasForgotten = false

  private constructor(
    server: Server,
    lobby: Lobby,
    drops: Drops,
    { options, onUpgrade }: FrontOptions,
  ) {
    this.#server = server
    this.#options = options
    this.#drops = drops
    const sockets = this.#sockets
    this.#onClose = function () {
      sockets.delete(this)
    }
    this.host = options.host ?? hostDefault
    this.port = (server.address() as AddressInfo).port
    server.on('upgrade', (request, socket, head) => {
      lobby.leave(request.socket)
      onUpgrade(request, socket, head)
    })
    server.on('connection', (socket: Socket) => this.#keep(socket))
    server.on('drop', () => drops.note('too many connections'))
    // The system lets go of whoever waits while it has no descriptor or memory for them (F-23).
    server.on('error', (error) => drops.note(error.message))
  }

  /** Listens. Throws `SS_INSECURE`, `SS_CANNOT_LISTEN`, or `SS_BAD_ARGUMENT` for a bad certificate. */
  static async open(given: FrontOptions): Promise<Front> {
    const { options, onRequest, onFault, room } = given
    const { host = hostDefault, port = portDefault, tls, trustedProxies = [] } = options
    checkEncryption(host, options)
    const drops = new Drops(given.log)
    const lobby = new Lobby({
      trustedProxies,
      waitingMax: room.waiting,
      onShed: (reason) => drops.note(reason),
    })
    const server = makeGuardedServer({
      onRequest,
      lobby,
      trustedProxies,
      // After a restart, all players of an address come back at once.
      requestsPerAddress: Math.max(requestsPerAddressMax, options.connectionsPerAddress ?? 0),
      onFault,
      ...(tls === undefined ? {} : { tls }),
    })
    server.maxConnections = room.total
    try {
      const listening = once(server, 'listening')
      server.listen(port, host, backlogMax)
      await listening
    } catch (cause) {
      throw cannotListen(host, port, cause)
    }
    return new Front(server, lobby, drops, given)
  }

  /** What somebody should know who starts it. */
  get notices(): readonly string[] {
    const { tls } = this.#options
    return tls === undefined ? [] : tlsNotices(tls)
  }

  /** Connections that were let go because there were too many. */
  get dropped(): number {
    return this.#drops.count
  }

  /** A socket is another process's business from now on. */
  forget(socket: Socket): void {
    this.#sockets.delete(socket)
    this.#hasForgotten = true
  }

  reloadTls(): void {
    const { tls } = this.#options
    if (tls !== undefined && this.#server instanceof HttpsServer) {
      this.#server.setSecureContext(readTls(tls))
    }
  }

  /** Frees the port, and ends whoever is still there. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    for (const socket of this.#sockets) socket.destroy()
    // Node would wait for what was given away, and never hear of its end when that process is gone.
    if (!this.#hasForgotten) await closed
  }

  #keep(socket: Socket): void {
    if (socket.destroyed) return
    this.#sockets.add(socket)
    socket.on('close', this.#onClose)
  }
}

/** Counts connections that had to go, and tells the log, not too often. */
class Drops {
  count = 0
  readonly #log: Logger
  #noteAtMs = 0

  constructor(log: Logger) {
    this.#log = log
  }

  note(reason: string): void {
    this.count += 1
    const nowMs = performance.now()
    if (nowMs < this.#noteAtMs) return
    this.#noteAtMs = nowMs + dropNoteMs
    this.#log.warn({ reason, dropped: this.count }, 'connections dropped')
  }
}

const hostDefault = '127.0.0.1'

/** Where relays listen, unless somebody says otherwise. */
export const portDefault = 7777

function checkEncryption(host: string, { tls, insecure }: RelayServerOptions): void {
  if (tls !== undefined || insecure === true || isLoopback(host)) return
  throw new UsageError(
    'SS_INSECURE',
    `Cannot listen at ${host} without encryption: other machines can reach it; give a certificate and a key, stay on 127.0.0.1 behind a proxy that has them, or set insecure on a trusted network`,
  )
}

function cannotListen(host: string, port: number, cause: unknown): UsageError {
  const code = (cause as { readonly code?: string }).code ?? ''
  const problem =
    listenProblems.get(code) ?? (cause instanceof Error ? cause.message : String(cause))
  return new UsageError('SS_CANNOT_LISTEN', `Cannot listen at ${host}:${port}: ${problem}`, {
    cause,
  })
}

const listenProblems: ReadonlyMap<string, string> = new Map([
  [
    'EADDRINUSE',
    'another program has the port already, perhaps another relay; choose another port (0 for any), or end that program',
  ],
  ['EACCES', 'this user may not have that port; choose one above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address; 0.0.0.0 means all addresses'],
  ['ENOTFOUND', 'no machine has that name; give an address of this machine'],
])
