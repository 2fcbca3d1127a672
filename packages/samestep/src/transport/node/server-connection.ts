/** The accepted end of a WebSocket, and how it handles peers that misbehave (T-23 to T-26). */
import { WebSocket } from 'ws'
import { closeCodes } from '../../wire/codes.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { type FaultListener, guardEntrance } from '../entrance.ts'
import { HandlerGate } from '../handler-gate.ts'
import { PingBudget } from './ping-budget.ts'
import type { Reader, SlowReaders } from './slow-readers.ts'
import type { PathHearer, SocketPath } from './socket-path.ts'
import { backlogBytesMax, slowBytes, slowMsMax } from './websocket-limits.ts'

/** What a connection needs from its listener. */
export interface ServerConnectionHooks {
  readonly slowReaders: SlowReaders
  /** How long a slow reader may take to receive the reason for its close. */
  readonly slowCloseMs: number
  /** The peer is no longer a stranger, or is gone. Called once. */
  readonly onSettled: () => void
  /** Called with errors of ours that made the connection close. */
  readonly onFault: FaultListener
}

/** One accepted WebSocket. */
export class ServerConnection implements Connection, Reader, PathHearer {
  // The fields used for every packet come first, so that they are adjacent in memory.
  readonly kind = 'stream'
  readonly packetBytesMax = streamPacketBytesMax
  readonly #path: SocketPath
  /** The handler to call directly, once nothing is queued. */
  #direct: ConnectionHandler | undefined
  /** Why the connection ended, or is about to. The peer's echo cannot change it. */
  #end: ConnectionEnd | undefined
  readonly transport = 'websocket'
  readonly remote: string
  readonly #ws: WebSocket
  readonly #hooks: ServerConnectionHooks
  readonly #gate = new HandlerGate()
  #handler: ConnectionHandler | undefined
  #isSettled = false
  /** Since when the backlog has been large; −1 if it is not. */
  #slowSinceMs = -1
  readonly #pings = new PingBudget()
  /** The timer that ends the farewell of a slow reader. */
  #farewell: ReturnType<typeof setTimeout> | undefined

  constructor(
    remote: string,
    ws: WebSocket,
    openPath: (hearer: PathHearer) => SocketPath,
    hooks: ServerConnectionHooks,
  ) {
    this.remote = remote
    this.#ws = ws
    this.#hooks = hooks
    this.#path = openPath(this)
    const guard = <Args extends readonly unknown[]>(callback: (...args: Args) => void) =>
      guardEntrance(callback, (error) => this.#fault(error))
    ws.on(
      'message',
      guard((data: Buffer, isBinary: boolean) => this.#handleMessage(data, isBinary)),
    )
    ws.on(
      'ping',
      guard((data: Buffer) => this.#handlePing(data, true)),
    )
    ws.on(
      'pong',
      guard((data: Buffer) => this.#handlePing(data, false)),
    )
    ws.on(
      'error',
      guard((error: Error) => this.#handleError(error)),
    )
    ws.on(
      'close',
      guard((code: number, reason: Buffer) => this.#handleEnd({ code, reason: String(reason) })),
    )
  }

  get backlogBytes(): number {
    return this.#gate.isEnded ? 0 : this.#path.backlogBytes
  }

  open(handler: ConnectionHandler): void {
    this.#handler = handler
    this.#direct = undefined
    this.#gate.open(handler)
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (this.#end !== undefined || !this.#path.isOpen) return
    this.#path.write(packet)
    if (this.#path.backlogBytes > slowBytes) this.#noteBacklog()
  }

  close(code: number, reason: string): void {
    this.#closeWith(makeEnd(code, reason))
  }

  markKnown(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#hooks.onSettled()
  }

  checkSlow(nowMs: number): boolean {
    if (this.#end !== undefined || this.#path.backlogBytes <= slowBytes) {
      this.#slowSinceMs = -1
      return false
    }
    if (nowMs - this.#slowSinceMs > slowMsMax) this.#closeSlow()
    return this.#end === undefined
  }

  /** A complete packet came. Native code calls this, so it throws nothing. */
  deliver(packet: Uint8Array): void {
    try {
      if (this.#direct !== undefined) {
        this.#direct.handlePacket(packet)
        return
      }
      if (this.#gate.isHearing) this.#direct = this.#handler
      if (!this.#gate.handlePacket(packet)) this.#refuse('Too much came before it was wanted')
    } catch (error) {
      this.#fault(error)
    }
  }

  get isHearing(): boolean {
    return this.#end === undefined
  }

  #noteBacklog(): void {
    if (this.#path.backlogBytes > backlogBytesMax) {
      this.#closeSlow()
    } else if (this.#slowSinceMs < 0) {
      this.#slowSinceMs = performance.now()
      this.#hooks.slowReaders.add(this)
    }
  }

  /**
   * The close frame is queued behind the backlog; if it is not sent in time, the socket is destroyed.
   */
  #closeSlow(): void {
    this.#closeWith({ code: closeCodes['too-slow'], reason: 'You read too slowly' })
    this.#farewell = setTimeout(() => this.#ws.terminate(), this.#hooks.slowCloseMs)
  }

  #closeWith(end: ConnectionEnd): void {
    if (this.#end !== undefined) return
    this.#endWith(end)
    this.#ws.close(end.code, end.reason)
  }

  /** From now on, no packet is sent or delivered. */
  #endWith(end: ConnectionEnd): void {
    this.#end = end
    this.#direct = undefined
    this.#gate.mute()
  }

  #handleMessage(data: Buffer, isBinary: boolean): void {
    // Text is always refused, whether or not it is valid UTF-8.
    if (!isBinary) this.#refuse('This port takes no text')
    else if (data.length === 0) this.#refuse('A packet has at least one byte')
    else this.deliver(data)
  }

  /** An error of ours closes only this connection. */
  #fault(error: unknown): void {
    this.#hooks.onFault(error, this.remote)
    this.#closeWith({ code: closeCodes['bad-message'], reason: 'Internal relay error' })
  }

  #refuse(reason: string): void {
    this.#closeWith({ code: closeCodes['bad-message'], reason })
  }

  /** Pongs count too: we send no pings, so pongs can only be a flood. */
  #handlePing(data: Buffer, isAsking: boolean): void {
    if (!this.#pings.take(performance.now())) {
      this.#closeWith({ code: closeCodes.rate, reason: 'Too many pings' })
    } else if (isAsking && this.#ws.readyState === WebSocket.OPEN) {
      this.#ws.pong(data)
      if (this.#path.backlogBytes > slowBytes) this.#noteBacklog()
    }
  }

  /** `ws` found an invalid WebSocket frame, or the socket broke. `ws` closes it by itself. */
  #handleError(error: Error & { readonly code?: string }): void {
    if (this.#end !== undefined || error.code?.startsWith('WS_ERR_') !== true) return
    this.#endWith({ code: frameErrorCodes.get(error.code) ?? 1002, reason: error.message })
  }

  #handleEnd(end: ConnectionEnd): void {
    clearTimeout(this.#farewell)
    this.#end ??= end
    this.#direct = undefined
    this.markKnown()
    this.#hooks.slowReaders.delete(this)
    this.#gate.end(this.#end)
  }
}

/** The close codes for WebSocket frames that are too large or too many; others are protocol errors. */
const frameErrorCodes: ReadonlyMap<string, number> = new Map([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009],
  ['WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH', 1009],
  ['WS_ERR_TOO_MANY_BUFFERED_PARTS', 1008],
])
