/** socket.io as people use it for lockstep: what a player sends goes to everybody at once. */
import { createServer } from 'node:http'
import { Server } from 'socket.io'
import { announce } from './measured.mjs'

const http = createServer()
const io = new Server(http, { transports: ['websocket'] })
io.on('connection', (socket) => {
  const match = String(socket.handshake.query.match)
  socket.join(match)
  socket.on('input', (data) => io.to(match).emit('input', socket.id, data))
})
http.listen(0, '127.0.0.1', () => announce(http.address().port))
