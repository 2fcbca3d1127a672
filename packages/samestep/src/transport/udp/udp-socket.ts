/**
 * A datagram socket of Node that never throws, never waits and never spins (F-23). Whatever goes wrong
 * with sending one datagram is what happens to datagrams: it is lost, and counted as `error.<code>`.
 * Only a socket that cannot work any more is given up, and its owner is told.
 */
import type { Socket } from 'node:dgram'
import { guardEntrance } from '../entrance.ts'
import type { UdpCounters } from './counters.ts'
import { receiveErrorsPerSecondMax, socketQueueBytesMax } from './limits.ts'
import type { UdpAddress } from './udp-format.ts'

/** Who hears of a socket. */
export interface SocketHandler {
  /** `bytes` are lent for the call. */
  handleDatagram(bytes: Uint8Array, from: UdpAddress): void
  /** Nothing listens at the other end, says a router; or somebody who forges it. */
  handleRefused(): void
  /** A datagram could not be sent, and is lost. */
  handleUnsent?(code: string): void
  /** Nothing comes or goes here any more; the socket is closed. */
  handleBroken(code: string): void
  /** Hears of what the others throw. Left out, it is thrown on. */
  handleFault?(error: unknown): void
}

/** What of Node's socket is used here. */
export type NodeSocket = Pick<
  Socket,
  'on' | 'send' | 'close' | 'unref' | 'getSendQueueSize' | 'removeAllListeners'
>

/** Errors after which a socket never works again. */
const brokenCodes: ReadonlySet<string> = new Set([
  'EBADF',
  'ENOTSOCK',
  'ERR_SOCKET_DGRAM_NOT_RUNNING',
])

/** A datagram socket whose errors are counted, not thrown. */
export class UdpSocket {
  readonly #socket: NodeSocket
  readonly #handler: SocketHandler
  readonly #counters: UdpCounters
  readonly #onFault: (error: unknown) => void
  #isClosed = false
  #errorCount = 0
  #errorsSinceMs = Number.NEGATIVE_INFINITY

  /** Takes over a socket that is bound or connected. */
  constructor(socket: NodeSocket, handler: SocketHandler, counters: UdpCounters) {
    this.#socket = socket
    this.#handler = handler
    this.#counters = counters
    this.#onFault = (error) => {
      if (handler.handleFault === undefined) throw error
      handler.handleFault(error)
    }
    socket.removeAllListeners('error')
    const guard = <Args extends readonly unknown[]>(callback: (...args: Args) => void) =>
      guardEntrance(callback, this.#onFault)
    socket.on(
      'error',
      guard((error: unknown) => this.#handleReceiveError(error)),
    )
    socket.on(
      'close',
      guard(() => this.#break('closed')),
    )
    socket.on(
      'message',
      // Not as a Buffer, whose slice is no copy.
      guard(({ buffer, byteOffset, length }: Uint8Array, from: UdpAddress) =>
        handler.handleDatagram(new Uint8Array(buffer, byteOffset, length), from),
      ),
    )
  }

  /** Bytes that the system has not taken yet. */
  get queueBytes(): number {
    return this.#isClosed ? 0 : this.#socket.getSendQueueSize()
  }

  /** Sends a datagram, to where the socket is connected if `to` is left out. */
  send(bytes: Uint8Array, to?: UdpAddress): void {
    if (this.#isClosed) return
    const onSent = guardEntrance((error: Error | null) => {
      if (error !== null && !this.#isClosed) this.#handleSendError(error)
    }, this.#onFault)
    try {
      if (this.queueBytes > socketQueueBytesMax) {
        this.#counters.count('error.queue')
        return
      }
      if (to === undefined) this.#socket.send(bytes, onSent)
      else this.#socket.send(bytes, to.port, to.address, onSent)
    } catch (error) {
      this.#handleSendError(error)
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
    this.#socket.close(guardEntrance(onClosed, this.#onFault))
  }

  #handleSendError(error: unknown): void {
    const code = this.#count(error)
    if (brokenCodes.has(code)) this.#break(code)
    else this.#handler.handleUnsent?.(code)
  }

  /** One of receiving, which the system may repeat without end. */
  #handleReceiveError(error: unknown): void {
    const code = this.#count(error)
    if (this.#isClosed) return
    const nowMs = performance.now()
    if (nowMs - this.#errorsSinceMs >= 1_000) {
      this.#errorsSinceMs = nowMs
      this.#errorCount = 0
    }
    const isRefusal = code === 'ECONNREFUSED' || code === 'ECONNRESET'
    // Others decide how many refusals there are: one for each datagram of ours.
    if (!isRefusal) this.#errorCount++
    if (brokenCodes.has(code) || this.#errorCount >= receiveErrorsPerSecondMax) this.#break(code)
  }

  #count(error: unknown): string {
    const code = codeOf(error)
    this.#counters.count(`error.${code}`)
    const isRefusal = code === 'ECONNREFUSED' || code === 'ECONNRESET'
    if (isRefusal && !this.#isClosed) this.#handler.handleRefused()
    return code
  }

  #break(code: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      this.#socket.close()
    } catch {
      // It is closed already: that is how it broke.
    }
    this.#handler.handleBroken(code)
  }
}

/** The name that the system gives to an error. */
export function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : 'unknown'
}
