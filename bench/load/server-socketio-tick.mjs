/** socket.io, used with care: one combined event per tick. */
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { announce, everyTick, inputBytes, seats } from './measured.mjs'

const http = createServer()
const io = new Server(http, { transports: ['websocket'] })
const matches = new Map()
io.on('connection', (socket) => {
  const name = String(socket.handshake.query.match)
  const match = matches.get(name) ?? { count: 0, inputs: [], tick: 0 }
  matches.set(name, match)
  const seat = match.count++
  match.inputs[seat] = Buffer.alloc(inputBytes)
  socket.join(name)
  socket.on('input', (data) => {
    match.inputs[seat] = data
  })
})
everyTick(() => {
  for (const [name, match] of matches) {
    if (match.count < seats) continue
    match.tick += 1
    io.to(name).emit('tick', match.tick, match.inputs)
  }
})
http.listen(0, '127.0.0.1', () => announce(http.address().port))
