/**
 * Writes small frames past the stream of their socket. A stream makes a request, a callback and a turn
 * of its own for each write; a relay writes thousands of frames per second, and nearly each of them is
 * taken by the system at once: then there is nothing to wait for. Without the stream a player-tick
 * took 16.5 instead of 18.9 µs of CPU outside the kernel (medians of five rounds in turns, 400
 * players).
 *
 *     nothing waits ──► write to the handle ──► taken at once: done
 *          │                                └─► the rest waits in the handle, and is counted here
 *          └ something does ──► write to the stream, which stands behind it
 *
 * What this needs of a handle is what Node 20 to 24 have. Where anything of that is not as expected,
 * every frame goes through the stream.
 */
import type { Duplex } from 'node:stream'
import { streamState } from './stream-state.ts'

/** What the system is asked with. */
interface WriteRequest {
  /** Keeps the bytes while the system needs them. */
  buffer?: Uint8Array
  /** Called when a write that had to wait is over. */
  oncomplete?: (status: number) => void
}

/** What a plain socket writes to. */
interface Handle {
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number
}

/** A request that is free: one that was answered at once was never used. */
let spare: WriteRequest | undefined

/** Writes the frames of one socket. */
export class DirectWriter {
  /** `undefined` when frames have to go through the stream. */
  readonly #handle: Handle | undefined
  /**
   * Whether nothing waits, neither here nor in the stream. Known without looking at the stream, whose
   * objects nothing else touches: it falls with every write that goes through the stream.
   */
  #isFree = false
  /** Bytes that wait in the handle. Those that wait in the stream, the stream counts. */
  #waitingBytes = 0
  readonly #socket: Duplex & { readonly _handle?: unknown }

  /** `isPlain` when the socket is one of Node's own, without TLS. */
  constructor(socket: Duplex, isPlain: boolean) {
    this.#socket = socket
    this.#handle = isPlain && streamState !== undefined ? handleOf(socket) : undefined
    if (this.#handle !== undefined) this.#watch(socket)
  }

  /** Bytes that were written and are not with the system yet. */
  get backlogBytes(): number {
    return this.#isFree ? 0 : this.#waitingBytes + this.#socket.writableLength
  }

  /** Sends a frame behind all that was written before. Nobody changes its bytes any more. */
  write(frame: Uint8Array): void {
    if (!this.#isFree && !this.#free()) {
      this.#socket.write(frame)
      return
    }
    spare ??= new streamState!.Request() as WriteRequest
    // A handle that is closed says so, and nothing else happens.
    const error = this.#handle!.writeBuffer(spare, frame)
    if (error !== 0) this.#socket.destroy()
    else if (streamState!.values[streamState!.isWaiting] !== 0) this.#wait(spare, frame)
  }

  /** Looks whether there is nothing to wait for any more. */
  #free(): boolean {
    const handle = this.#handle
    const isOpen = handle !== undefined && this.#socket._handle === handle
    this.#isFree = isOpen && this.#waitingBytes === 0 && this.#socket.writableLength === 0
    return this.#isFree
  }

  /** Notes when somebody writes through the stream. */
  #watch(socket: Duplex): void {
    const { write } = socket
    socket.write = ((...all: Parameters<Duplex['write']>) => {
      this.#isFree = false
      return write.apply(socket, all)
    }) as Duplex['write']
  }

  #wait(request: WriteRequest, frame: Uint8Array): void {
    spare = undefined
    this.#isFree = false
    this.#waitingBytes += frame.length
    request.buffer = frame
    request.oncomplete = (status) => {
      this.#waitingBytes -= frame.length
      if (status < 0) this.#socket.destroy()
    }
  }
}

function handleOf(socket: Duplex & { readonly _handle?: unknown }): Handle | undefined {
  const handle = socket._handle as Partial<Handle> | null | undefined
  return typeof handle?.writeBuffer === 'function' ? (handle as Handle) : undefined
}
