import { io } from 'socket.io-client'
import { countTicks } from './measured.mjs'

/** @param {{ port: number }} address @param {string} match @param {() => void} count */
export async function join({ port }, match, count) {
  const socket = io(`http://127.0.0.1:${port}`, {
    transports: ['websocket'],
    query: { match },
    forceNew: true,
  })
  socket.on('input', countTicks(count))
  await new Promise((resolve) => socket.on('connect', resolve))
  return (input) => socket.emit('input', input)
}
