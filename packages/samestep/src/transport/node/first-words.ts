/**
 * Reads what a stranger says first, before anything else is made of its connection. An HTTP parser
 * costs as much again as a socket, and a TLS session five times as much, with memory that waits for
 * the garbage collector: whoever never comes to the point is worth neither (T-22). An honest stranger
 * says it in one packet, which is put back untouched.
 */
import type { Socket } from 'node:net'
import { headBytesMax } from './websocket-limits.ts'

/** What first bytes are: a whole message, the begin of one, or none. */
export type FirstWords = 'whole' | 'begun' | 'none'

/** The head of a request in HTTP. What is none, or too long, is the server's to answer: 400, 431. */
export function judgeHead(bytes: Buffer): FirstWords {
  const isWhole = bytes.includes('\n\r\n') || bytes.includes('\n\n')
  return isWhole || bytes.length > headBytesMax ? 'whole' : 'begun'
}

/** The type of a TLS record that begins a handshake. */
const handshakeRecord = 22

/** Bytes of a TLS record before its content: type, version, length. */
const recordHeadBytes = 5

/** Content of a TLS record. Longer ones are no TLS. */
const recordBytesMax = 16_384

/** The first record of a handshake in TLS, which is the whole greeting of every client of today. */
export function judgeGreeting(bytes: Buffer): FirstWords {
  if (bytes[0] !== handshakeRecord) return 'none'
  if (bytes.length < recordHeadBytes) return 'begun'
  const contentBytes = bytes.readUInt16BE(3)
  if (contentBytes > recordBytesMax) return 'none'
  return bytes.length < recordHeadBytes + contentBytes ? 'begun' : 'whole'
}

/**
 * Calls `take` as soon as the first words are whole, with nothing read from the socket; it has to
 * listen at once. A socket that says something else, or ends before, is destroyed.
 */
export function awaitFirstWords(
  socket: Socket,
  judge: (bytes: Buffer) => FirstWords,
  take: () => void,
): void {
  let heard: Buffer | undefined
  // Asked for, not told: what flows would flow past a TLS session, which looks a moment later.
  const listen = (): void => {
    const bytes = socket.read() as Buffer | null
    if (bytes === null) return
    heard = heard === undefined ? bytes : Buffer.concat([heard, bytes])
    const words = judge(heard)
    if (words === 'begun') return
    socket.off('readable', listen)
    socket.off('end', destroySocket)
    if (words === 'none') {
      socket.destroy()
      return
    }
    socket.unshift(heard)
    take()
  }
  socket.on('readable', listen)
  socket.on('end', destroySocket)
  // Stays: whoever takes the socket may be a moment too late for an error.
  socket.on('error', destroySocket)
}

function destroySocket(this: Socket): void {
  this.destroy()
}
