import type { Channel } from '../../link/channel.ts'
import { DatagramChannel } from '../../link/datagram/datagram-channel.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { assertPacketSize, makeEnd } from '../closing.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'
import { guardEntrance } from '../entrance.ts'
import { HandlerGate } from '../handler-gate.ts'
import type { UdpSession } from './udp-session.ts'
import { formatHostPort } from './udp-url.ts'

/** Whoever moves the datagrams of a connection. */
export interface SessionCarrier {
  /** Bytes that wait for being sent; 0 where others wait in the same queue. */
  readonly queueBytes: number
  send(session: UdpSession, packet: Uint8Array): void
  close(session: UdpSession, end: ConnectionEnd): void
  /** The other end has joined. Missing where nobody counts strangers. */
  markKnown?(session: UdpSession): void
  /** Hears of what a handler throws. Missing on clients, whose own errors are their program's. */
  handleFault?(error: unknown, connection: UdpConnection): void
}

/** A session as the layers above see it. */
export class UdpConnection implements Connection {
  readonly kind = 'datagram'
  readonly transport = 'udp'
  readonly isAuthentic = true
  readonly packetBytesMax = datagramBytesMax
  readonly #session: UdpSession
  readonly #carrier: SessionCarrier
  readonly #gate = new HandlerGate()
  #isClosed = false

  constructor(session: UdpSession, carrier: SessionCarrier) {
    this.#session = session
    this.#carrier = carrier
  }

  /**
   * The epoch is 0: a connection is one conversation. Packets are authenticated, so no checksum is needed.
   */
  makeChannel(side: LinkSide, nowMs: number): Channel {
    return new DatagramChannel({ epoch: 0, side, checksum: false }, nowMs)
  }

  get backlogBytes(): number {
    return this.#isClosed ? 0 : this.#carrier.queueBytes
  }

  get remote(): string {
    return formatHostPort(this.#session.path.address, this.#session.path.port)
  }

  /** The static public key of the other end, which identifies it as long as it keeps that key. */
  get remoteKey(): Uint8Array {
    return this.#session.remoteKey
  }

  /** The data of the ticket with which a client connected; empty on other connections. */
  get ticketData(): Uint8Array {
    return this.#session.ticketData
  }

  open(handler: ConnectionHandler): void {
    this.#gate.open(this.#guarded(handler))
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (!this.#isClosed) this.#carrier.send(this.#session, packet)
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#isClosed) return
    this.#isClosed = true
    this.#gate.mute()
    this.#carrier.close(this.#session, end)
    queueMicrotask(() => this.#gate.end(end))
  }

  markKnown(): void {
    this.#carrier.markKnown?.(this.#session)
  }

  /** The session received a packet. Returns false if it had to be dropped. */
  handlePacket(bytes: Uint8Array): boolean {
    return this.#gate.handlePacket(bytes)
  }

  /** The session is over. The handler is called later, because this may run inside `send`. */
  handleEnd(end: ConnectionEnd): void {
    if (this.#isClosed) return
    this.#isClosed = true
    queueMicrotask(() => this.#gate.end(end))
  }
  /** What is heard comes from sockets, timers and microtasks: nothing that it throws may get there. */
  #guarded(handler: ConnectionHandler): ConnectionHandler {
    const carrier = this.#carrier
    if (carrier.handleFault === undefined) return handler
    const onFault = (error: unknown) => carrier.handleFault?.(error, this)
    return {
      handlePacket: guardEntrance((bytes) => handler.handlePacket(bytes), onFault),
      handleClosed: guardEntrance((end) => handler.handleClosed(end), onFault),
    }
  }
}
