/**
 * The HTTP server below a relay's port, with limits for those who never finish a request (T-22). The
 * relay's pages and its WebSocket share it.
 */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { type FaultListener, guardEntrance } from '../entrance.ts'
import { awaitFirstWords, judgeGreeting, judgeHead } from './first-words.ts'
import type { Lobby } from './lobby.ts'
import { answerClientError, filterUpgrades, guardSocket, RequestRules } from './request-rules.ts'
import { readTls, type TlsFiles } from './tls-files.ts'
import {
  headBytesMax,
  headLinesMax,
  keepAliveMs,
  requestCheckMs,
  requestMsMax,
  requestsPerConnectionMax,
} from './websocket-limits.ts'

/** What a guarded server can be told. */
export interface GuardedServerOptions {
  /** Encrypts. Without it, the server speaks plain HTTP. */
  readonly tls?: TlsFiles
  /** Answers what is no upgrade. Everything gets 426 when left out. */
  readonly onRequest?: RequestListener
  /** Bounds the connections that are no WebSockets. The upgrade is told to it by whoever takes it. */
  readonly lobby?: Lobby
  /** Addresses and networks of proxies: requests count for whom they speak. None when left out. */
  readonly trustedProxies?: readonly string[]
  /** Requests of one address within ten seconds, upgrades among them: 2048 when left out. */
  readonly requestsPerAddress?: number
  /** How long a request may take to arrive; only tests are in such a hurry that they lower it. */
  readonly requestMsMax?: number
  /** Hears of errors of ours. Each costs the connection that it happened on, and nothing else. */
  readonly onFault?: FaultListener
}

/** An HTTP or HTTPS server that lets go of whoever does not come to the point. Not listening yet. */
export function makeGuardedServer(options: GuardedServerOptions = {}): Server {
  const requestMs = options.requestMsMax ?? requestMsMax
  const limits = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(requestCheckMs, requestMs),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headBytesMax,
  }
  const onFault = options.onFault ?? reportFault
  const rules = new RequestRules({
    onRequest: options.onRequest ?? refusePage,
    trustedProxies: options.trustedProxies ?? [],
    requestsPerAddress: options.requestsPerAddress,
    onFault,
  })
  const server =
    options.tls === undefined
      ? createHttpServer(limits, rules.onRequest)
      : createHttpsServer(
          { ...limits, ...readTls(options.tls), handshakeTimeout: requestMs },
          rules.onRequest,
        )
  // One more than is allowed: Node leaves out what is beyond, and we want to know of it.
  server.maxHeadersCount = headLinesMax + 1
  // Tells clients; that it is kept, the gate of each connection sees to.
  server.maxRequestsPerSocket = requestsPerConnectionMax
  // Running out of file descriptors is told as an error; those who wait are taken later.
  server.on('error', () => {})
  server.on('clientError', answerClientError)
  filterUpgrades(server, rules)
  const isTls = options.tls !== undefined
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => rules.watch(socket))
  if (options.lobby !== undefined) {
    placeLobby(server, options.lobby, isTls ? judgeGreeting : judgeHead, onFault)
  }
  return server
}

/**
 * Lets connections pass through the lobby. The server's own listeners, which make a parser or a TLS
 * session of each, only hear of those that have something to say.
 */
function placeLobby(
  server: Server,
  lobby: Lobby,
  judge: typeof judgeHead,
  onFault: FaultListener,
): void {
  const takers = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const enter = (socket: Socket): void => {
    const leave = lobby.enter(socket, performance.now())
    if (leave === undefined) {
      socket.destroy()
      return
    }
    socket.on('close', guardEntrance(leave, onFault))
    const take = (): void => {
      for (const taker of takers) taker.call(server, socket)
    }
    awaitFirstWords(socket, judge, guardSocket(take, socket, onFault))
  }
  server.on('connection', (socket: Socket) => guardSocket(enter, socket, onFault)(socket))
  server.prependListener('request', ({ socket }, response) => {
    const rest = lobby.serve(socket)
    response.once(
      'close',
      guardEntrance(() => rest(performance.now()), onFault),
    )
  })
  const endWaits = guardEntrance(() => lobby.endWaits(performance.now()), onFault)
  const check = setInterval(endWaits, requestCheckMs)
  check.unref()
  server.once('close', () => clearInterval(check))
}

/** Where nobody listens: told like any error of a server that nobody handles, but ends nothing. */
export const reportFault: FaultListener = (error, remote) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`An error on the connection of ${remote ?? 'nobody'}: ${text}`)
}

const refusePage: RequestListener = (_, response) => {
  response.writeHead(426, { 'Content-Type': 'text/plain', Upgrade: 'websocket' })
  response.end('This port speaks WebSocket\n')
}
