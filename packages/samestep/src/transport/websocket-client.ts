/**
 * Dials a WebSocket, in browsers and in Node. Browsers use their own. Node uses the `ws` package, which
 * is loaded only there: Node 20 has no WebSocket, and that of later versions does not report why a
 * connection failed.
 */
import { UsageError } from '../base/errors.ts'
import { closeCodes } from '../wire/codes.ts'
import { streamPacketBytesMax } from '../wire/limits.ts'
import { assertPacketSize, makeEnd } from './closing.ts'
import { ConnectError } from './connect-error.ts'
import { closeTimeoutMs, connectTimeoutMsDefault } from './connect-timeout.ts'
import type { Connection, ConnectionEnd, ConnectionHandler, Dial } from './connection.ts'
import { HandlerGate } from './handler-gate.ts'
import type { ClientSocket, Opener } from './websocket-opening.ts'
import { openGlobalSocket } from './websocket-opening.ts'

/** Options for dialling a WebSocket. */
export interface WebSocketDialOptions {
  /** Defaults to ten seconds. */
  readonly connectTimeoutMs?: number
  /**
   * Certificates in PEM format that are trusted instead of the system's, for closed networks. Node
   * only: browsers use their own trusted certificates.
   */
  readonly trustedCertificates?: string
}

/** Creates a dialler for a relay at `ws://…` or `wss://…`. Throws `SS_BAD_ARGUMENT` for any other URL. */
export function dialWebSocket(url: string, options: WebSocketDialOptions = {}): Dial {
  checkUrl(url)
  return async (signal) => {
    if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
    const open = isNode() ? await nodeOpener() : openGlobalSocket
    return await awaitOpen(url, options, open, signal)
  }
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^wss?:$/.test(parsed.protocol) && parsed.hash === '') return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot dial ${JSON.stringify(url)}: it must be a URL such as wss://relay.example or ws://localhost:7777, without #`,
  )
}

/** Whether this is Node, or a runtime that poses as Node, and not a page. */
function isNode(): boolean {
  const { process, document } = globalThis as {
    process?: { versions?: { node?: string } }
    document?: unknown
  }
  return process?.versions?.node !== undefined && document === undefined
}

/** Node's opener, or the global WebSocket if the `ws` package was left out of a bundle. */
async function nodeOpener(): Promise<Opener> {
  try {
    return await (await import('./node/websocket-opening.ts')).loadNodeOpener()
  } catch {
    return openGlobalSocket
  }
}

/** Resolves with a connection, or rejects with the reason and leaves nothing open behind. */
function awaitOpen(
  url: string,
  options: WebSocketDialOptions,
  open: Opener,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const timeoutMs = options.connectTimeoutMs ?? connectTimeoutMsDefault
  return new Promise((resolve, reject) => {
    // The import was asynchronous: the caller may have aborted in the meantime.
    if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
    const { socket, failure } = open(url, { ...options, closeTimeoutMs })
    const settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const fail = (error: ConnectError) => {
      settle()
      // Later events of the abandoned socket are ignored, but in Node `onerror` must stay set.
      socket.onopen = () => socket.close()
      socket.onclose = null
      socket.onmessage = null
      socket.close()
      reject(error)
    }
    const onAbort = () => fail(ConnectError.aborted(url, signal?.reason))
    const timer = setTimeout(() => fail(ConnectError.timedOut(url, timeoutMs)), timeoutMs)
    signal?.addEventListener('abort', onAbort)
    socket.binaryType = 'arraybuffer'
    socket.onerror = () => {}
    socket.onclose = () => fail(failure())
    socket.onopen = () => {
      settle()
      // Listening begins here, not when the promise settles: a packet may follow at once.
      resolve(new WebSocketConnection(url, socket))
    }
  })
}

/** The dialled end of a WebSocket. */
class WebSocketConnection implements Connection {
  readonly kind = 'stream'
  readonly transport = 'websocket'
  readonly packetBytesMax = streamPacketBytesMax
  readonly remote: string
  readonly #socket: ClientSocket
  readonly #gate = new HandlerGate()
  /** The code and reason of our own `close`. */
  #ownEnd: ConnectionEnd | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(url: string, socket: ClientSocket) {
    this.remote = url
    this.#socket = socket
    socket.onmessage = ({ data }) => this.#handleMessage(data)
    socket.onclose = ({ code, reason }) => this.#handleEnd({ code, reason })
  }

  get backlogBytes(): number {
    // Browsers keep counting what is sent to a closed socket.
    return this.#gate.isEnded ? 0 : this.#socket.bufferedAmount
  }

  open(handler: ConnectionHandler): void {
    this.#gate.open(handler)
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (this.#ownEnd === undefined && !this.#gate.isEnded) this.#socket.send(packet)
  }

  close(code: number, reason: string): void {
    this.#closeWith(makeEnd(code, reason))
  }

  #closeWith(end: ConnectionEnd): void {
    if (this.#ownEnd !== undefined || this.#gate.isEnded) return
    this.#ownEnd = end
    this.#gate.mute()
    this.#socket.close(end.code, end.reason)
    this.#timer = setTimeout(() => this.#handleEnd(end), closeTimeoutMs)
  }

  #handleMessage(data: unknown): void {
    if (!(data instanceof ArrayBuffer)) this.#refuse('text')
    else if (data.byteLength === 0) this.#refuse('an empty message')
    else if (data.byteLength > this.packetBytesMax) this.#refuse('a message too large')
    else if (!this.#gate.handlePacket(new Uint8Array(data))) this.#refuse('more than waits')
  }

  /** No relay sends this, so the other end is not a relay. */
  #refuse(what: string): void {
    this.#closeWith({ code: closeCodes['bad-message'], reason: `The other end sent ${what}` })
  }

  #handleEnd(end: ConnectionEnd): void {
    clearTimeout(this.#timer)
    this.#gate.end(this.#ownEnd ?? end)
  }
}
