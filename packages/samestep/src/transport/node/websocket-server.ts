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
import { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ServerOptions, WebSocketServer } from 'ws'
import { UsageError } from '../../base/errors.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import type { Accept, Listener } from '../connection.ts'
import type { FaultListener } from '../entrance.ts'
import { isLoopback } from './address-block.ts'
import { makeGuardedServer, reportFault } from './http-server.ts'
import { answerRaw } from './raw-answer.ts'
import { guardSocket } from './request-rules.ts'
import { ServerConnection } from './server-connection.ts'
import { SlowReaders } from './slow-readers.ts'
import { type PathHearer, plainPaths, type SocketPaths } from './socket-path.ts'
import { readTls, type TlsFiles } from './tls-files.ts'
import {
  type ConnectionLedger,
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
  /** Counts connections by address, from the upgrade to the end. Nobody counts when left out. */
  readonly ledger?: ConnectionLedger
  /** Hears of errors of ours. Each costs the connection that it happened on, and nothing else. */
  readonly onFault?: FaultListener
  /**
   * Reads and writes small frames past `ws` and Node's streams, by what is inside of them: for processes
   * of our own. When left out, everything goes through `ws` by public APIs.
   */
  readonly turbo?: boolean
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
  /** Reloads certificate and key, for new connections. */
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
  const paths = options.turbo === true ? await loadTurbo() : plainPaths
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
  const port = new WebSocketPort(server, guard, accept, paths, options)
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

/** Only now: to load it already asks Node for what it does not promise. */
async function loadTurbo(): Promise<SocketPaths> {
  return (await import('./turbo/turbo-path.ts')).turboPaths
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
    refused: {
      path: 0,
      version: 0,
      origin: 0,
      'address-full': 0,
      full: 0,
      'connections-per-address': 0,
    },
  }
  readonly #server: Server
  readonly #guard: UpgradeGuard
  readonly #accept: Accept
  readonly #paths: SocketPaths
  readonly #slowReaders = new SlowReaders()
  readonly #slowCloseMs: number
  readonly #wss: WebSocketServer
  readonly #ledger: ConnectionLedger | undefined
  readonly #onFault: FaultListener
  readonly #onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const upgrade = guardSocket(this.#upgrade.bind(this), request.socket, this.#onFault)
    upgrade(request, socket, head)
  }

  constructor(
    server: Server,
    guard: UpgradeGuard,
    accept: Accept,
    paths: SocketPaths,
    { farewellMsMax: farewellMs, ledger, onFault }: WebSocketListenOptions,
  ) {
    this.#ledger = ledger
    this.#onFault = onFault ?? reportFault
    this.#slowCloseMs = farewellMs ?? slowCloseMsMax
    this.#server = server
    this.#guard = guard
    this.#accept = accept
    this.#paths = paths
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
      this.#refuse(socket, refusal)
      return
    }
    const leave = this.#ledger === undefined ? nothing : this.#ledger.enter(address)
    if (leave === undefined) {
      this.#refuse(socket, 'connections-per-address')
      return
    }
    const prepared = this.#paths.prepare(socket)
    prepared.once('close', leave)
    prepared.on('error', destroySocket)
    // Refuses by itself, with 400 or 405, what is no proper handshake.
    this.#wss.handleUpgrade(request, prepared, head, (ws) => {
      prepared.off('error', destroySocket)
      this.counters.accepted++
      const onSettled = this.#guard.admit(address)
      const hooks = {
        slowReaders: this.#slowReaders,
        slowCloseMs: this.#slowCloseMs,
        onSettled,
        onFault: this.#onFault,
      }
      const openPath = (hearer: PathHearer) => this.#paths.open(ws, prepared, hearer)
      this.#accept(new ServerConnection(address, ws, openPath, hooks))
    })
  }

  /** Answers in HTTP, and lets go. */
  #refuse(socket: Duplex, refusal: Refusal): void {
    this.counters.refused[refusal]++
    const lines = refusal === 'version' ? 'Sec-WebSocket-Version: 13\r\n' : ''
    answerRaw(socket, refusalStatus[refusal], refusal, lines)
  }
}

function destroySocket(this: Duplex): void {
  this.destroy()
}

const nothing = (): void => {}
