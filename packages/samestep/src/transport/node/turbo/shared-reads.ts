/**
 * One buffer into which all plain sockets read. Node otherwise takes 64 KiB for each read, gives back
 * what was not filled, and passes the rest on through a stream; for packets of thirty bytes that costs
 * much: 42.9 instead of 46.1 µs of CPU per player-tick (means of four rounds in turns, 400 players).
 *
 * Node offers this for sockets that it opens (`onread`), not for those that it accepts. So the handle
 * of an accepted one is given to a new socket. Where a handle is not what Node 20 to 24 have, or the
 * socket is one of TLS, the socket stays as it is, and is read through its stream.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { streamState } from './stream-state.ts'

/** As much as Node reads at once. */
const bufferBytes = 65_536
const buffer = Buffer.allocUnsafeSlow(bufferBytes)

/** Hears what sockets read. */
interface Hearer {
  /** The first bytes of the buffer, lent for the call, and free to be changed. */
  read(buffer: Buffer, byteCount: number): void
}

/** Who hears each socket that reads into the buffer. */
const hearers = new WeakMap<Duplex, { hearer: Hearer }>()

type Handled = Socket & { _handle: object | null }

/** The same connection as a socket that reads into the buffer, or the socket itself. */
export function shareReads(socket: Duplex): Duplex {
  if (!isPlain(socket)) return socket
  const handle = socket._handle
  const ear: { hearer: Hearer } = { hearer: { read: () => {} } }
  // From here on the old one owns nothing; whoever ends one of them ends both.
  socket._handle = null
  const shared = new Socket({
    // Known to Node, and to none of its types.
    ...({ handle } as object),
    allowHalfOpen: true,
    onread: {
      buffer,
      callback: (byteCount: number) => {
        ear.hearer.read(buffer, byteCount)
        return true
      },
    },
  } as object)
  hearers.set(shared, ear)
  socket.once('close', () => shared.destroy())
  shared.once('close', () => socket.destroy())
  return shared
}

/** Where a handle keeps who hears it. */
const hearerKey = Symbol('hearer')

/** What Node calls when something was read, or cannot be. */
interface Readable {
  onread: (this: Readable, bytes: ArrayBuffer | undefined) => void
  [hearerKey]?: Hearer
}

/** What the stream would do. It is the same function for all of them. */
let hearByStream: Readable['onread'] = () => {}

/** Hears bytes without the stream, which need not know of them; it hears of ends and errors. */
function hearDirectly(this: Readable, bytes: ArrayBuffer | undefined): void {
  const byteCount = streamState!.values[streamState!.readBytes] as number
  const hearer = this[hearerKey]
  if (byteCount > 0 && hearer !== undefined) hearer.read(buffer, byteCount)
  else hearByStream.call(this, bytes)
}

/** Lets somebody hear the socket; false when it has to be heard by its stream alone. */
export function hearShared(socket: Duplex, hearer: Hearer): boolean {
  const ear = hearers.get(socket)
  if (ear === undefined) return false
  ear.hearer = hearer
  const handle = (socket as Handled)._handle as Readable | null
  if (streamState !== undefined && handle !== null) {
    if (handle.onread !== hearDirectly) hearByStream = handle.onread
    handle[hearerKey] = hearer
    handle.onread = hearDirectly
  }
  return true
}

function isPlain(socket: Duplex): socket is Handled {
  if (Object.getPrototypeOf(socket) !== Socket.prototype) return false
  const handle = (socket as Handled)._handle as { useUserBuffer?: unknown } | null
  // What was read already stands in the old one's stream, and would be lost.
  return typeof handle?.useUserBuffer === 'function' && socket.readableLength === 0
}
