/** The accepted end of a WebSocket, and what it does with peers that misbehave (T-23 to T-26). */
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { closeCodes } from '../../wire/codes.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { HandlerGate } from '../handler-gate.ts'
import { DirectWriter } from './direct-writes.ts'
import type { FrameReaderHooks } from './frame-reader.ts'
import { FrameReader, readSmallFrames } from './frame-reader.ts'
import { framePacketBytesMax, makeServerFrame } from './server-frame.ts'
import { hearShared } from './shared-reads.ts'
import type { Reader, SlowReaders } from './slow-readers.ts'
import { backlogBytesMax, pingsPerSecond, slowBytes, slowMsMax } from './websocket-limits.ts'

/** What a connection tells its listener. */
export interface ServerConnectionHooks {
  readonly slowReaders: SlowReaders
  /** How long a slow reader may take to hear why it is closed. */
  readonly slowCloseMs: number
  /** It is no stranger any more, or it is gone. Called once. */
  readonly onSettled: () => void
}

/** One accepted WebSocket. */
export class ServerConnection implements Connection, Reader, FrameReaderHooks {
  // What a packet looks at comes first, so that it lies side by side in memory.
  readonly kind = 'stream'
  readonly packetBytesMax = streamPacketBytesMax
  readonly #writer: DirectWriter
  /** Who hears a packet while nothing stands in between. */
  #direct: ConnectionHandler | undefined
  /** Whether `ws` is open, as far as is known without asking it. */
  #isReady = false
  /** Whether the next byte that comes begins a message: then the reader need not be asked. */
  #isFresh = true
  /** Why we ended it, which the peer's echo cannot overrule. */
  #ownEnd: ConnectionEnd | undefined
  readonly transport = 'websocket'
  readonly remote: string
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #hooks: ServerConnectionHooks
  readonly #gate = new HandlerGate()
  readonly #reader: FrameReader
  #handler: ConnectionHandler | undefined
  #isSettled = false
  /** Those of `ws`, who hear what is passed to them; and whether it is lent to us. */
  #listeners: readonly ((chunk: Buffer) => void)[] = []
  #isLent = false
  /** Since when the backlog is large; −1 when it is not. */
  #slowSinceMs = -1
  /** Pings that are still allowed, as of `pingAtMs`. */
  #pingsLeft = pingsPerSecond
  #pingAtMs = 0
  /** Ends the farewell of a slow reader. */
  #farewell: ReturnType<typeof setTimeout> | undefined

