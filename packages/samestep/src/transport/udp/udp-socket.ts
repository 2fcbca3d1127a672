/**
 * A datagram socket of Node that never throws, never waits and never spins (F-23). Whatever goes wrong
 * with one datagram is what happens to datagrams: it is lost, and counted as `error.<code>`.
 */
import type { Socket } from 'node:dgram'
import type { UdpCounters } from './counters.ts'
import { socketErrorsPerSecondMax, socketQueueBytesMax } from './limits.ts'
import type { UdpAddress } from './udp-format.ts'

/** Who hears of a socket. */
export interface SocketHandler {
  /** `bytes` are lent for the call. */
  handleDatagram(bytes: Uint8Array, from: UdpAddress): void
  /** Nothing listens at the other end, says a router; or somebody who forges it. */
  handleRefused(): void
  /** Nothing comes or goes here any more. */
  handleBroken(reason: string): void
}

/** What of Node's socket is used here. */
export type NodeSocket = Pick<
  Socket,
  'on' | 'send' | 'close' | 'unref' | 'getSendQueueSize' | 'removeAllListeners'
>

/** See above. */
export class UdpSocket {
  readonly #socket: NodeSocket
  readonly #handler: SocketHandler
  readonly #counters: UdpCounters
  #isClosed = false
  #errorCount = 0
  #errorsSinceMs = Number.NEGATIVE_INFINITY

  /** Takes over a socket that is bound or connected. */
  constructor(socket: NodeSocket, handler: SocketHandler, counters: UdpCounters) {
    this.#socket = socket
    this.#handler = handler
    this.#counters = counters
    socket.removeAllListeners('error')
    socket.on('error', (error) => this.#handleError(error))
    // Not as a Buffer, whose slice is no copy.
    socket.on('message', ({ buffer, byteOffset, length }, from) =>
      handler.handleDatagram(new Uint8Array(buffer, byteOffset, length), from),
    )
  }

  /** Bytes that the system has not taken yet. */
  get queueBytes(): number {
    return this.#isClosed ? 0 : this.#socket.getSendQueueSize()
  }

  /** Sends a datagram, to where the socket is connected if `to` is left out. */
  send(bytes: Uint8Array, to?: UdpAddress): void {
    if (this.#isClosed) return
    if (this.queueBytes > socketQueueBytesMax) {
      this.#counters.count('error.queue')
      return
    }
    const onSent = (error: Error | null) => {
      if (error !== null && !this.#isClosed) this.#handleError(error)
    }
    try {
      if (to === undefined) this.#socket.send(bytes, onSent)
      else this.#socket.send(bytes, to.port, to.address, onSent)
    } catch (error) {
      this.#handleError(error)
    }
  }

  /** Lets the process end while this is open. */
  unref(): void {
    if (!this.#isClosed) this.#socket.unref()
  }

  /** Closes. What was sent before is sent; `onClosed` is called when the port is free. */
  close(onClosed: () => void = () => {}): void {
    if (this.#isClosed) {
      onClosed()
      return
    }
    this.#isClosed = true
    this.#socket.close(onClosed)
  }

  #handleError(error: unknown): void {
    const code = codeOf(error)
    this.#counters.count(`error.${code}`)
    if (this.#isClosed) return
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET') this.#handler.handleRefused()
    const nowMs = performance.now()
    if (nowMs - this.#errorsSinceMs >= 1_000) {
      this.#errorsSinceMs = nowMs
      this.#errorCount = 0
    }
    if (++this.#errorCount < socketErrorsPerSecondMax) return
    this.close()
    this.#handler.handleBroken(code)
  }
}

/** The name that the system gives to an error. */
export function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : 'unknown'
}
