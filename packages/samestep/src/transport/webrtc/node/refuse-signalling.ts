import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers a request for signalling in HTTP, and lets go: a stranger must not hold the socket open. */
export function refuseSignalling(socket: Duplex, status: number): void {
  const text = STATUS_CODES[status] ?? ''
  socket.on('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
