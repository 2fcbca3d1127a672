/**
 * How the packets of one WebSocket get to its socket, and from it. There are two ways, and one switch:
 *
 *     plain   everything through `ws`, by what Node and `ws` document; for processes that are not ours
 *     turbo   small frames past `ws` and past Node's streams; see `turbo/`, which alone knows of their
 *             insides, and which is not even loaded unless it is asked for
 */
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/** Writes the packets of one connection. Whatever else `ws` hears and says is the connection's part. */
export interface SocketPath {
  /** Whether a packet that is written now can still be heard. */
  readonly isOpen: boolean
  /** Bytes that were written and that the system has not taken yet. */
  readonly backlogBytes: number
  /** Sends a packet behind all that was written before. Nobody changes its bytes any more. */
  write(packet: Uint8Array): void
}

/** Hears packets that a path reads by itself. Those that `ws` reads, it tells in its own events. */
export interface PathHearer {
  /** False as soon as we have closed the connection: what comes then counts for nothing. */
  readonly isHearing: boolean
  /** A whole packet, in bytes that are lent for the call. */
  deliver(packet: Uint8Array): void
}

/** Makes the paths of a listener. */
export interface SocketPaths {
  /** The socket that `ws` is given for one that was accepted. */
  prepare(socket: Duplex): Duplex
  /** The path of a connection, once `ws` has the socket. */
  open(ws: WebSocket, socket: Duplex, hearer: PathHearer): SocketPath
}

/** Everything through `ws`. */
class PlainPath implements SocketPath {
  readonly #ws: WebSocket

  constructor(ws: WebSocket) {
    this.#ws = ws
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN
  }

  get backlogBytes(): number {
    return this.#ws.bufferedAmount
  }

  write(packet: Uint8Array): void {
    this.#ws.send(packet)
  }
}

/** Paths by public APIs alone. */
export const plainPaths: SocketPaths = {
  prepare: (socket) => socket,
  open: (ws) => new PlainPath(ws),
}