  constructor(remote: string, ws: WebSocket, socket: Duplex, hooks: ServerConnectionHooks) {
    this.remote = remote
    this.#ws = ws
    this.#socket = socket
    this.#hooks = hooks
    this.#reader = new FrameReader(this)
    this.#hearSocket()
    this.#writer = new DirectWriter(socket, this.#isLent)
    ws.on('message', (data: Buffer, isBinary) => this.#handleMessage(data, isBinary))
    ws.on('ping', (data) => this.#handlePing(data, true))
    ws.on('pong', (data) => this.#handlePing(data, false))
    ws.on('error', (error) => {
      this.#isFresh = false
      this.#reader.end()
      this.#handleError(error)
    })
    socket.on('end', () => this.#lookClosely())
    ws.on('close', (code, reason) => this.#handleEnd({ code, reason: reason.toString() }))
  }

  get backlogBytes(): number {
    return this.#gate.isEnded ? 0 : this.#writer.backlogBytes
  }

  open(handler: ConnectionHandler): void {
    this.#handler = handler
    this.#gate.open(handler)
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    // Behind a farewell nothing is fresh any more, whatever was asked while it was read.
    const isKnown = this.#isReady && this.#isFresh
    if (!isKnown && !this.#askReady()) return
    if (packet.length <= framePacketBytesMax) this.#writer.write(makeServerFrame(packet))
    else this.#ws.send(packet)
    if (this.#writer.backlogBytes > slowBytes) this.#noteBacklog()
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
    if (this.#ownEnd !== undefined || this.#writer.backlogBytes <= slowBytes) {
      this.#slowSinceMs = -1
      return false
    }
    if (nowMs - this.#slowSinceMs > slowMsMax) this.#closeSlow()
    return this.#ownEnd === undefined
  }

  /** A whole packet came. */
  deliver(packet: Uint8Array): void {
    if (this.#direct !== undefined) {
      this.#direct.handlePacket(packet)
      return
    }
    if (this.#gate.isHearing) this.#direct = this.#handler
    if (!this.#gate.handlePacket(packet)) this.#refuse('Too much came before it was wanted')
  }

  /** Something came that `ws` has to read. */
  pass(chunk: Buffer): void {
    this.#lookClosely()
    // `ws` keeps what it was given until a frame is whole.
    const kept = this.#isLent ? Buffer.from(chunk) : chunk
    for (const listener of this.#listeners) listener.call(this.#socket, kept)
  }

  /** Whether frames still count. What the other end said last, the reader knows by itself. */
  get isOpen(): boolean {
    return this.#ownEnd === undefined
  }

  /** Takes what the socket received: the first bytes of a chunk. They are ours to change. */
  read(chunk: Buffer, length = chunk.length): void {
    const at = this.#isFresh ? readSmallFrames(chunk, length, this) : 0
    if (at < length) this.#isFresh = this.#reader.read(chunk, at, length)
  }

  /** Takes the place of `ws` as the one who hears the socket. */
  #hearSocket(): void {
    const socket = this.#socket
    this.#listeners = socket.listeners('data') as ((chunk: Buffer) => void)[]
    for (const listener of this.#listeners) socket.off('data', listener)
    socket.on('data', (chunk: Buffer) => this.read(chunk))
    this.#isLent = hearShared(socket, this)
  }

  #askReady(): boolean {
    this.#isReady = this.#ws.readyState === WebSocket.OPEN
    return this.#isReady
  }

  /** From now on `ws` may be closed, and nobody may hear any more. */
  #lookClosely(): void {
    this.#isReady = false
    this.#direct = undefined
  }

  #noteBacklog(): void {
    if (this.#writer.backlogBytes > backlogBytesMax) {
      this.#closeSlow()
    } else if (this.#slowSinceMs < 0) {
      this.#slowSinceMs = performance.now()
      this.#hooks.slowReaders.add(this)
    }
  }

  /** The farewell stands behind the backlog; if it does not get out, the socket is destroyed. */
  #closeSlow(): void {
    this.#closeWith({ code: closeCodes['too-slow'], reason: 'You read too slowly' })
    this.#farewell = setTimeout(() => this.#ws.terminate(), this.#hooks.slowCloseMs)
  }

  #closeWith(end: ConnectionEnd): void {
    if (this.#ownEnd !== undefined || this.#gate.isEnded) return
    this.#ownEnd = end
    this.#lookClosely()
    this.#gate.mute()
    this.#ws.close(end.code, end.reason)
  }

  #handleMessage(data: Buffer, isBinary: boolean): void {
    // Text is refused by what it is, whether or not it would be valid UTF-8.
    if (!isBinary) this.#refuse('This port takes no text')
    else if (data.length === 0) this.#refuse('A packet has at least one byte')
    else this.deliver(data)
  }

  #refuse(reason: string): void {
    this.#closeWith({ code: closeCodes['bad-message'], reason })
  }

  /** Pongs count too: we ask for none, so those that come are a flood by another name. */
  #handlePing(data: Buffer, isAsking: boolean): void {
    const nowMs = performance.now()
    const earned = ((nowMs - this.#pingAtMs) * pingsPerSecond) / 1000
    this.#pingsLeft = Math.min(pingsPerSecond, this.#pingsLeft + earned) - 1
    this.#pingAtMs = nowMs
    if (this.#pingsLeft < 0) {
      this.#closeWith({ code: closeCodes.rate, reason: 'Too many pings' })
    } else if (isAsking && this.#ws.readyState === WebSocket.OPEN) {
      this.#ws.pong(data)
      if (this.#writer.backlogBytes > slowBytes) this.#noteBacklog()
    }
  }

  /** What `ws` found wrong with the frames, or a broken socket. It closes by itself. */
  #handleError(error: Error & { readonly code?: string }): void {
    if (this.#ownEnd !== undefined || error.code?.startsWith('WS_ERR_') !== true) return
    this.#ownEnd = { code: frameErrorCodes.get(error.code) ?? 1002, reason: error.message }
    this.#lookClosely()
    this.#gate.mute()
  }

  #handleEnd(end: ConnectionEnd): void {
    clearTimeout(this.#farewell)
    this.#lookClosely()
    this.markKnown()
    this.#hooks.slowReaders.delete(this)
    this.#gate.end(this.#ownEnd ?? end)
  }
}

/** The close codes of frames that are too much; all other bad frames are errors of protocol. */
const frameErrorCodes: ReadonlyMap<string, number> = new Map([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009],
  ['WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH', 1009],
  ['WS_ERR_TOO_MANY_BUFFERED_PARTS', 1008],
])
