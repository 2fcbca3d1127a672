/**
 * How a WebSocket is begun in Node: by the `ws` package, which says why it fails.
 *
 * Nothing of Node is imported here, and `ws` only when it is used: a bundler that follows the import
 * into a browser's bundle finds the empty stand-in that `ws` has for browsers.
 */
import type { ClientOptions, WebSocket } from 'ws'
import type { ConnectErrorCode } from '../../base/errors.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import { ConnectError } from '../connect-error.ts'
import type { ClientSocket, Opener, Opening, OpeningOptions } from '../websocket-opening.ts'
import { chunksMax, fragmentsMax } from './websocket-limits.ts'

type WebSocketClass = new (url: string, options: ClientOptions) => WebSocket

/** Loads `ws`. Rejects where there is only its stand-in, or nothing. */
export async function loadNodeOpener(): Promise<Opener> {
  const { WebSocket: Class } = (await import('ws')) as { WebSocket?: WebSocketClass }
  if (Class === undefined) throw new TypeError('The package ws is a stand-in here')
  return (url, options) => openNodeSocket(Class, url, options)
}

/** Begins a WebSocket. Deflate is never offered: our packets are dense, and it costs memory. */
function openNodeSocket(Class: WebSocketClass, url: string, options: OpeningOptions): Opening {
  const { trustedCertificates } = options
  const settings: ClientOptions & { closeTimeout: number } = {
    perMessageDeflate: false,
    maxPayload: streamPacketBytesMax,
    maxFragments: fragmentsMax,
    maxBufferedChunks: chunksMax,
    closeTimeout: options.closeTimeoutMs,
  }
  if (trustedCertificates !== undefined) settings.ca = trustedCertificates
  const socket = new Class(url, settings)
  let cause: unknown
  let rejection: ConnectError | undefined
  socket.on('error', (error) => {
    cause ??= error
  })
  socket.on('unexpected-response', (_, response) => {
    const { statusCode: status = 0, statusMessage = '' } = response
    const what = `the other end answered with HTTP ${status} ${statusMessage}`.trimEnd()
    rejection = new ConnectError('SS_CONNECT_REJECTED', url, what, { status })
    socket.terminate()
  })
  return {
    // The same properties, but `ws` types its events as classes of its own.
    socket: socket as unknown as ClientSocket,
    failure: () => rejection ?? failureOf(url, cause),
  }
}

/** What the errors of the system mean for somebody who dials. */
const meanings: ReadonlyMap<string, readonly [ConnectErrorCode, string]> = new Map([
  ['ECONNREFUSED', ['SS_CONNECT_REFUSED', 'nothing listens there']],
  ['ENOTFOUND', ['SS_CONNECT_UNREACHABLE', 'no machine has that name']],
  ['EAI_AGAIN', ['SS_CONNECT_UNREACHABLE', 'name lookup is not available at the moment']],
  ['EHOSTUNREACH', ['SS_CONNECT_UNREACHABLE', 'there is no route to that machine']],
  ['ENETUNREACH', ['SS_CONNECT_UNREACHABLE', 'this machine is not online']],
  ['ETIMEDOUT', ['SS_CONNECT_TIMEOUT', 'the system gave up waiting for an answer']],
  ['ECONNRESET', ['SS_CONNECT_REJECTED', 'the other end hung up']],
  ['EPIPE', ['SS_CONNECT_REJECTED', 'the other end hung up']],
])

function failureOf(url: string, cause: unknown): ConnectError {
  // Where a name has several addresses, Node tries all of them, and fails with all errors at once.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const { code = '', message = 'it closed before it opened' } = (first ?? {}) as {
    code?: string
    message?: string
  }
  const meaning = meanings.get(code)
  if (meaning !== undefined) {
    return new ConnectError(meaning[0], url, `${meaning[1]} (${code})`, { cause })
  }
  if (/CERT|TLS|SSL|ISSUER|EPROTO/.test(code)) {
    return new ConnectError('SS_CONNECT_INSECURE', url, `${message} (${code})`, { cause })
  }
  // Not HTTP, or not WebSocket: something answered, and it is no relay.
  const isAnswer = code.startsWith('HPE_') || message.startsWith('Invalid')
  const kind = isAnswer ? 'SS_CONNECT_REJECTED' : 'SS_CONNECT_FAILED'
  return new ConnectError(kind, url, message, { cause })
}
