/** Colyseus, used with care for lockstep: one combined message per tick. */
import { Room } from '@colyseus/core'
import { serveRooms } from './colyseus-rooms.mjs'
import { inputBytes, seats, tickMs } from './measured.mjs'

class LockstepRoom extends Room {
  onCreate() {
    this.maxClients = seats
    this.autoDispose = false
    this.tick = 0
    this.inputs = new Map()
    this.onMessage('input', (client, data) => this.inputs.set(client.sessionId, data))
    this.setPatchRate(null)
    this.setSimulationInterval(() => {
      if (this.clients.length < seats) return
      this.tick += 1
      this.broadcast('tick', { tick: this.tick, inputs: [...this.inputs.values()] })
    }, tickMs)
  }
  onJoin(client) {
    this.inputs.set(client.sessionId, new Uint8Array(inputBytes))
  }
}

await serveRooms(LockstepRoom)
