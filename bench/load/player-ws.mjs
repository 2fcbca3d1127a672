import { WebSocket } from 'ws'

/** @param {{ port: number }} address @param {string} match @param {() => void} count */
export async function join({ port }, match, count) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?match=${match}`, {
    perMessageDeflate: false,
  })
  socket.on('message', count)
  await new Promise((resolve) => socket.on('open', resolve))
  return (input) => socket.send(input)
}
