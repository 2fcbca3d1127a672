/** Our relay over a WebSocket. */
import { WebSocket } from 'ws'
import { SilentPlayer } from './silent-player.mjs'

/** @param {{ port: number }} address @param {string} match @param {() => void} count */
export async function join({ port }, match, count) {
  const url = `ws://127.0.0.1:${port}/?match=${match}`
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const send = (bytes) => socket.send(bytes)
  const player = new SilentPlayer(match, count, { sendControl: send, sendTick: send })
  socket.on('open', () => player.start())
  socket.on('message', (bytes) => player.hear(bytes))
  const failed = new Promise((_, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)))
  })
  await Promise.race([player.seated, failed])
  // At the end the server goes first.
  failed.catch(() => {})
  return () => player.play()
}
