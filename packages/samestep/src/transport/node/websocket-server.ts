/**
 * The relay's WebSocket port: a listener on `ws` over Node's HTTP server, its own or a given one.
 *
 *     socket ─► HTTP head (size, time) ─► guard (path, origin, address) ─► upgrade ─► Connection
 *                  408, 431                 404, 426, 403, 429, 503
 *
 * No cookie or other header reaches the connection: who somebody is, is said in its first packet
 * (T-21), within the time that the relay machine allows.
 */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ServerOptions, WebSocketServer } from 'ws'
import { UsageError } from '../../base/errors.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import type { Accept, Listener } from '../connection.ts'
import { isLoopback } from './address-block.ts'
import { makeGuardedServer, readTls, type TlsFiles } from './http-server.ts'
import { ServerConnection } from './server-connection.ts'
import { shareReads } from './shared-reads.ts'
import { SlowReaders } from './slow-readers.ts'
import {
  type Refusal,
  refusalStatus,
  UpgradeGuard,
  type UpgradeGuardOptions,
} from './upgrade-guard.ts'
import { chunksMax, closeMsMax, fragmentsMax, slowCloseMsMax } from './websocket-limits.ts'

/** What a WebSocket listener can be told. */
export interface WebSocketListenOptions extends UpgradeGuardOptions {
  /** This machine only, when left out. */
  readonly host?: string
  /** Any free port, when left out. */
  readonly port?: number
  /** Certificate and key: makes it `wss://`. */
  readonly tls?: TlsFiles
  /** Allows plain `ws://` that other machines can reach: everybody on the way reads and changes it. */
  readonly insecure?: boolean
  /** Answers requests for pages on the same port. */
  readonly onRequest?: RequestListener
  /**
   * A server that listens already, made by `makeGuardedServer`; then host, port, tls and onRequest
   * are its own business, and closing the listener leaves it open.
   */
  readonly server?: Server
  /** How long a request may take to arrive; only tests are in such a hurry that they lower it. */
  readonly requestMsMax?: number
  /** How long a farewell may take, to slow readers too; only tests on busy machines raise it. */
  readonly farewellMsMax?: number
}

/** What a WebSocket listener has seen. */
export interface WebSocketCounters {
  accepted: number
  /** Refusals by their reason. */
  readonly refused: Record<Refusal, number>
}

/** A relay's WebSocket port. */
export interface WebSocketListener extends Listener {
  readonly counters: Readonly<WebSocketCounters>
  /** True when strangers on the way can read along: worth a warning wherever the state is shown. */
  readonly isInsecure: boolean
  /** Reads certificate and key again, for connections to come. */
  reloadTls(): void
}

/**
 * Listens for WebSockets. Throws `SS_INSECURE` when other machines could connect without encryption,
 * and `SS_CANNOT_LISTEN` when the system does not give the port.
 */
export async function listenWebSocket(
  accept: Accept,
  options: WebSocketListenOptions = {},
): Promise<WebSocketListener> {
  const guard = new UpgradeGuard(options)
  const server = options.server ?? (await startServer(options))
  const address = server.address()
  if (address === null || typeof address === 'string') {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      'Cannot attach WebSockets to a server that does not listen: call listen first',
    )
  }
  const isSecure = server instanceof HttpsServer
  checkSecure(address.address, isSecure, options.insecure === true)
  const port = new WebSocketPort(server, guard, accept, options.farewellMsMax)
  return {
    url: urlOf(address, isSecure, options.path ?? ''),
    counters: port.counters,
    isInsecure: !isSecure && !isLoopback(address.address),
    reloadTls() {
      if (server instanceof HttpsServer && options.tls) {
        server.setSecureContext(readTls(options.tls))
      }
    },
    async close() {
      port.close()
      if (options.server !== undefined) return
      server.close()
      server.closeIdleConnections()
    },
  }
}

