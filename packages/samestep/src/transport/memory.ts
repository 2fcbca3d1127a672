/**
 * Connections inside one process: for single-player, for a host that plays on its own relay, and for
 * tests. Nothing is copied; every packet is heard in a microtask, never inside `send`. Not in a timer,
 * because browsers hold those of hidden tabs back for a second and more.
 */
import type { Channel } from '../link/channel.ts'
import { DatagramChannel } from '../link/datagram/datagram-channel.ts'
import type { LinkSide } from '../link/datagram/packet-format.ts'
import { Fifo } from '../link/fifo.ts'
import { datagramBytesMax, streamPacketBytesMax } from '../wire/limits.ts'
import { assertPacketSize, makeEnd } from './closing.ts'
import { ConnectError } from './connect-error.ts'
import type {
  Accept,
  Connection,
  ConnectionEnd,
  ConnectionHandler,
  Dial,
  Listener,
} from './connection.ts'
import { brokenCode } from './connection.ts'
import { HandlerGate } from './handler-gate.ts'

/** What memory connections can be told. */
export interface MemoryOptions {
  /** Defaults to `stream`. */
  readonly kind?: 'stream' | 'datagram'
}

/** Two ends of one connection in this process. */
export function makeMemoryPair(options: MemoryOptions = {}): readonly [Connection, Connection] {
  const kind = options.kind ?? 'stream'
  const a = new MemoryConnection(kind)
  const b = new MemoryConnection(kind)
  a.other = b
  b.other = a
  return [a, b]
}

/** A door inside this process. */
export interface MemoryListener extends Listener {
  /** Connects to it. */
  readonly dial: Dial
}

/** Numbers the listeners of this process, so that each has a URL of its own. */
let listenerCount = 0

/** Listens inside this process: the `dial` of what it returns connects to `accept`. */
export function listenInMemory(accept: Accept, options: MemoryOptions = {}): MemoryListener {
  const url = `memory:${++listenerCount}`
  let isOpen = true
  return {
    url,
    async dial(signal) {
      if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
      if (!isOpen)
        throw new ConnectError('SS_CONNECT_REFUSED', url, 'nothing listens there any more')
      const [dialed, accepted] = makeMemoryPair(options)
      accept(accepted)
      return dialed
    },
    async close() {
      isOpen = false
    },
  }
}

/** One end. Both ends of a pair know each other, and put packets into each other's queue. */
class MemoryConnection implements Connection {
  readonly kind: 'stream' | 'datagram'
  readonly transport = 'memory'
  readonly packetBytesMax: number
  readonly remote = 'memory'
  readonly makeChannel?: (side: LinkSide, nowMs: number) => Channel
  other: MemoryConnection | undefined
  readonly #gate = new HandlerGate()
  /** What the other end sent and this one has not heard. */
  readonly #inbox = new Fifo<Uint8Array>()
  #inboxBytes = 0
  /** How the other end said that it is over, behind its packets. */
  #lastWord: ConnectionEnd | undefined
  #isClosed = false
  #isWoken = false

  constructor(kind: 'stream' | 'datagram') {
    this.kind = kind
    this.packetBytesMax = kind === 'stream' ? streamPacketBytesMax : datagramBytesMax
    if (kind === 'datagram') {
      this.makeChannel = (side, nowMs) => new DatagramChannel({ epoch: 0, side }, nowMs)
    }
  }

  get backlogBytes(): number {
    return this.#isClosed ? 0 : this.other!.#inboxBytes
  }

  open(handler: ConnectionHandler): void {
    this.#gate.open(handler)
  }

  send(packet: Uint8Array): void {
    assertPacketSize(packet, this)
    if (this.#isClosed) return
    const other = this.other!
    other.#inbox.push(packet)
    other.#inboxBytes += packet.length
    other.#wake()
  }

  close(code: number, reason: string): void {
    const end = makeEnd(code, reason)
    if (this.#isClosed) return
    this.#isClosed = true
    this.#gate.mute()
    this.other!.#lastWord = end
    this.other!.#wake()
    queueMicrotask(() => this.#gate.end(end))
  }

  #wake(): void {
    if (this.#isWoken) return
    this.#isWoken = true
    queueMicrotask(() => this.#hear())
  }

  #hear(): void {
    this.#isWoken = false
    // Answers to these packets, and answers to the answers, are heard in later turns.
    for (let left = this.#inbox.length; left > 0; left--) {
      const packet = this.#inbox.shift()!
      this.#inboxBytes -= packet.length
      if (!this.#gate.handlePacket(packet)) this.#overflow()
    }
    // Whoever closed by itself hears its own word, not the other's.
    if (this.#lastWord === undefined || this.#isClosed) return
    this.#isClosed = true
    this.#gate.end(this.#lastWord)
  }

  /** Nobody opened this end for a megabyte: a stream cannot drop, so it breaks. */
  #overflow(): void {
    if (this.kind === 'datagram' || this.#isClosed) return
    this.#isClosed = true
    const end = { code: brokenCode, reason: 'never opened' }
    this.other!.#lastWord = end
    this.other!.#wake()
    this.#gate.mute()
    this.#gate.end(end)
  }
}
