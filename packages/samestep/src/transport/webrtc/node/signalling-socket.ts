/**
 * The server's end of a WebSocket for signalling, with the limits that the game's WebSocket has: pings
 * are counted before they are answered (T-25), messages are few and small, and what a stranger does not
 * read is bounded (T-26). The first thing that is too much ends it with a code; the next one destroys
 * the socket, so that a flood is not read for as long as a farewell may take.
 */
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import { closeCodes } from '../../../wire/codes.ts'
import { guardEntrance } from '../../entrance.ts'
import { PingBudget } from '../../node/ping-budget.ts'
import { chunksMax, closeMsMax, fragmentsMax } from '../../node/websocket-limits.ts'
import { signallingBacklogBytesMax, signallingBytesMax, signallingMessagesMax } from '../limits.ts'
import type { SignallingHandler, SignallingPipe } from '../signalling.ts'
import { signallingProtocol } from '../web-socket-pipe.ts'

/** A server of such WebSockets that takes what others accepted. */
export function makeSignallingServer(): WebSocketServer {
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    // Descriptions are short, and inflating costs a stranger nothing and us memory.
    perMessageDeflate: false,
    maxPayload: signallingBytesMax,
    maxFragments: fragmentsMax,
    maxBufferedChunks: chunksMax,
    closeTimeout: closeMsMax,
    autoPong: false,
    skipUTF8Validation: true,
    handleProtocols: (offered) => offered.has(signallingProtocol) && signallingProtocol,
  }
  return new WebSocketServer(options)
}

/** One accepted WebSocket as a pipe. */
export class SignallingSocket implements SignallingPipe {
  readonly #socket: WebSocket
  readonly #pings = new PingBudget()
  #messages = 0
  #handler: SignallingHandler | undefined

  /** Must be opened in the same turn: nothing is kept for later. */
  constructor(socket: WebSocket, onFault: (error: unknown) => void) {
    this.#socket = socket
    const guard = <Args extends readonly unknown[]>(callback: (...args: Args) => void) =>
      guardEntrance(callback, (error) => {
        socket.terminate()
        onFault(error)
      })
    socket.on(
      'message',
      guard((data: Buffer, isBinary: boolean) => this.#handleMessage(data, isBinary)),
    )
    socket.on(
      'ping',
      guard((data: Buffer) => this.#handlePing(data, true)),
    )
    socket.on(
      'pong',
      guard((data: Buffer) => this.#handlePing(data, false)),
    )
    socket.on(
      'close',
      // A stranger's own words have no place in our log.
      guard((code: number) => this.#tellClosed(`signalling ended with ${code}`)),
    )
    // An error is always followed by the end, which says more.
    socket.on('error', () => {})
  }

  open(handler: SignallingHandler): void {
    this.#handler = handler
  }

  send(message: Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#socket.send(message)
    this.#checkBacklog()
  }

  close(): void {
    this.#handler = undefined
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000)
  }

  /** Ends it, and tells why. */
  refuse(reason: string): void {
    this.#socket.close(1000, reason)
  }

  #handleMessage(data: Buffer, isBinary: boolean): void {
    this.#messages += 1
    if (this.#messages > signallingMessagesMax) this.#end(closeCodes.rate, 'Too many messages')
    else if (!isBinary) this.#end(closeCodes['bad-message'], 'Text instead of bytes')
    else this.#handler?.handleMessage(data)
  }

  #handlePing(data: Buffer, isAsking: boolean): void {
    if (!this.#pings.take(performance.now())) {
      this.#end(closeCodes.rate, 'Too many pings')
    } else if (isAsking && this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.pong(data)
      this.#checkBacklog()
    }
  }

  #checkBacklog(): void {
    if (this.#socket.bufferedAmount <= signallingBacklogBytesMax) return
    // A farewell would wait behind what is not read.
    this.#socket.terminate()
    this.#tellClosed('You read too slowly')
  }

  #end(code: number, reason: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(code, reason)
    else this.#socket.terminate()
    this.#tellClosed(reason)
  }

  #tellClosed(reason: string): void {
    const handler = this.#handler
    this.#handler = undefined
    handler?.handleClosed(reason)
  }
}
