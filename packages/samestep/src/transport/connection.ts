import type { Channel } from '../link/channel.ts'
import type { LinkSide } from '../link/datagram/packet-format.ts'

/**
 * What every transport provides: packets in both directions over one connection to one peer. `kind` says
 * whether they can be lost; their meaning is left to the link machines above.
 *
 * `testing/connection-contract.ts` tests every transport against this contract.
 */
export interface Connection {
  /**
   * A stream delivers every packet once and in sequence, or ends. A datagram may be lost, repeated,
   * reordered or damaged.
   */
  readonly kind: 'stream' | 'datagram'
  /** The name of the transport, for people: `websocket`, `udp`, `webrtc`, `memory`, `broadcast`. */
  readonly transport: string
  /** The maximum packet size of {@link send}. */
  readonly packetBytesMax: number
  /** Bytes passed to {@link send} that have not left yet; 0 if unknown. */
  readonly backlogBytes: number
  /**
   * Whether packets are authenticated: damaged ones are then lost, and never delivered. Missing if they are
   * not.
   */
  readonly isAuthentic?: boolean
  /** The data of the ticket with which the other end connected, if the transport has tickets. */
  readonly ticketData?: Uint8Array
  /** The address of the other end, for logs and for limits per address. */
  readonly remote: string
  /**
   * Sets the handler for packets and the end. Call it soon: until then packets are queued, within limits,
   * and delivered afterwards. The handler is never called inside this call. A later call replaces the
   * handler, so that a wrapper can be inserted while the connection is open.
   */
  open(handler: ConnectionHandler): void
  /**
   * Sends a packet of 1 to `packetBytesMax` bytes; any other size is a bug of the caller, and asserted.
   * Neither the caller nor the connection may change its bytes from now on, so one packet can be sent to
   * many. Never blocks; does nothing after the end.
   */
  send(packet: Uint8Array): void
  /**
   * Closes the connection, after what was sent before. No more packets are delivered; `handleClosed` is
   * always called later, with this code and reason. Only the first call counts. `code` is 1000 or from 4000
   * to 4999, as browsers require; at most 123 bytes of UTF-8 of `reason` are sent.
   */
  close(code: number, reason: string): void
  /**
   * Tells the listener that the other end has identified itself, and no longer counts as a stranger of its
   * address. Missing if the listener has no such limit.
   */
  markKnown?(): void
  /**
   * Creates the channel for this connection, if its kind alone does not determine it: WebRTC has a lane for
   * ticks and one for the rest. Both ends must use it.
   */
  makeChannel?(side: LinkSide, nowMs: number): Channel
  /**
   * Whether a packet uses a lane that loses nothing, if a connection has lanes of both kinds. A conditioner
   * needs to know.
   */
  isReliable?(packet: Uint8Array): boolean
}

/** The handler of a connection. Never called inside a call to the connection. */
export interface ConnectionHandler {
  /** `bytes` are valid only during the call, and must not be changed. There is at least one. */
  handlePacket(bytes: Uint8Array): void
  /** Called once at the end, whichever side ended it. No packets follow. */
  handleClosed(end: ConnectionEnd): void
}

/** Why a connection ended. */
export interface ConnectionEnd {
  /** A close code of the protocol (4001…) or of WebSocket (1000…); 1006 if the connection broke. */
  readonly code: number
  readonly reason: string
}

/** Opens a connection. Rejects with a `ConnectError` if that fails. */
export type Dial = (signal?: AbortSignal) => Promise<Connection>

/** Called with each new connection of a listener. */
export type Accept = (connection: Connection) => void

/** Accepts connections from strangers. */
export interface Listener {
  /** The URL at which it listens: `ws://127.0.0.1:7777`. */
  readonly url: string
  /** Accepts no more connections; open ones stay until they are closed. */
  close(): Promise<void>
}

/** The code of a connection that ended without anybody saying so. */
export const brokenCode = 1006
