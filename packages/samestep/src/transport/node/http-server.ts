/**
 * The HTTP server below a relay's port, with limits for those who never finish a request (T-22). The
 * relay's pages and its WebSocket share it.
 */
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { UsageError } from '../../base/errors.ts'
import { awaitFirstWords, judgeGreeting, judgeHead } from './first-words.ts'
import type { Lobby } from './lobby.ts'
import {
  headBytesMax,
  headLinesMax,
  keepAliveMs,
  requestCheckMs,
  requestMsMax,
} from './websocket-limits.ts'

/** Where the certificate and its key are, both in PEM. */
export interface TlsFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** What a guarded server can be told. */
export interface GuardedServerOptions {
  /** Encrypts. Without it, the server speaks plain HTTP. */
  readonly tls?: TlsFiles
  /** Answers what is no upgrade. Everything gets 426 when left out. */
  readonly onRequest?: RequestListener
  /** Bounds the connections that are no WebSockets. The upgrade is told to it by whoever takes it. */
  readonly lobby?: Lobby
  /** How long a request may take to arrive; only tests are in such a hurry that they lower it. */
  readonly requestMsMax?: number
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
  const onRequest = options.onRequest ?? refusePage
  const server =
    options.tls === undefined
      ? createHttpServer(limits, onRequest)
      : createHttpsServer(
          { ...limits, ...readTls(options.tls), handshakeTimeout: requestMs },
          onRequest,
        )
  server.maxHeadersCount = headLinesMax
  // Running out of file descriptors is told as an error; those who wait are taken later.
  server.on('error', () => {})
  if (options.lobby !== undefined) {
    placeLobby(server, options.lobby, options.tls === undefined ? judgeHead : judgeGreeting)
  }
  return server
}

/**
 * Lets connections pass through the lobby. The server's own listeners, which make a parser or a TLS
 * session of each, only hear of those that have something to say.
 */
function placeLobby(server: Server, lobby: Lobby, judge: typeof judgeHead): void {
  const takers = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const leave = lobby.enter(socket, performance.now())
    if (leave === undefined) {
      socket.destroy()
      return
    }
    socket.on('close', leave)
    awaitFirstWords(socket, judge, () => {
      for (const take of takers) take.call(server, socket)
    })
  })
  server.prependListener('request', ({ socket }, response) => {
    const rest = lobby.serve(socket)
    response.once('close', () => rest(performance.now()))
  })
  const check = setInterval(() => lobby.endWaits(performance.now()), requestCheckMs)
  check.unref()
  server.once('close', () => clearInterval(check))
}

/** Reads certificate and key. Throws `SS_BAD_ARGUMENT` when they are not there, or do not fit. */
export function readTls(files: TlsFiles): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: readPem(files.certificateFile, 'certificate'),
    key: readPem(files.keyFile, 'key'),
    minVersion: 'TLSv1.2',
  }
  try {
    createSecureContext(options)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot encrypt with ${files.certificateFile} and ${files.keyFile}: ${problem}; they must be a certificate and its key in PEM`,
      { cause },
    )
  }
  return options
}

function readPem(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot read the ${what} ${path}: ${problem}; it must be a readable file in PEM`,
      { cause },
    )
  }
}

const refusePage: RequestListener = (_, response) => {
  response.writeHead(426, { 'Content-Type': 'text/plain', Upgrade: 'websocket' })
  response.end('This port speaks WebSocket\n')
}
