/**
 * The fast path of a WebSocket: the small frames that a relay hears and says all day go past `ws` and
 * past Node's streams. Everything else, and everything that is wrong, is left to `ws`.
 *
 *     in    handle ──► one buffer for all ──► small whole frames ──► packets
 *                                                  └ anything else ──► ws
 *     out   packet ──► one piece ──► handle, while nothing waits ──► the system
 *
 * This folder uses what Node and `ws` do not promise. It looks before it uses each of these things, and
 * where one is missing it goes the way of the streams. It is run against the same contract and the same
 * hostile strangers as the plain path.
 */
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { PathHearer, SocketPath, SocketPaths } from '../socket-path.ts'
import { DirectWriter } from './direct-writes.ts'
import { FrameReader, readSmallFrames } from './frame-reader.ts'
import { framePacketBytesMax, makeServerFrame } from './server-frame.ts'
import { hearShared, shareReads } from './shared-reads.ts'

/** Stands between one `ws` and its socket. */
class TurboPath implements SocketPath {
  readonly #writer: DirectWriter
  readonly #hearer: PathHearer
  /** Whether `ws` is open, as far as is known without asking it: its objects are not touched else. */
  #isReady = false
  /** Whether the next byte that comes begins a message: then the reader need not be asked. */
  #isFresh = true
  readonly #reader: FrameReader
  readonly #ws: WebSocket

  constructor(ws: WebSocket, socket: Duplex, hearer: PathHearer) {
    this.#ws = ws
    this.#hearer = hearer
    // From here on this path hears the socket, and `ws` what is passed on to it.
    const listeners = socket.listeners('data') as ((chunk: Buffer) => void)[]
    for (const listener of listeners) socket.off('data', listener)
    socket.on('data', (chunk: Buffer) => this.read(chunk, chunk.length))
    const isLent = hearShared(socket, this)
    this.#reader = new FrameReader((chunk) => {
      this.#isReady = false
      // `ws` keeps what it was given until a frame is whole.
      const kept = isLent ? Buffer.from(chunk) : chunk
      for (const listener of listeners) listener.call(socket, kept)
    })
    this.#writer = new DirectWriter(socket, isLent)
    ws.on('error', () => {
      this.#isFresh = false
      this.#reader.end()
    })
    socket.on('end', () => {
      this.#isReady = false
    })
  }

  get isOpen(): boolean {
    // Behind a farewell nothing is fresh any more, whatever was asked while it was read.
    if (this.#isReady && this.#isFresh) return true
    this.#isReady = this.#ws.readyState === WebSocket.OPEN
    return this.#isReady
  }

  get backlogBytes(): number {
    return this.#writer.backlogBytes
  }

  write(packet: Uint8Array): void {
    if (packet.length <= framePacketBytesMax) this.#writer.write(makeServerFrame(packet))
    else this.#ws.send(packet)
  }

  /** Takes what the socket received: the first bytes of a chunk. They are ours to change. */
  read(chunk: Buffer, length: number): void {
    const at = this.#isFresh ? readSmallFrames(chunk, length, this.#hearer) : 0
    if (at < length) this.#isFresh = this.#reader.read(chunk, at, length)
  }
}

/** Paths by what Node and `ws` are inside. */
export const turboPaths: SocketPaths = {
  prepare: shareReads,
  open: (ws, socket, hearer) => new TurboPath(ws, socket, hearer),
}
