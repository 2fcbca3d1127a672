/**
 * Stops a socket from reading before it is handed to another process.
 *
 *     client ──hello──► kernel ──► this process, if it still reads: lost, the socket is the worker's
 *                          └─────► the worker, if nobody reads here any more
 *
 * Node gives a descriptor away and goes on reading from its own copy until the other process has
 * answered; what comes in between is thrown away. Only the handle below the socket can be told to stop,
 * which is Node's inside: Node 20 to 24 have it. Where it is missing, the socket is not given away.
 *
 * This is not part of `turbo`, and no switch turns it off: without it, workers would lose bytes.
 */
import type { Socket } from 'node:net'

/** What is used of the handle below a socket. */
interface ReadingHandle {
  reading?: boolean
  readStop(): number
}

/**
 * Stops reading. Gives what was read already and nobody has taken; `undefined` when reading cannot be
 * stopped, and the socket must stay in this process.
 */
export function holdReads(socket: Socket): Buffer | undefined {
  const handle = handleOf(socket)
  if (handle === undefined) return undefined
  // The stream may ask for more, now or when its turn comes: from here on in vain.
  socket._read = () => {}
  const rest = takeBuffered(socket)
  if (handle.readStop() !== 0) return undefined
  handle.reading = false
  return rest
}

function handleOf(socket: Socket): ReadingHandle | undefined {
  const { _handle: handle } = socket as { readonly _handle?: Partial<ReadingHandle> | null }
  return typeof handle?.readStop === 'function' ? (handle as ReadingHandle) : undefined
}

function takeBuffered(socket: Socket): Buffer {
  const chunks: Buffer[] = []
  while (socket.readableLength > 0) {
    const chunk = socket.read() as Buffer | null
    if (chunk === null) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
