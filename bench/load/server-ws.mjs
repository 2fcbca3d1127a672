/** The floor: a bare WebSocket loop that sends each player one combined message per tick. */
import { WebSocketServer } from 'ws'
import { announce, everyTick, inputBytes, seats } from './measured.mjs'

const matches = new Map()
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket, request) => {
  const name = new URL(request.url ?? '/', 'ws://x').searchParams.get('match') ?? ''
  let match = matches.get(name)
  if (match === undefined) {
    match = { sockets: [], bundle: Buffer.alloc(4 + seats * inputBytes), tick: 0 }
    matches.set(name, match)
  }
  const seat = match.sockets.push(socket) - 1
  const { bundle } = match
  socket.on('message', (data) => data.copy(bundle, 4 + seat * inputBytes, 0, inputBytes))
})
everyTick(() => {
  for (const match of matches.values()) {
    if (match.sockets.length < seats) continue
    match.tick += 1
    match.bundle.writeUInt32LE(match.tick, 0)
    const message = Buffer.from(match.bundle)
    for (const socket of match.sockets) socket.send(message)
  }
})
server.on('listening', () => announce(server.address().port))
