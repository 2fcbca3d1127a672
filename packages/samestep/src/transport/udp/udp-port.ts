/**
 * A UDP port of this machine that stays open. A socket that breaks is replaced by another one at the
 * same port, after a pause that grows; sessions know nothing of sockets, and only miss some packets.
 *
 *     open ──socket breaks──► waiting ──pause──► binding ──► open
 *                                ▲                  │ the system says no: the next pause is longer
 *                                └──────────────────┘
 */
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { UsageError } from '../../base/errors.ts'
import { guardEntrance } from '../entrance.ts'
import type { UdpCounters } from './counters.ts'
import { receiveBufferBytes, reopenMsMax, reopenMsMin, sendTroubleMs } from './limits.ts'
import type { UdpAddress } from './udp-format.ts'
import { codeOf, UdpSocket } from './udp-socket.ts'
import { formatHostPort } from './udp-url.ts'

/** Trouble with a port, reported to its operator. */
export type UdpTrouble =
  /** Datagrams could not be sent: how many since the last report, and the reason for the last one. */
  | { readonly type: 'unsent'; readonly code: string; readonly count: number }
  /** The socket failed, and is being reopened. */
  | { readonly type: 'broken'; readonly code: string }
  /** The port cannot be reopened yet. */
  | { readonly type: 'unavailable'; readonly code: string; readonly retryMs: number }
  | { readonly type: 'reopened' }

/** Who hears of a port. */
export interface PortHandler {
  /** `bytes` are lent for the call. */
  handleDatagram(bytes: Uint8Array, from: UdpAddress): void
  handleTrouble(trouble: UdpTrouble): void
  handleFault(error: unknown): void
}

/** A port that was open for that long did not break by being opened. */
const steadyMs = 60_000

type State =
  | { readonly name: 'open'; readonly socket: UdpSocket }
  | { readonly name: 'waiting'; readonly timer: ReturnType<typeof setTimeout> }
  | { readonly name: 'binding' }
  | { readonly name: 'closed' }

/** A UDP port that is opened again when its socket breaks. */
export class UdpPort {
  readonly host: string
  readonly port: number
  readonly #counters: UdpCounters
  readonly #handler: PortHandler
  #state: State
  #retryMs = reopenMsMin
  #openedAtMs = performance.now()
  #unsent = 0
  #unsentTellAtMs = Number.NEGATIVE_INFINITY

  /** Takes over a socket that is bound. */
  constructor(socket: Socket, counters: UdpCounters, handler: PortHandler) {
    const { address, port } = socket.address()
    this.host = address
    this.port = port
    this.#counters = counters
    this.#handler = handler
    this.#state = this.#adopt(socket)
  }

  /** Sends a datagram. While the port is not open it is lost, and counted. */
  send(bytes: Uint8Array, to: UdpAddress): void {
    if (this.#state.name === 'open') this.#state.socket.send(bytes, to)
    else this.#counters.count('error.closed')
  }

  /** Closes for good. What was sent before is sent; `onClosed` is called when the port is free. */
  close(onClosed: () => void): void {
    const state = this.#state
    this.#state = { name: 'closed' }
    if (state.name === 'waiting') clearTimeout(state.timer)
    if (state.name === 'open') state.socket.close(onClosed)
    else onClosed()
  }

  #adopt(socket: Socket): State {
    const adopted = new UdpSocket(
      socket,
      {
        handleDatagram: (bytes, from) => this.#handler.handleDatagram(bytes, from),
        // Somebody is gone. Who that is shows soon, and not by what anybody can forge.
        handleRefused: () => {},
        handleUnsent: (code) => this.#handleUnsent(code),
        handleBroken: (code) => this.#handleBroken(code),
        handleFault: (error) => this.#handler.handleFault(error),
      },
      this.#counters,
    )
    return { name: 'open', socket: adopted }
  }

  #handleUnsent(code: string): void {
    this.#unsent++
    const nowMs = performance.now()
    if (nowMs < this.#unsentTellAtMs) return
    this.#unsentTellAtMs = nowMs + sendTroubleMs
    const count = this.#unsent
    this.#unsent = 0
    this.#handler.handleTrouble({ type: 'unsent', code, count })
  }

  #handleBroken(code: string): void {
    this.#counters.count('broken')
    // One that breaks as soon as it is open gets longer pauses too.
    if (performance.now() - this.#openedAtMs > steadyMs) this.#retryMs = reopenMsMin
    this.#wait()
    this.#handler.handleTrouble({ type: 'broken', code })
  }

  #wait(): void {
    const onTimeout = guardEntrance(
      () => this.#reopen(),
      (error) => this.#handler.handleFault(error),
    )
    this.#state = { name: 'waiting', timer: setTimeout(onTimeout, this.#retryMs) }
    this.#retryMs = Math.min(this.#retryMs * 2, reopenMsMax)
  }

  #reopen(): void {
    this.#state = { name: 'binding' }
    const onBound = guardEntrance(
      (socket: Socket) => this.#handleBound(socket),
      (error) => this.#handler.handleFault(error),
    )
    const onRefused = guardEntrance(
      (error: unknown) => this.#handleUnavailable(error),
      (error) => this.#handler.handleFault(error),
    )
    bindSocket(this.host, this.port).then(onBound, onRefused)
  }

  #handleBound(socket: Socket): void {
    if (this.#state.name === 'closed') {
      socket.close()
      return
    }
    this.#state = this.#adopt(socket)
    this.#openedAtMs = performance.now()
    this.#counters.count('reopened')
    this.#handler.handleTrouble({ type: 'reopened' })
  }

  #handleUnavailable(error: unknown): void {
    if (this.#state.name === 'closed') return
    const retryMs = this.#retryMs
    this.#wait()
    const code = codeOf((error as Error).cause)
    this.#handler.handleTrouble({ type: 'unavailable', code, retryMs })
  }
}

/** Binds a socket. Rejects with `SS_CANNOT_LISTEN` when the system does not give the port. */
export function bindSocket(host: string, port: number): Promise<Socket> {
  const family = isIPv6(host) ? 6 : 4
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type: family === 6 ? 'udp6' : 'udp4',
      // Datagrams go to addresses, never to names: nothing to look up, so nothing to wait for.
      lookup: (address, _options, callback) => callback(null, address, family),
    })
    const onError = (cause: unknown) => {
      socket.close()
      const problem = cause instanceof Error ? cause.message : String(cause)
      const message = `Cannot listen at ${formatHostPort(host, port)}: ${problem}`
      reject(new UsageError('SS_CANNOT_LISTEN', message, { cause }))
    }
    socket.once('error', onError)
    try {
      socket.bind({ port, address: host }, () => {
        widen(socket)
        resolve(socket)
      })
    } catch (cause) {
      onError(cause)
    }
  })
}

/** A pause for garbage under a flood must not cost players their packets. */
function widen(socket: Socket): void {
  try {
    socket.setRecvBufferSize(receiveBufferBytes)
  } catch {
    // Some systems refuse what others cut down to what they allow. Then it stays as it is.
  }
}