async function startServer(options: WebSocketListenOptions): Promise<Server> {
  const host = options.host ?? '127.0.0.1'
  const port = options.port ?? 0
  // Before the port is open: not one connection is taken in plain.
  checkSecure(host, options.tls !== undefined, options.insecure === true)
  const server = makeGuardedServer(options)
  try {
    const listening = once(server, 'listening')
    server.listen(port, host)
    await listening
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError('SS_CANNOT_LISTEN', `Cannot listen at ${host}:${port}: ${problem}`, {
      cause,
    })
  }
  return server
}

function checkSecure(host: string, isSecure: boolean, isAllowed: boolean): void {
  if (isSecure || isAllowed || isLoopback(host)) return
  throw new UsageError(
    'SS_INSECURE',
    `Cannot listen at ${host} without encryption: other machines can reach it; give a certificate and a key, or allow insecure connections`,
  )
}

function urlOf({ address, family, port }: AddressInfo, isSecure: boolean, path: string): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isSecure ? 'wss' : 'ws'}://${host}:${port}${path}`
}

/** The listener's part of an HTTP server: takes upgrades, until it is closed. */
class WebSocketPort {
  readonly counters: WebSocketCounters = {
    accepted: 0,
    refused: { path: 0, version: 0, origin: 0, 'address-full': 0, full: 0 },
  }
  readonly #server: Server
  readonly #guard: UpgradeGuard
  readonly #accept: Accept
  readonly #slowReaders = new SlowReaders()
  readonly #slowCloseMs: number
  readonly #wss: WebSocketServer
  readonly #onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    this.#upgrade(request, socket, head)

  constructor(server: Server, guard: UpgradeGuard, accept: Accept, farewellMs?: number) {
    this.#slowCloseMs = farewellMs ?? slowCloseMsMax
    this.#server = server
    this.#guard = guard
    this.#accept = accept
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      // Never: our packets are dense, and a small bomb would inflate to a large one (T-23).
      perMessageDeflate: false,
      maxPayload: streamPacketBytesMax,
      maxFragments: fragmentsMax,
      maxBufferedChunks: chunksMax,
      closeTimeout: farewellMs ?? closeMsMax,
      // Pings are counted before they are answered (T-25), text is refused whatever it is (T-24).
      autoPong: false,
      skipUTF8Validation: true,
    }
    this.#wss = new WebSocketServer(options)
    server.on('upgrade', this.#onUpgrade)
  }

  /** Takes nobody any more. Those who are in stay. */
  close(): void {
    this.#server.off('upgrade', this.#onUpgrade)
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Somebody else on the same server may know the path.
    if (!this.#guard.isOurs(request) && this.#server.listenerCount('upgrade') > 1) return
    socket.on('error', destroySocket)
    const address = this.#guard.addressOf(request)
    const refusal = this.#guard.judge(request, address)
    if (refusal !== undefined) {
      this.counters.refused[refusal]++
      refuse(socket, refusal)
      return
    }
    const shared = shareReads(socket)
    shared.on('error', destroySocket)
    // Refuses by itself, with 400 or 405, what is no proper handshake.
    this.#wss.handleUpgrade(request, shared, head, (ws) => {
      shared.off('error', destroySocket)
      this.counters.accepted++
      const onSettled = this.#guard.admit(address)
      const hooks = { slowReaders: this.#slowReaders, slowCloseMs: this.#slowCloseMs, onSettled }
      this.#accept(new ServerConnection(address, ws, shared, hooks))
    })
  }
}

function destroySocket(this: Duplex): void {
  this.destroy()
}

/** Answers in HTTP, and lets go. */
function refuse(socket: Duplex, refusal: Refusal): void {
  const status = refusalStatus[refusal]
  const body = `${STATUS_CODES[status]}: ${refusal}\n`
  const extra = refusal === 'version' ? 'Sec-WebSocket-Version: 13\r\n' : ''
  socket.once('finish', destroySocket)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${extra}` +
      `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
