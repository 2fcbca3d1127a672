import type { Channel } from '../link/channel.ts'
import type { LinkSide } from '../link/datagram/packet-format.ts'

/**
 * What every transport gives: packets both ways over one connection to one peer. Whether they can be
 * lost is told by `kind`; what they mean is the business of the link machines above.
 *
 * `testing/connection-contract.ts` holds every transport to what is written here.
 */
export interface Connection {
  /** A stream delivers every packet once, in sequence, or ends. A datagram may do anything. */
  readonly kind: 'stream' | 'datagram'
  /** Which transport carries it, for people: `websocket`, `udp`, `webrtc`, `memory`, `broadcast`. */
  readonly transport: string
  /** The largest packet that {@link send} takes. */
  readonly packetBytesMax: number
  /** Bytes that were sent and are not on their way yet; 0 where nobody can know. */
  readonly backlogBytes: number
  /**
   * Whether every packet is proved to be what the other end sent: then damage on the way is a loss, and
   * never heard. Missing where nothing proves it.
   */
  readonly isAuthentic?: boolean
  /** What a ticket says with which the other end came in, where the transport has such tickets. */
  readonly ticketData?: Uint8Array
  /** Where the other end is, for logs and for limits per address. */
  readonly remote: string
  /**
   * Tells who hears of packets and of the end. Called soon: what arrives before waits, within limits,
   * and is heard afterwards. Nothing is heard inside of this call. A later call replaces the handler:
   * that is how something steps in between while the connection is open.
   */
  open(handler: ConnectionHandler): void
  /**
   * Hands over a packet of 1 to `packetBytesMax` bytes; another size is a bug of the caller, and
   * asserted. Nobody changes its bytes from now on, neither the caller nor the connection, so one
   * packet may go to many. Never waits; after the end it does nothing.
   */
  send(packet: Uint8Array): void
  /**
   * Ends the connection, after what was sent before. From now on no packet is heard; `handleClosed`
   * is called in any case, later, with this code and reason. Only the first call counts. `code` is
   * 1000 or from 4000 to 4999, as browsers demand; of `reason`, 123 bytes of UTF-8 travel.
   */
  close(code: number, reason: string): void
  /**
   * Tells the listener that the other end has said who it is: it does not count as a stranger of its
   * address any more. Missing where a listener has no such limit.
   */
  markKnown?(): void
  /**
   * Makes the channel for this connection, where its kind alone does not tell which: WebRTC has a
   * lane for ticks and one for the rest. Both ends must use it.
   */
  makeChannel?(side: LinkSide, nowMs: number): Channel
  /**
   * Whether a packet travels by a lane that loses nothing, where a connection has lanes of both kinds.
   * What makes a line worse for a trial must know.
   */
  isReliable?(packet: Uint8Array): boolean
}

/** Who hears of a connection. Never called inside a call of ours to the connection. */
export interface ConnectionHandler {
  /** `bytes` are lent for the call, and not to be changed. There is at least one. */
  handlePacket(bytes: Uint8Array): void
  /** Once, at the end, whoever ended it. No packet comes after it. */
  handleClosed(end: ConnectionEnd): void
}

/** Why a connection ended. */
export interface ConnectionEnd {
  /** A close code of ours (4001…), of WebSocket (1000…), or 1006 when it just broke. */
  readonly code: number
  readonly reason: string
}

/** Opens a connection. Rejects with a `ConnectError` when there is none to be had. */
export type Dial = (signal?: AbortSignal) => Promise<Connection>

/** Hears of each new connection of a listener. */
export type Accept = (connection: Connection) => void

/** A door that strangers knock at. */
export interface Listener {
  /** Where it listens, as a URL: `ws://127.0.0.1:7777`. */
  readonly url: string
  /** Takes no more connections; those that are open stay until they are closed. */
  close(): Promise<void>
}

/** The code of a connection that ended without anybody saying so. */
export const brokenCode = 1006
