/** Colyseus as people use it for lockstep: what a player sends goes to everybody at once. */
import { Room } from '@colyseus/core'
import { serveRooms } from './colyseus-rooms.mjs'
import { seats } from './measured.mjs'

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

await serveRooms(LockstepRoom)
