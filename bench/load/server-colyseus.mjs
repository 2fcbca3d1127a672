/** Colyseus as people use it for lockstep: what a player sends goes to everybody at once. */
import { logger, Room, Server } from '@colyseus/core'
import { WebSocketTransport } from '@colyseus/ws-transport'
import { announce, seats } from './measured.mjs'

class LockstepRoom extends Room {
  onCreate() {
    this.maxClients = seats
    this.autoDispose = false
    this.setPatchRate(null)
    this.onMessage('input', (client, data) => {
      this.broadcast('input', { player: client.sessionId, data })
    })
  }
}

logger.info = () => {}
const server = new Server({
  greet: false,
  transport: new WebSocketTransport({ pingInterval: 0 }),
})
server.define('lockstep', LockstepRoom).filterBy(['match'])
await server.listen(0, '127.0.0.1')
announce(server.transport.server.address().port)
