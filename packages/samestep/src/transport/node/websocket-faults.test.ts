import { afterEach, describe, expect, test } from 'vitest'
import type { ConnectionEnd } from '../connection.ts'
import { bothPaths } from '../testing/both-paths.ts'
import { RawClient } from '../testing/raw-websocket.ts'
import { until } from '../testing/recorder.ts'
import { listenWebSocket, type WebSocketListener } from './websocket-server.ts'

const listeners: WebSocketListener[] = []
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close()
})

describe.each(bothPaths)('an error of ours in a callback of a socket, $path', ({ turbo }) => {
  test('ends that one connection, is told with its address, and nobody else notices', async () => {
    const faults: unknown[] = []
    const ends: ConnectionEnd[] = []
    const heard: number[] = []
    let accepted = 0
    const listener = await listenWebSocket(
      (connection) => {
        const isBroken = accepted++ === 0
        connection.open({
          handlePacket: (bytes) => {
            if (isBroken) throw new Error('of the relay')
            heard.push(bytes[0]!)
          },
          handleClosed: (end) => ends.push(end),
        })
      },
      { turbo, onFault: (error, remote) => faults.push([String(error), remote]) },
    )
    listeners.push(listener)
    const port = Number(new URL(listener.url).port)
    const [bad, good] = [new RawClient(port), new RawClient(port)]
    expect(await bad.upgrade().answered()).toBe(101)
    expect(await good.upgrade().answered()).toBe(101)
    bad.write(2, Uint8Array.of(1))
    expect(await bad.closed()).toBe(4001)
    good.write(2, Uint8Array.of(7))
    await until(() => heard.length > 0, 'a packet of the other')
    expect(heard).toEqual([7])
    expect(faults).toEqual([['Error: of the relay', '127.0.0.1']])
    await until(() => ends.length > 0 || bad.isClosed, 'the end of it')
    good.destroy()
  })
})
