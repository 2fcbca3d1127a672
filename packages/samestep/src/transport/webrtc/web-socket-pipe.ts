/**
 * Signalling over a WebSocket of the relay, at a path of its own: one URL is enough for a player, and
 * the game's protocol knows nothing of it.
 *
 *     ws://relay:7777        the game, over WebSocket
 *     ws://relay:7777/rtc    signalling; then the game, over WebRTC
 */
import { UsageError } from '../../base/errors.ts'
import type { SignallingHandler, SignallingPipe } from './signalling.ts'

/** Where signalling is found on a relay's server, below the path of the game. */
export const signallingPath = '/rtc'

/** What the WebSocket says it speaks. The number grows when signalling changes. */
export const signallingProtocol = 'samestep-rtc-1'

/** What is used of a WebSocket, of the browser or of the `ws` package. */
export interface PlainSocket {
  binaryType: string
  readonly readyState: number
  send(data: Uint8Array): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  addEventListener(type: 'error', listener: () => void): void
}

/** Opens a WebSocket. In Node below 22, one of the `ws` package. */
export type MakeSocket = (url: string, protocol: string) => PlainSocket

/**
 * Where signalling is found for a relay's URL.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a URL that is none of WebSocket.
 */
export function signallingUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const scheme = parsed?.protocol.replace(/^http/, 'ws')
  if (parsed === undefined || (scheme !== 'ws:' && scheme !== 'wss:')) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot dial ${url}: it is not a relay URL; it must look like wss://relay.example.org`,
    )
  }
  parsed.protocol = scheme
  parsed.pathname = parsed.pathname.replace(/\/?$/, signallingPath)
  parsed.hash = ''
  return parsed.href
}

/** WebSocket's number for an open socket. */
const openState = 1

/** A pipe over a WebSocket that is open or opening: what is sent meanwhile waits. */
export class WebSocketPipe implements SignallingPipe {
  readonly #socket: PlainSocket
  #handler: SignallingHandler | undefined
  #isClosed = false
  /** What was sent before the socket was open. */
  readonly #outbox: Uint8Array[] = []
  /** What came before anybody listened. */
  readonly #inbox: Uint8Array[] = []
  #end: string | undefined

  constructor(socket: PlainSocket) {
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      for (const message of this.#outbox.splice(0)) socket.send(message)
    })
    socket.addEventListener('message', ({ data }) => this.#handleData(data))
    socket.addEventListener('close', ({ code, reason }) => {
      this.#handleEnd(reason === '' ? `signalling ended with ${code}` : reason)
    })
    // An error is always followed by the end, which says more.
    socket.addEventListener('error', () => {})
  }

  open(handler: SignallingHandler): void {
    this.#handler = handler
    queueMicrotask(() => {
      for (const message of this.#inbox.splice(0)) {
        if (!this.#isClosed) handler.handleMessage(message)
      }
      if (this.#end !== undefined && !this.#isClosed) handler.handleClosed(this.#end)
    })
  }

  send(message: Uint8Array): void {
    if (this.#isClosed) return
    if (this.#socket.readyState === openState) this.#socket.send(message)
    else this.#outbox.push(message)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    // A socket that is still opening never opens any more.
    this.#outbox.length = 0
    this.#socket.close(1000)
  }

  #handleData(data: unknown): void {
    if (this.#isClosed) return
    if (!(data instanceof ArrayBuffer)) {
      this.#handleEnd('the other side sent text instead of bytes')
      this.#socket.close(1003)
      return
    }
    const bytes = new Uint8Array(data)
    // Nobody sends more than a few messages before it heard anything.
    if (this.#handler !== undefined && this.#inbox.length === 0) this.#handler.handleMessage(bytes)
    else if (this.#inbox.length < 16) this.#inbox.push(bytes)
  }

  #handleEnd(reason: string): void {
    if (this.#isClosed || this.#end !== undefined) return
    this.#end = reason
    if (this.#handler !== undefined && this.#inbox.length === 0) this.#handler.handleClosed(reason)
  }
}
