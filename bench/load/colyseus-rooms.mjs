/** Lets Colyseus serve rooms of one kind, with nothing else to do. */
import { logger, Server } from '@colyseus/core'
import { WebSocketTransport } from '@colyseus/ws-transport'
import { announce } from './measured.mjs'

/** @param {new () => import('@colyseus/core').Room} Rooms */
export async function serveRooms(Rooms) {
  logger.info = () => {}
  const server = new Server({
    greet: false,
    transport: new WebSocketTransport({ pingInterval: 0 }),
  })
  server.define('lockstep', Rooms).filterBy(['match'])
  await server.listen(0, '127.0.0.1')
  announce(server.transport.server.address().port)
}
