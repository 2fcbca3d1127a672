/** Answers in HTTP on a bare socket, where no response of Node's exists, and lets go of it. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeMsMax } from './websocket-limits.ts'

/** One answer with a line of text, then the end. `lines` are further lines of the head. */
export function answerRaw(socket: Duplex, status: number, why: string, lines = ''): void {
  const body = `${STATUS_CODES[status]}: ${why}\n`
  socket.on('error', destroySocket)
  socket.once('finish', destroySocket)
  // Whoever left earlier answers unread may never take this one.
  const deadline = setTimeout(() => socket.destroy(), closeMsMax)
  socket.once('close', () => clearTimeout(deadline))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${lines}` +
      `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function destroySocket(this: Duplex): void {
  this.destroy()
}
