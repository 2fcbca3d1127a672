import { Client } from 'colyseus.js'

/** @param {{ port: number }} address @param {string} match @param {() => void} count */
export async function join({ port }, match, count) {
  const client = new Client(`ws://127.0.0.1:${port}`)
  const room = await client.joinOrCreate('lockstep', { match })
  room.onMessage('tick', count)
  return (input) => room.send('input', input)
}
