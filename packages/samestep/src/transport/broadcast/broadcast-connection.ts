import { WireError } from '../../base/errors.ts'
import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { brokenCode } from '../connection.ts'
import { HandlerGate } from '../handler-gate.ts'
import type { FrameKind } from './frame.ts'
import { decodeEnd, encodeEnd } from './frame.ts'
import type { FrameGuard } from './frame-guard.ts'
import { pingEveryMs, pingsMax } from './limits.ts'

/** WebSocket's code for a page that was left. */
export const pageLeftCode = 1001

/** What a page says when it is left. */
export const pageLeftBody: Uint8Array = encodeEnd({ code: pageLeftCode, reason: 'page left' })

const noBody = new Uint8Array(0)

/** What the maker of a connection wants to know. */
export interface BroadcastEvents {
  /** The other end has proved that it hears and means this one. Once. */
  handleConfirmed(): void
  /** It is over. Once. */
  handleOver(): void
}

/**
 * One end of a conversation between two ids on a bus. Its owner hands it the frames of the other id;
 * it asks after silence, and notices when nobody answers any more.
 */
export class BroadcastConnection implements Connection {
  readonly kind = 'datagram'
  readonly transport = 'broadcast'
  readonly packetBytesMax = datagramBytesMax
  readonly remote: string
  readonly #guard: FrameGuard
  readonly #events: BroadcastEvents
  readonly #gate = new HandlerGate()
  readonly #timer: ReturnType<typeof setInterval>
  #isConfirmed = false
  #isOver = false
  #hasHeard = false
  #pings = 0

  constructor(guard: FrameGuard, remote: string, events: BroadcastEvents) {
    this.#guard = guard
    this.remote = remote
    this.#events = events
    this.#timer = setInterval(() => this.#checkSilence(), pingEveryMs)
    globalThis.addEventListener?.('pagehide', this.#handlePageHide)
  }

  /** The epoch is 0: a connection is one conversation. */
  makeChannel(side: LinkSide, nowMs: number): Channel {
    return new DatagramChannel({ epoch: 0, side }, nowMs)
  }

  get backlogBytes(): number {
    return this.#isOver ? 0 : this.#guard.backlogBytes
  }

  open(handler: ConnectionHandler): void {
    this.#gate.open(handler)
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (!this.#isOver) this.#guard.post('packet', packet)
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#isOver) return
    this.#guard.post('bye', encodeEnd(end))
    this.#gate.mute()
    this.#stop()
    queueMicrotask(() => this.#gate.end(end))
  }

  /** Asks the other end for a sign of life. */
  ping(): void {
    if (!this.#isOver) this.#guard.post('ping', noBody)
  }

  /** Ends it without a word: nobody is there who would hear it. */
  abandon(reason: string): void {
    this.#end({ code: brokenCode, reason })
  }

  /** Takes a frame of the other id. Anybody may have posted it. */
  handleFrame(kind: FrameKind, frame: Uint8Array): void {
    if (this.#isOver || kind === 'hello' || kind === 'accept') return
    this.#guard.open(frame, (body) => this.#handleBody(kind, body))
  }

  #handleBody(kind: FrameKind, body: Uint8Array): void {
    if (this.#isOver) return
    this.#hasHeard = true
    if (!this.#isConfirmed) {
      this.#isConfirmed = true
      this.#events.handleConfirmed()
    }
    if (kind === 'packet') {
      if (body.length > 0 && body.length <= this.packetBytesMax) this.#gate.handlePacket(body)
    } else if (kind === 'ping') {
      this.#guard.post('pong', noBody)
    } else if (kind === 'bye') {
      const end = readEnd(body)
      if (end !== undefined) this.#end(end)
    }
  }

  readonly #handlePageHide = (): void => {
    this.#guard.postLast()
    this.abandon('page left')
  }

  #checkSilence(): void {
    if (this.#hasHeard) {
      this.#hasHeard = false
      this.#pings = 0
    } else if (this.#pings >= pingsMax) {
      this.abandon('no answer')
    } else {
      this.#pings += 1
      this.ping()
    }
  }

  #end(end: ConnectionEnd): void {
    if (this.#isOver) return
    this.#stop()
    this.#gate.end(end)
  }

  #stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
    globalThis.removeEventListener?.('pagehide', this.#handlePageHide)
    this.#events.handleOver()
  }
}

function readEnd(body: Uint8Array): ConnectionEnd | undefined {
  try {
    return decodeEnd(body)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  }
}
