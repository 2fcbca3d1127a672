/**
 * Sends the same datagram to a port of this machine until it is told to stop, for `udp.bench.ts`.
 *
 *     node bench/udp-flood.mjs <port> <per second> <the bytes in hexadecimal>
 */
import { createSocket } from 'node:dgram'

const [port, rate, hex] = process.argv.slice(2)
const bytes = Buffer.from(hex, 'hex')
const socket = createSocket('udp4').bind(0, '127.0.0.1')
const fromMs = performance.now()
let sent = 0
function send() {
  const due = ((performance.now() - fromMs) / 1_000) * Number(rate)
  // What the kernel does not take is lost, as datagrams are.
  for (let at = 0; at < 64 && sent < due; at++, sent++) {
    socket.send(bytes, Number(port), '127.0.0.1', () => {})
  }
  setImmediate(send)
}
socket.on('listening', send)
process.on('disconnect', () => process.exit())
