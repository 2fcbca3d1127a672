import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from '../connection.ts'
import { makeGuardedServer } from '../node/http-server.ts'
import { listenWebSocket } from '../node/websocket-server.ts'
import { dialWebSocket } from '../websocket-client.ts'
import type { ConnectionHarness } from './connection-contract.ts'
import { until } from './recorder.ts'

/** A listener on loopback whose sockets a test can destroy. */
export async function makeWebSocketHarness(turbo = false): Promise<ConnectionHarness> {
  const server: Server = makeGuardedServer()
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const accepted: Connection[] = []
  const listener = await listenWebSocket((connection) => accepted.push(connection), {
    server,
    turbo,
  })
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    kind: 'stream',
    transport: 'websocket',
    carriesEnd: true,
    async openPair() {
      const dialed = await dialWebSocket(listener.url)()
      await until(() => accepted.length > 0, 'an accepted connection')
      return { dialed, accepted: accepted.pop()! }
    },
    breakPair: destroyAll,
    async dispose() {
      await listener.close()
      destroyAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
